// The elements of the pixel viewer, made once; pixel_viewer.js fills them and handles their events.

import { saversOf, SegmentedControl } from "../hands/controls.js";
import { element, texts } from "../core/dom.js";
import { HINTS } from "../hands/hints.js";
import { GridBoard } from "../maps/grid_board.js";
import { Legend } from "../maps/legend.js";
import { AnswerPanel } from "../live/answer.js";
import { term } from "../terms/terms.js";
import { PairPanel } from "./pair.js";
import { copyText } from "./words.js";
import { LABELS } from "./view.js";

const TITLES = { show: "Show", direction: "Direction", scale: "Scale", map: "Map" };

/**
 * Make the elements.
 * @param {import("./pixel_viewer.js").Viewer} viewer handles their events
 * @param {ShadowRoot} parent the container
 * @returns {any} the elements and text nodes by name
 */
export function makeFrame(viewer, parent) {
  const act = (name) => (value) => viewer.guard(() => viewer.choose(name, value));
  const segments = Object.fromEntries(
    Object.entries(LABELS).map(([name, choices]) => [name, new SegmentedControl(TITLES[name], choices, act(name))]),
  );
  const words = texts("pictureHow", "headTitle", "headHow", "wallTitle", "wallHow");
  const board = (name, look, take) => {
    const hand = (act) => ({ token }) => viewer.guard(() => act.call(viewer, token)); // prettier-ignore
    const find = (found) => viewer.tokenAt(name === "picture", found);
    return new GridBoard(name, { look: hand(look), take: hand(take), passing: viewer.passing, find });
  };
  const picture = board("picture", viewer.look, viewer.take);
  const large = board("large", viewer.lookAtMap, viewer.takeOnMap);
  const headChoice = element("select", {
    "aria-label": "Head",
    onchange: () => act("head")(headChoice.value === "mean" ? "mean" : Number(headChoice.value)),
  });
  const headTerm = element("span", {}, term("attention-head", "Head"));
  const legend = new Legend();
  const answer = new AnswerPanel({ ticks: false });
  const pair = new PairPanel({
    lit: (step) => viewer.guard(() => viewer.light(step)),
  });
  // Next to the picture, where locks are visible.
  const release = element(
    "button.quiet.release",
    { type: "button", hidden: true, title: HINTS.release, onclick: () => viewer.guard(() => viewer.release(true)) },
    "release",
  );
  const [wallHolder, jacobianHolder] = [element("div"), element("div")];
  const savers = saversOf(viewer, { copy: () => copyText(viewer), link: () => viewer.url.link() });

  const title = (...inside) => element("h2", {}, ...inside);
  const how = (node) => element("small", {}, node);
  const controls = element("div.controls", {}, ...Object.values(segments).map((one) => one.element));
  const wallTitle = title(words.wallTitle, how(words.wallHow), savers.element);
  viewer.mount(
    parent,
    "viewer",
    "pixel_viewer",
    controls,
    element(
      "section.picture-part",
      {},
      title("The picture", how(words.pictureHow), release),
      picture.element,
      answer.holder,
    ),
    element(
      "section.head-part",
      {},
      title(headTerm, words.headTitle, headChoice, how(words.headHow)),
      large.element,
      legend.element,
      jacobianHolder,
    ),
    pair.element,
    element("section.wall-part", {}, wallTitle, wallHolder),
    element(
      "details.more-maps",
      {},
      element("summary", {}, "Query, key, value and output, as maps"),
      viewer.qkvMaps.element,
    ),
  );
  let written = ""; // filled by the controls
  return {
    segments,
    words,
    headTerm,
    picture,
    large,
    headChoice,
    legend,
    answer,
    release,
    pair,
    wallHolder,
    jacobianHolder,
    wallTitle,
    controls,
    savers,
    /** Show a view in the controls. */
    sayControls(view) {
      const state = [view.show, view.direction, view.scale, view.head, view.map].join();
      if (state === written) return;
      written = state;
      const plain = view.show === "weights";
      segments.show.show(view.show);
      segments.direction.show(view.direction);
      segments.map.show(view.map);
      segments.scale.show(!plain && view.scale === "share" ? "all" : view.scale, [], plain ? [] : ["share"]);
      headChoice.value = String(view.head);
    },
    /** Reset the controls after a change of the available choices. */
    forgetControls() {
      written = "";
    },
  };
}
