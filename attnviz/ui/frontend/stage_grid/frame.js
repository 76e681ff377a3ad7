// The elements of the stage grid, made once; stage_grid.js fills them and handles their events.

import { saversOf, SegmentedControl } from "../hands/controls.js";
import { element, say, set, text, texts } from "../core/dom.js";
import { HINTS } from "../hands/hints.js";
import { GridBoard } from "../maps/grid_board.js";
import { Legend } from "../maps/legend.js";
import { short } from "../core/numbers.js";
import { AnswerPanel } from "../live/answer.js";
import { term } from "../terms/terms.js";
import { isSwitched, LABELS, LEAST_EPS, missingRelevances, MOST_EPS } from "./view.js";
import { stepLines, StepsPanel } from "./pixel_steps.js";

/**
 * Make the elements.
 * @param {import("./stage_grid.js").StageGrid} grid handles their events
 * @param {ShadowRoot} parent the container
 * @returns {any} the elements and text nodes by name
 */
export function makeFrame(grid, parent) {
  const act = (name) => (value) => grid.guard(() => grid.choose(name, value));
  const words = texts("pictureHow", "insideTitle", "insideHow", "colourHow", "eps");
  const hand = (act) => ({ token }) => grid.guard(() => act.call(grid, grid.cells.place(token))); // prettier-ignore
  const hands = { look: hand(grid.look), take: hand(grid.take), passing: grid.passing };
  const picture = new GridBoard("picture", hands);
  const head = element("select", {
    "aria-label": "Head",
    onchange: () => act("head")(head.value === "mean" ? "mean" : Number(head.value)),
  });
  const segments = {
    channel: new SegmentedControl("Shown", LABELS.channel, act("channel")),
    scale: new SegmentedControl("Scale", LABELS.scale, act("scale")),
  };
  const legend = new Legend();
  const steps = new StepsPanel();
  // Next to the picture, where locks are visible.
  const release = element(
    "button.quiet",
    { type: "button", hidden: true, title: HINTS.release, onclick: () => grid.guard(() => grid.release()) },
    "release",
  );
  const savers = saversOf(grid, { copy: () => stepLines(grid.found).join("\n"), link: () => grid.url.link() });
  const wallHolder = element("div");
  const insideHolder = element("div");
  const answer = new AnswerPanel();
  const answerHow = text();
  const switching = makeSwitches(grid, act, words);
  const headLabel = element("span.head", {}, term("attention-head", "Head"), head);
  const controls = element(
    "div.controls",
    {},
    headLabel,
    segments.channel.element,
    segments.scale.element,
    savers.element,
  );
  const insidePart = element(
    "details.inside-part",
    { ontoggle: () => insidePart.open !== grid.view?.inside && act("inside")(insidePart.open) },
    element("summary", {}, words.insideTitle, element("small", {}, words.insideHow)),
    insideHolder,
  );
  grid.mount(
    parent,
    "stage-grid",
    "stage_grid",
    controls,
    element(
      "section.picture-part",
      {},
      element("h2", {}, "The picture"),
      element("p.how", {}, element("span", {}, words.pictureHow), release),
      picture.element,
      element(
        "section.answer-part",
        { "aria-label": "The answer" },
        element("h2", {}, "The answer", element("small", {}, answerHow)),
        answer.holder,
      ),
    ),
    element(
      "section.stages-part",
      {},
      wallHolder,
      element("div.colours", {}, legend.element, element("p.colour-how", {}, words.colourHow)),
    ),
    steps.element,
    switching.element,
    insidePart,
  );
  const frame = {
    words,
    picture,
    head,
    segments,
    legend,
    release,
    steps,
    savers,
    wallHolder,
    insideHolder,
    insidePart,
    answer,
    answerHow,
    controls,
    headLabel,
    switching,
    /** Take the available choices. */
    fill({ layers, header, coloured, view }) {
      const count = layers[0].heads;
      head.replaceChildren(
        ...Array.from({ length: count }, (_, i) => new Option(`${i + 1}`, String(i))),
        ...(count > 1 ? [new Option("mean", "mean")] : []),
      );
      headLabel.hidden = count === 1;
      segments.channel.element.hidden = !coloured;
      switching.fill(grid);
      insidePart.hidden = !header.inside;
      savers.element.hidden = !header.saves;
      frame.sayControls({ view });
    },
    sayControls({ view }) {
      head.value = String(view.head);
      segments.channel.show(view.channel);
      segments.scale.show(view.scale);
      insidePart.open = view.inside;
      switching.show(grid);
    },
  };
  return frame;
}

const FEW_HEADS = 16; // if all layers have at most this many heads, they are shown at first

/** Whether the window is as narrow as a phone. */
const phone = () => matchMedia("(max-width: 640px)").matches;

/** "What if?": the switches; the page decides which exist. */
function makeSwitches(grid, act, words) {
  const relevance = new SegmentedControl(term("relevance-map", "Relevance"), LABELS.relevance, act("relevance"));
  const skip = new SegmentedControl(term("skip-connection", "Skip"), { yes: "On", no: "Off" }, (value) =>
    act("skip")(value === "yes"),
  );
  const [least, most] = [Math.log10(LEAST_EPS), Math.log10(MOST_EPS)];
  const slider = element("input", {
    type: "range",
    min: least,
    max: most,
    step: 0.1,
    "aria-label": "eps of the relevance\u2019s norm",
    oninput: () =>
      act("eps")(Math.min(MOST_EPS, Math.max(LEAST_EPS, Number((10 ** Number(slider.value)).toPrecision(3))))),
  });
  const eps = element("label.eps", {}, element("span", {}, "eps "), slider, element("output", {}, words.eps));
  const heads = element("div.heads");
  const headsPart = element("details.heads-part", {}, element("summary", {}, "Heads of each layer, on and off"), heads);
  const restore = element(
    "button.quiet",
    { type: "button", onclick: () => grid.guard(() => grid.restore()) },
    "as trained",
  );
  const made = element(
    "section.what-if",
    { "aria-label": "What if?" },
    element("h2", {}, "What if\u2026", element("small", {}, "the stages and the answer follow immediately"), restore),
    element("div.row", {}, relevance.element, skip.element, eps, headsPart),
  );
  /** @type {HTMLElement[][]} of each layer */
  let buttons = [];
  return {
    element: made,
    slider,
    fill({ header, layers, view }) {
      const has = (name) => header.switches.includes(name);
      made.hidden = !header.switches.length;
      relevance.element.hidden = !has("relevance");
      skip.element.hidden = !has("skip") || !layers.some((layer) => layer.skip);
      eps.hidden = !has("eps") || !layers[0].norm;
      headsPart.hidden = !has("heads");
      headsPart.open = view.off.length > 0 || (layers.length * layers[0].heads <= FEW_HEADS && !phone());
      buttons = layers.map(({ heads: count }, layer) =>
        Array.from({ length: count }, (_, head) =>
          element(
            "button.chip",
            { type: "button", onclick: () => grid.guard(() => grid.switchHead(layer, head)) },
            String(head + 1),
          ),
        ),
      );
      heads.replaceChildren(
        ...buttons.map((ofLayer, layer) =>
          element(
            "div.of-layer",
            {},
            element("span", {}, `Heads of layer ${layer + 1}`),
            element("div.chips", { role: "group", "aria-label": `Heads of layer ${layer + 1}` }, ...ofLayer),
          ),
        ),
      );
    },
    show({ view, layers, arrays }) {
      relevance.show(view.relevance, missingRelevances(arrays));
      skip.show(view.skip ? "yes" : "no");
      const eps = view.eps ?? layers[0].norm?.eps ?? 1;
      slider.value = String(Math.log10(eps));
      set(slider, "aria-valuetext", short(eps, 2));
      say(words.eps, short(eps, 2));
      buttons.forEach((ofLayer, layer) =>
        ofLayer.forEach((button, head) => {
          const off = view.off.some(([of, which]) => of === layer && which === head);
          set(button, "aria-pressed", String(!off));
          set(button, "aria-label", `Head ${head + 1} of layer ${layer + 1}, ${off ? "off" : "on"}`);
          set(button, "title", off ? HINTS.turnOn : HINTS.turnOff);
        }),
      );
      restore.hidden = !isSwitched(view);
    },
  };
}
