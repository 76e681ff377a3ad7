// Attention while it is learnt: what the slider of epochs shows, and how the views of its epochs are fetched and kept.

import assert from "node:assert/strict";
import test from "node:test";

import {
  around,
  epochNow,
  followers,
  moveTo,
  parametersAt,
  wantedOf,
  whenMoved,
} from "../../attnviz/ui/frontend/core/epoch.js";
import { headerOf, unpack, withHeader } from "../../attnviz/ui/frontend/core/payload.js";
import { alongOf, besideOf, curvesOf, placeOf, wordsOf } from "../../attnviz/ui/frontend/epoch_slider/derive.js";
import { EpochSlider } from "../../attnviz/ui/frontend/epoch_slider/epoch_slider.js";
import * as training from "../../attnviz/ui/frontend/draw/training.js";
import { Asker } from "../../attnviz/ui/frontend/live/asker.js";
import { EpochViews } from "../../attnviz/ui/frontend/live/epoch_views.js";
import { lacking, Views } from "../../attnviz/ui/frontend/live/fetched_views.js";
import { pack } from "../../attnviz/ui/frontend/live/live.js";
import { LivePart } from "../../attnviz/ui/frontend/live/live_part.js";
import { Socket } from "./helpers.js";

const KEPT = [0, 1, 2, 4, 12];
const TRAINING = {
  points: KEPT.map((epoch) => ({ epoch, key: `n${epoch}` })),
  figure: "validation accuracy",
  unit: "share",
  curve: /** @type {[number, number][]} */ ([1, 2, 3, 4, 8, 12, 13].map((epoch) => [epoch, 0.5 + epoch / 100])),
};
const NETS = KEPT.map((epoch) => `n${epoch}`);
const PICTURE = { data: "strokes", number: 3 };

test("the words of an epoch name it, the last one and the value of the curve there", () => {
  const value = "validation accuracy 54.0 %";
  assert.deepEqual(wordsOf(TRAINING, 3), { epoch: "Epoch 4", of: "of 12", value, second: "" });
  assert.deepEqual(wordsOf(TRAINING, 0), { epoch: "Before training", of: "", value: "", second: "" });
  const loss = { ...TRAINING, figure: "training loss", unit: "nats" };
  assert.equal(wordsOf(loss, 1).value, "training loss 0.510");
  assert.equal(placeOf(TRAINING, "n4"), 3);
  assert.equal(placeOf(TRAINING, "n3"), -1);
});

test("epochs that are kept lie evenly, others between them in proportion, and none beyond the last", () => {
  assert.deepEqual(
    KEPT.map((epoch) => alongOf(TRAINING, epoch)),
    [0, 0.25, 0.5, 0.75, 1],
  );
  assert.equal(alongOf(TRAINING, 3), 0.625);
  assert.equal(alongOf(TRAINING, 8), 0.875);
  assert.equal(alongOf(TRAINING, 13), null);
});

test("the curve reaches from the bottom to the top, and ends with the slider", () => {
  const [found, second] = curvesOf(TRAINING);
  assert.deepEqual(second, []);
  assert.deepEqual(
    found.map(({ epoch }) => epoch),
    [1, 2, 3, 4, 8, 12],
  );
  assert.deepEqual([found[0].down, found[5].down], [1, 0]);
  const [flat] = curvesOf({
    ...TRAINING,
    curve: [
      [1, 0.5],
      [2, 0.5],
    ],
  });
  assert.deepEqual(
    flat.map(({ down }) => down),
    [0.5, 0.5],
  );
});

test("a second training goes along where its epoch is kept, with its curve on the same scale", () => {
  const curve = /** @type {[number, number][]} */ ([
    [1, 0.1],
    [4, 0.7],
  ]);
  const both = { ...TRAINING, beside: { nets: { 1: "m1", 4: "m4" }, curve } };
  assert.deepEqual(besideOf(both), ["", "m1", "", "m4", ""]);
  assert.equal(besideOf(TRAINING), undefined);
  assert.deepEqual(
    [3, 2, 0].map((at) => [wordsOf(both, at).value, wordsOf(both, at).second]),
    [
      ["validation accuracy 54.0 %", "second training 70.0 %"],
      ["validation accuracy 52.0 %", "second training: not kept"],
      ["", "second training: not kept"],
    ],
  );
  assert.equal(wordsOf({ ...both, beside: { ...both.beside, curve: [] } }, 3).second, "");
  const [first, second] = curvesOf(both);
  assert.deepEqual(
    second.map(({ epoch, down }) => [epoch, down]),
    [
      [1, 1],
      [4, 0],
    ],
  );
  assert.ok(first.every(({ down }) => down > 0 && down < 1));
});

test("in a view of two nets the second goes along with the epoch of the first, or is none", () => {
  const epoch = { nets: NETS, at: 1, eager: false, beside: ["", "m1", "", "m4", ""] };
  const sent = { address: "a", second: "m4", query: null };
  assert.deepEqual(parametersAt(epoch, "n1", sent), { address: "a", second: "m1", query: null });
  assert.equal(parametersAt(epoch, "n2", sent).second, "");
  assert.equal(parametersAt(epoch, "other", sent), sent);
  assert.equal(parametersAt({ ...epoch, beside: undefined }, "n1", sent), sent);
  assert.equal(parametersAt(null, "n1", sent), sent);
  const alone = { unit: "box" };
  assert.equal(parametersAt(epoch, "n1", alone), alone, "a view of one net");
});

test("on the draw page each model is as far along its own epochs, and says so where it is not trained wholly", () => {
  const epochs = /** @type {[number, string][]} */ (KEPT.map((epoch) => [epoch, `n${epoch}`]));
  assert.deepEqual(
    [null, 100, 60, 25, 0].map((trained) => training.placeOf(epochs, trained)),
    [4, 4, 2, 1, 0],
  );
  assert.deepEqual(
    [null, 25, 0].map((trained) => training.wordsOf(epochs, trained)),
    ["", "epoch 1 of 12", "before training"],
  );
  assert.equal(training.wordsOf([], 25), "", "without a history");
});

test("the epochs around one come nearest first", () => {
  assert.deepEqual(around(5, 2), [3, 1, 4, 0]);
  assert.deepEqual(around(3, 0), [1, 2]);
});

test("a view of another training follows no slider", () => {
  const epoch = { nets: NETS, at: 1, eager: false };
  assert.equal(wantedOf(epoch, "n4"), "n1");
  assert.equal(wantedOf(epoch, "other"), null);
  assert.equal(wantedOf(null, "n4"), null);
});

test("views are kept up to so many bytes, the ones used last", () => {
  const views = new Views(25);
  for (const name of ["a", "b"]) views.set(name, new Uint8Array(10));
  assert.equal(views.hasRoom, false);
  assert.equal(views.get("a")?.length, 10);
  views.set("c", new Uint8Array(10));
  assert.deepEqual([...views.found.keys()], ["a", "c"]);
  views.set("c", new Uint8Array(15));
  assert.equal(views.size, 25);
  views.set("d", new Uint8Array(30));
  assert.deepEqual([...views.found.keys()], ["d"], "the newest stays, however large");
});

/** A view of a net, as the live channel sends it, or with what Python adds to it. */
function view(net, added = {}) {
  const request = { derived: "some_view", parameters: { unit: "box" }, checkpoint: net, picture: PICTURE };
  const arrays = { values: { values: Float64Array.of(KEPT[NETS.indexOf(net)]), shape: [1] } };
  return pack({ title: net, request, ...added }, arrays);
}

test("a header is changed without the arrays", () => {
  const made = withHeader(view("n1"), { title: "a much longer title, as long as anybody likes it" });
  assert.match(headerOf(made).header.title, /longer/);
  assert.deepEqual([...unpack(made).arrays.values], [1]);
});

test("a view of another epoch gets what Python has added, with the name of its own net", () => {
  const state = { view: { value: { head: 2 }, revision: 7, key: "viewer.view" } };
  const sent = view("n4", { state, plain: false, asked: { checkpoint: "n4", missing: null, both: ["n4", "n2"] } });
  const kept = view("n1");
  const { header, arrays } = unpack(kept, lacking(kept, headerOf(sent).header));
  assert.deepEqual(header.asked, { checkpoint: "n1", missing: null, both: ["n1", "n2"] });
  assert.deepEqual([header.title, header.plain, header.request.checkpoint], ["n1", false, "n1"]);
  assert.deepEqual(header.state, state);
  assert.deepEqual([...arrays.values], [1]);
});

test("the state of an earlier run of the page does not come back with a view that is kept", () => {
  const earlier = view("n1", { state: { view: { revision: 1 } } });
  const now = headerOf(view("n4", { state: { view: { revision: 2 } } })).header;
  assert.equal(unpack(earlier, lacking(earlier, now)).header.state.view.revision, 2);
});

/** Views of a part that shows nothing, the socket that they are asked of, and what became of it all. */
function made(t, eager = false) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.WebSocket = /** @type {any} */ (Socket);
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { querySelector: () => null }));
  Socket.made = [];
  const classes = new Set();
  const said = [];
  const shown = [];
  const part = {
    root: {
      prepend() {},
      classList: { add: (name) => classes.add(name), remove: (...names) => names.map((name) => classes.delete(name)) },
    },
    guard: (act) => act(),
    receive: (bytes) => shown.push(headerOf(bytes).header.title),
  };
  const complaint = { element: { remove() {} }, say: (sentence) => said.push(sentence) };
  const go = (at) => moveTo({ nets: NETS, at, eager });
  go(4);
  const views = new EpochViews(/** @type {any} */ (part), /** @type {any} */ (complaint));
  views.take(view("n12"));
  const socket = () => Socket.made[0];
  const asked = () => socket().sent.map((bytes) => unpack(bytes).header.asks[0].checkpoint);
  const answer = (number, net) => {
    const arrays = { view: { values: view(net), shape: [view(net).length] } };
    const data = pack({ number, ask: 0, done: true }, arrays).buffer;
    socket().dispatchEvent(Object.assign(new Event("message"), { data }));
  };
  return { views, go, socket, asked, answer, shown, said, classes };
}

test("an epoch is asked for once, and shown again from what is kept", (t) => {
  const { go, socket, asked, answer, shown, views } = made(t);
  assert.equal(Socket.made.length, 0, "nothing is asked for before the slider moves");
  go(1);
  socket().become("open");
  const { asks, pictures } = unpack(socket().sent[0]).header;
  assert.deepEqual(pictures, [PICTURE]);
  assert.deepEqual(asks, [
    { checkpoint: "n1", wanted: { view: { derived: "some_view", parameters: { unit: "box" } } } },
  ]);
  assert.equal(views.isThere, false);
  answer(1, "n1");
  go(4);
  go(1);
  assert.deepEqual(shown, ["n1", "n12", "n1"]);
  assert.deepEqual(asked(), ["n1"]);
  assert.equal(views.isThere, true);
});

test("views of two nets are asked for, and kept, by both", (t) => {
  const { views, socket, go } = made(t);
  const request = { derived: "pair", parameters: { second: "m12" }, checkpoint: "n12", picture: PICTURE };
  views.take(pack({ title: "n12", request }, {}));
  const beside = (last) => moveTo({ nets: NETS, at: 1, eager: false, beside: ["", last, "", "", "m12"] });
  beside("m1");
  socket().become("open");
  const parameters = () => socket().sent.map((bytes) => unpack(bytes).header.asks[0].wanted.view.parameters.second);
  assert.deepEqual(parameters(), ["m1"]);
  const header = { title: "n1", request: { ...request, checkpoint: "n1", parameters: { second: "m1" } } };
  const answered = pack(header, {});
  const data = pack({ number: 1, ask: 0, done: true }, { view: { values: answered, shape: [answered.length] } }).buffer;
  socket().dispatchEvent(Object.assign(new Event("message"), { data }));
  beside("x1");
  assert.equal(views.views.has(views.name("n1")), false, "what stands beside another second one is asked for anew");
  go(4);
});

test("an answer that comes late is kept, but not shown", (t) => {
  const { go, socket, asked, answer, shown } = made(t);
  go(1);
  socket().become("open");
  go(2);
  go(3);
  answer(1, "n1");
  assert.deepEqual(shown, []);
  assert.deepEqual(asked(), ["n1", "n4"]);
  answer(2, "n4");
  go(1);
  assert.deepEqual(shown, ["n4", "n1"]);
});

test("once a hand comes near, all epochs are fetched, the nearest first", (t) => {
  const { socket, asked, answer, go, shown } = made(t, true);
  socket().become("open");
  for (const [place, net] of ["n4", "n2", "n1", "n0"].entries()) answer(place + 1, net);
  assert.deepEqual(asked(), ["n4", "n2", "n1", "n0"]);
  for (const at of [0, 1, 2, 3]) go(at);
  assert.deepEqual(shown, ["n0", "n1", "n2", "n4"]);
  assert.equal(asked().length, 4);
});

test("an epoch that takes long makes the old one pale, and one that cannot be had shows nothing else", (t) => {
  const { go, socket, shown, said, classes, answer, views } = made(t);
  go(1);
  socket().become("open");
  t.mock.timers.tick(199);
  assert.deepEqual([...classes], []);
  t.mock.timers.tick(1);
  assert.deepEqual([...classes], ["awaits-view"]);
  socket().answer(1, { error: "It is not there." });
  assert.deepEqual([...classes], ["lacks-epoch"]);
  assert.equal(said.at(-1), "It is not there.");
  assert.equal(views.isThere, true, "the slider plays on");
  go(2);
  assert.deepEqual([...classes], []);
  answer(2, "n2");
  assert.deepEqual(shown, ["n2"]);
  assert.equal(said.at(-1), "");
  go(1);
  assert.deepEqual([...classes], ["lacks-epoch"]);
});

test("what Python sends while the slider stands elsewhere is replaced at once", (t) => {
  const { views, go, socket, answer, shown } = made(t);
  go(1);
  socket().become("open");
  answer(1, "n1");
  views.take(view("n12"));
  assert.deepEqual(shown, ["n1", "n1"]);
  views.take(pack({ title: "other", request: { ...headerOf(view("n1")).header.request, checkpoint: "other" } }, {}));
  assert.deepEqual(shown, ["n1", "n1"], "of another training");
});

test("who has left hears nothing more", (t) => {
  const { views, go, shown } = made(t);
  views.leave();
  go(1);
  assert.equal(Socket.made.length, 0);
  assert.deepEqual(shown, []);
  const heard = [];
  const end = whenMoved(() => heard.push(epochNow()?.at));
  go(2);
  end();
  go(3);
  assert.deepEqual(heard, [2]);
});

/** A film of a part that the server must answer at each epoch, as where a picture is moved by hand. */
function film(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.WebSocket = /** @type {any} */ (Socket);
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { querySelector: () => null }));
  Socket.made = [];
  const asker = new Asker({ guard: (act) => act() });
  const part = Object.assign(Object.create(LivePart.prototype), {
    asker,
    root: { classList: { remove() {} } },
    shown: "what was answered before",
    files: async () => ({ sheet: () => part.shown, name: () => "grid" }),
  });
  const main = { isThere: true, isLost: false, lacks: false, top: 0, part };
  followers().add(main);
  whenMoved(() => {
    const at = epochNow()?.at ?? 0;
    asker.ask(at, { pictures: [PICTURE], asks: [] }, ({ error }) => {
      part.rest();
      if (!error) part.shown = NETS[at];
    });
  });
  const slider = Object.assign(Object.create(EpochSlider.prototype), {
    ...{ header: TRAINING, at: 4, eager: true, left: false },
    ...{ stop() {}, draw() {} },
  });
  const frames = slider.frames();
  frames.catch(() => {}); // it is awaited later
  Socket.made[0].become("open");
  /** Let all go on that can. */
  const goOn = async () => {
    await new Promise((done) => setImmediate(done));
    t.mock.timers.tick(20);
    await new Promise((done) => setImmediate(done));
  };
  const answer = async (number, more = {}) => {
    Socket.made[0].answer(number, more);
    await goOn();
  };
  t.after(() => asker.close());
  return { slider, frames, main, goOn, answer };
}

test("a film shows at each epoch what was answered there", async (t) => {
  const { slider, frames, goOn, answer } = film(t);
  await goOn();
  for (const number of [1, 2, 3, 4, 5]) await answer(number);
  const { frames: found, name } = await frames;
  assert.deepEqual([found.map(({ sheet }) => sheet), name, slider.at], [NETS, "grid", 4]);
});

test("a film ends where an answer cannot be had, and the slider goes back", async (t) => {
  const refused = film(t);
  await refused.answer(1, { error: "It is not there." });
  await assert.rejects(refused.frames);
  t.mock.timers.reset();
  const lost = film(t);
  Socket.made[0].become("close");
  await lost.goOn();
  await assert.rejects(lost.frames);
  t.mock.timers.reset();
  const away = film(t);
  Object.assign(away.main, { isThere: false, isLost: true });
  await away.answer(1);
  await assert.rejects(away.frames, /connection/);
  assert.deepEqual([refused.slider.at, lost.slider.at, away.slider.at], [4, 4, 4]);
});

test("a film ends where the visitor moves the slider, which stays there", async (t) => {
  const { slider, frames, answer } = film(t);
  await answer(1);
  slider.take(3);
  await answer(2);
  await answer(3);
  await assert.rejects(frames, /moved/);
  assert.equal(slider.at, 3);
});

test("a film ends where Python sends another view meanwhile, and the slider goes back", async (t) => {
  const { slider, frames, answer, main } = film(t);
  main.part.sent = new Uint8Array(1);
  await answer(1);
  await answer(2);
  await assert.rejects(frames, /another view/);
  assert.equal(slider.at, 4);
});
