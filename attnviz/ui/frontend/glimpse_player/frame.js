// The elements of the glimpse player, made once; glimpse_player.js fills them and handles their events.

import { HINTS } from "../hands/hints.js";
import { saversOf, SegmentedControl } from "../hands/controls.js";
import { element, say, set, text, texts } from "../core/dom.js";
import { BeliefPanel } from "./belief.js";
import { RetinaPanel } from "./retina.js";
import { LOCATIONS } from "./view.js";
import { Scene } from "./scene.js";

/**
 * Make the elements.
 * @param {import("./glimpse_player.js").GlimpsePlayer} player handles their events
 * @param {ShadowRoot} parent the container
 */
export function makeFrame(player, parent) {
  const act = (/** @type {() => void} */ what) => () => player.guard(what);
  const words = { play: text("Play"), ...texts("step", "policy", "how", "change", "many") };
  const play = element("button.act.play", { type: "button", onclick: act(() => player.togglePlay()) }, words.play);
  const slider = element("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": "Glimpse",
    oninput: act(() => player.choose(Number(slider.value))),
  });
  const locations = new SegmentedControl("Locations", LOCATIONS, (value) =>
    player.guard(() => player.chooseLocations(value)),
  );
  const another = element("button.act", { type: "button", onclick: act(() => player.drawAgain()) }, "Another draw");
  const back = element(
    "button.act",
    { type: "button", hidden: true, onclick: act(() => player.restore()) },
    "Back to its own path",
  );
  const savers = saversOf(player, undefined, ["GIF", "PNG", "SVG", "CSV"]);
  const controls = element(
    "div.controls",
    {},
    play,
    element("label.step", {}, slider, element("output", {}, words.step)),
    locations.element,
    another,
    back,
    savers.element,
  );
  const scene = new Scene();
  const stage = element(
    "div.stage",
    { tabindex: 0, role: "application", "aria-roledescription": "picture with glimpses" },
    scene.element,
  );
  const spoken = element("ol", {});
  const retina = new RetinaPanel();
  const belief = new BeliefPanel((glimpse) => player.guard(() => player.choose(glimpse)));
  const picturePart = element(
    "section.picture-part",
    {},
    element("h2", {}, "The picture", element("small", {}, words.how)),
    stage,
    element("div.hidden", {}, "The path: ", spoken),
  );
  const policyPart = element("p.policy-words", {}, words.policy);
  const changePart = element("p.change-words", { hidden: true }, words.change);
  const manyPart = element("p.many-words", { hidden: true }, words.many);
  const side = element("div.side", {}, retina.element, policyPart, manyPart, changePart);
  player.mount(parent, "glimpse-player", "glimpse_player", controls, picturePart, side, belief.element);
  return {
    words,
    play,
    slider,
    locations,
    another,
    back,
    savers,
    controls,
    scene,
    stage,
    spoken,
    retina,
    belief,
    picturePart,
    side,
    policyPart,
    manyPart,
    changePart,
    /** Take the available choices. */
    fill() {
      const { header, facts } = player;
      const has = (/** @type {string} */ name) => header.parts.includes(name);
      slider.max = String(facts.glimpses - 1);
      controls.hidden = !has("player");
      side.hidden = !has("retina");
      belief.element.hidden = !has("belief");
      savers.element.hidden = !has("saves");
      locations.element.hidden = another.hidden = header.policy === "fixed" || !player.canMove;
      player.root.classList.toggle("still", !has("player"));
      set(stage, "tabindex", has("player") ? "0" : "-1");
      set(stage, "role", has("player") ? "application" : "img");
      if (!has("player")) stage.removeAttribute("aria-roledescription");
      say(words.how, player.canMove ? HINTS.drag : "");
    },
    sayControls() {
      const { view, facts } = player;
      slider.value = String(view.glimpse);
      say(words.step, `glimpse ${view.glimpse + 1} of ${facts.glimpses}`);
      say(words.play, player.playing ? "Pause" : "Play");
      locations.show(view.locations);
      another.disabled = view.locations === "means";
      back.hidden = !view.moved.length;
    },
  };
}
