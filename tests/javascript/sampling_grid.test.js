// A picture that is moved, its grid, and what theta does: against sums and matrices that are made by hand.

import assert from "node:assert/strict";
import test from "node:test";

import { readView, urlOf } from "../../attnviz/ui/frontend/core/url_fields.js";
import * as affine from "../../attnviz/ui/frontend/sampling_grid/affine.js";
import * as derive from "../../attnviz/ui/frontend/sampling_grid/derive.js";
import * as drag from "../../attnviz/ui/frontend/sampling_grid/drag.js";
import { listen } from "../../attnviz/ui/frontend/sampling_grid/hands.js";
import { SamplingGrid } from "../../attnviz/ui/frontend/sampling_grid/sampling_grid.js";

const grid = { ...affine, ...derive, ...drag };

const SHAPE = [20, 32, 1];
const near = (found, wanted, digits = 9) =>
  Array.from(wanted).forEach((value, place) => assert.ok(Math.abs(found[place] - value) < 10 ** -digits, `${found}`));

/** Theta of a rotation clockwise and two scales, in pixels. */
function thetaOf(angle, [first, second], [rows, columns]) {
  const [cosine, sine] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const ratio = rows / columns;
  return [cosine * first, -sine * second * ratio, 0.25, (sine * first) / ratio, cosine * second, -0.5];
}

test("rotation, scales, shear and shift are those that theta was made of", () => {
  for (const angle of [-170, -90, -12, 0, 45, 100]) {
    const found = grid.decomposed(thetaOf(angle, [1.5, 0.5], SHAPE), SHAPE);
    near([found.angle, ...found.scales, found.shear], [angle, 1.5, 0.5, 0]);
    near(found.shift, [4, -5]);
    assert.equal(found.mirrored, false);
  }
  const sheared = grid.decomposed([1, Math.tan(Math.PI / 12), 0, 0, 1, 0], [8, 8]);
  near([sheared.shear, sheared.angle], [15, (-Math.atan(Math.tan(Math.PI / 12) / 2) * 180) / Math.PI]);
});

test("a mirror is said, and the rotation is what is left after it", () => {
  const [a, b, x, c, d, y] = thetaOf(25, [1, 1], SHAPE);
  const found = grid.decomposed([-a, b, x, -c, d, y], SHAPE);
  assert.equal(found.mirrored, true);
  near([found.angle], [25]);
  assert.match(grid.inWords(found).rotation, /^25\.0° clockwise, and mirrored$/);
});

test("the identity samples every pixel where it is, and a shift by a pixel the one beside it", () => {
  const picture = Uint8Array.from({ length: 640 }, (_, place) => (place * 7) % 256);
  assert.deepEqual(grid.toBytes(grid.sampled(picture, SHAPE, grid.IDENTITY)), picture);
  const shifted = grid.sampled(picture, SHAPE, [1, 0, 2 / 32, 0, 1, 0]);
  near(shifted.subarray(0, 31), picture.subarray(1, 32));
  assert.equal(shifted[31], 0); // outside
});

test("a picture that is turned by a quarter has its rows as columns; counter-clockwise as seen", () => {
  const picture = Uint8Array.from([10, 20, 30, 40, 50, 60, 70, 80, 90]);
  const found = grid.moved(picture, [3, 3, 1], { ...grid.STILL, rotate: 90 });
  assert.deepEqual([...found], [30, 60, 90, 20, 50, 80, 10, 40, 70]);
  assert.deepEqual(
    [...grid.moved(picture, [3, 3, 1], { ...grid.STILL, across: 1, down: -1 })],
    [0, 40, 50, 0, 70, 80, 0, 0, 0],
  );
  assert.equal(grid.moved(picture, [3, 3, 1], grid.STILL), picture);
});

test("the frame of a picture goes where its corners go, and its grid would undo what was done", () => {
  const move = { rotate: 30, scale: 1.2, across: 3, down: -2 };
  const frame = grid.frameOf(move, SHAPE);
  near([grid.decomposed(frame, SHAPE).angle], [-30]); // the other sign
  near(grid.decomposed(frame, SHAPE).shift, [3, -2]);
  const picture = new Uint8Array(640);
  picture[10 * 32 + 16] = picture[10 * 32 + 15] = picture[9 * 32 + 16] = picture[9 * 32 + 15] = 200;
  const undone = grid.sampled(grid.moved(picture, SHAPE, move), SHAPE, frame);
  assert.ok(undone[10 * 32 + 16] > 120, "what was in the middle is there again");
});

test("a corner that is dragged follows the hand and leaves the middle and the other two corners", () => {
  const theta = thetaOf(20, [0.8, 0.7], SHAPE);
  const before = grid.handlesOf(theta);
  const to = /** @type {[number, number]} */ ([before.ne[0] + 0.1, before.ne[1] - 0.2]);
  const after = grid.handlesOf(grid.draggedGrid(theta, "ne", before.ne, to, SHAPE));
  near(after.ne, to);
  near(after.middle, before.middle);
  near(after.nw, before.nw);
  near(after.se, before.se);
  const shifted = grid.handlesOf(grid.draggedGrid(theta, "middle", [0, 0], [0.1, 0.2], SHAPE));
  near(shifted.sw, [before.sw[0] + 0.1, before.sw[1] + 0.2]);
});

test("the knob rotates by the angle that the hand goes, in pixels", () => {
  const theta = thetaOf(0, [1, 1], SHAPE);
  const [x, y] = [theta[2], theta[5]];
  const above = /** @type {[number, number]} */ ([x, y - 1]);
  const right = /** @type {[number, number]} */ ([x + 20 / 32, y]); // as far in pixels
  near([grid.decomposed(grid.draggedGrid(theta, "knob", above, right, SHAPE), SHAPE).angle], [90]);
  const move = grid.draggedPicture({ ...grid.STILL }, "knob", [0, -1], [20 / 32, 0], SHAPE);
  assert.deepEqual(move, { rotate: -90, scale: 1, across: 0, down: 0 });
});

test("a picture is scaled by a corner and shifted by its middle, within limits", () => {
  const still = { ...grid.STILL };
  assert.equal(grid.draggedPicture(still, "se", [1, 1], [1.5, 1.5], SHAPE).scale, 1.5);
  assert.equal(grid.draggedPicture(still, "se", [1, 1], [9, 9], SHAPE).scale, 2);
  assert.deepEqual(grid.draggedPicture(still, "middle", [0, 0], [0.25, -0.5], SHAPE), {
    ...still,
    across: 4,
    down: -5,
  });
  assert.equal(grid.asMove({ ...still, rotate: 190 }, SHAPE).rotate, -170);
  assert.ok(Object.is(grid.asMove({ ...still, rotate: -0.2 }, SHAPE).rotate, 0), "never -0");
});

test("the nearest handle within reach is meant, else the middle", () => {
  assert.equal(grid.handleAt(grid.IDENTITY, [0.95, 0.9], 2, SHAPE), "se");
  assert.equal(grid.handleAt(grid.IDENTITY, [0, -1.25], 2, SHAPE), "knob");
  assert.equal(grid.handleAt(grid.IDENTITY, [0.5, 0.5], 2, SHAPE), "middle");
});

test("keys shift, rotate and scale; others do nothing", () => {
  assert.deepEqual(grid.byKey("ArrowLeft", false), { across: -1 });
  assert.deepEqual(grid.byKey("[", false), { rotate: 5 });
  assert.deepEqual(grid.byKey("+", true), { factor: 1.05 });
  assert.equal(grid.byKey("a", false), null);
  assert.equal(grid.byKey("constructor", false), null);
});

test("theta is the net's, unless it is held", () => {
  const view = { grid: "own", theta: null };
  assert.equal(grid.heldTheta(view, [2]), null);
  assert.deepEqual(grid.heldTheta({ ...view, grid: "mean" }, [2]), [2]);
  assert.deepEqual(grid.heldTheta({ ...view, grid: "identity" }, [2]), grid.IDENTITY);
  assert.deepEqual(grid.heldTheta({ grid: "mean", theta: [3] }, [2]), [3]);
  assert.equal(grid.isHeld(view), false);
  assert.equal(grid.isHeld({ ...view, theta: [1] }), true);
});

test("the dot of a picture is where it was, and by how much it is rotated besides", () => {
  assert.equal(grid.dotOf(null, grid.STILL, { angle: 3 }), null);
  assert.deepEqual(grid.dotOf(-80, { ...grid.STILL, rotate: -150 }, { angle: -3 }), { picture: 130, grid: 3 });
});

test("theta in words: the sign of the angle, and whether it enlarges", () => {
  const words = grid.inWords(grid.decomposed(thetaOf(-12, [0.5, 0.5], SHAPE), SHAPE));
  assert.equal(words.rotation, "12.0\u00b0 counter-clockwise");
  assert.match(words.scale, /enlarges 2\.00 times/);
  assert.equal(words.shift, "4.0 pixels right, 5.0 pixels up");
});

const FIELDS = [
  { name: "rotate", kind: "signed", default: 0, options: [] },
  { name: "across", kind: "signed", default: 0, options: [] },
  { name: "theta", kind: "theta", default: null, options: [] },
];

test("what the URL cannot have is named, and a link says what is seen", () => {
  const read = (asked) => readView(FIELDS, asked, grid.RULES, { shape: SHAPE });
  assert.deepEqual(read({ rotate: -30, theta: grid.IDENTITY }).view, { rotate: -30, across: 0, theta: grid.IDENTITY });
  const wrong = read({ rotate: 200, across: "x", theta: [9, 0, 0, 0, 1, 0] });
  assert.deepEqual(wrong.view, { rotate: 0, across: 0, theta: null });
  for (const words of ["rotate \u201c200\u201d", "-180 to 180", "-32 to 32", "six numbers from -4 to 4"])
    assert.ok(wrong.complaint.includes(words), wrong.complaint);
  const view = { rotate: -30, across: 0, theta: [0.5, 0, 0, 0, 1, 0] };
  assert.equal(urlOf("http://x/?a=1", FIELDS, view), "http://x/?a=1&rotate=-30&theta=0.5%2C0%2C0%2C0%2C1%2C0");
});

test("a pixel is said when it is read with the keys, and the answer when something is changed after that", () => {
  const node = () => Object.assign(new EventTarget(), { getAttribute: () => "", setAttribute() {} });
  const [show, word] = [{ show() {} }, () => ({ data: "" })];
  const part = Object.assign(Object.create(SamplingGrid.prototype), {
    url: { now: { rotate: 0, scale: 1, across: 0, down: 0, drag: "picture", grid: "own", theta: null } },
    header: { angles: null, many: "" },
    shapes: { picture: [2, 2, 1] },
    arrays: { mean: null },
    answered: { theta: grid.IDENTITY },
    values: new Float64Array(4),
    looked: -1,
    live: word(),
    words: { answer: word(), verdict: word(), reading: word() },
    answer: { change: () => "", words: () => "", summary: () => "It is an 8." },
    asker: { pending: false },
    scene: { listen() {} },
    ...{ past: { keep() {} }, sliders: show, drags: show, grids: show, theta: { show() {}, tell() {} } },
    ...{ undoer: node(), freer: node(), stage: node(), seenBoard: node(), seen: { canvas: node(), board: {} } },
    root: Object.assign(node(), { classList: { toggle() {} } }),
    ...{ guard: (act) => act(), settle() {}, follow() {} },
    draw() {
      this.sayAll();
    },
  });
  listen(part);
  const press = (key) => part.seenBoard.dispatchEvent(Object.assign(new Event("keydown"), { key }));
  press("ArrowRight");
  assert.match(part.live.data, /^Row 1, column 2/);
  part.choose({ rotate: 5 }, "rotate");
  assert.equal(part.live.data, "It is an 8.");
  press("ArrowRight"); // there is no pixel farther right
  part.choose({ rotate: 10 }, "rotate");
  assert.equal(part.live.data, "It is an 8.");
  press("ArrowDown");
  assert.match(part.live.data, /^Row 2, column 2/);
});
