// The texts of the stage grid: captions, ranges, the steps of one pixel, and sentences for screen readers.

import { css } from "../core/colours.js";
import { say } from "../core/dom.js";
import { HINTS } from "../hands/hints.js";
import { column, ofValues, percent, short, times } from "../core/numbers.js";
import { colourOf, evenShare, INSIDE, isInColour, planeOf } from "./derive.js";
import { PER_HEAD, sharesSum } from "./stages.js";
import { CHANNELS, isSwitched } from "./view.js";
import { STEPS } from "./pixel_steps.js";

export const STAGE_NAMES = {
  ...Object.fromEntries(STEPS.map(([tap, name]) => [tap, name])),
  x_weights: "x weights",
  y_weights: "y weights",
  normed_relevance: "normed",
};

/** Write all words next to the maps. @param {import("./stage_grid.js").StageGrid} grid */
export function sayAll(grid) {
  const { view, wall, frame, at, columns, coloured, found, head, tile } = grid;
  const inColour = isInColour(grid);
  const channel = coloured ? ` \u00b7 ${CHANNELS[planeOf(view)]} channel` : "";
  const strongest = view.head === "mean" ? ", the strongest here" : "";
  const place = `row ${at[0] + 1}, column ${at[1] + 1}${channel}`;
  const where = `${place} \u00b7 layer ${view.layer + 1}, head ${head + 1}${strongest}`;
  frame.steps.say(found, {
    where,
    step: columns[tile % columns.length],
    kernel: grid.layers[0].kernel,
    colour: (value) => css(colourOf(grid.palettes.signed, value)),
  });
  say(frame.words.pictureHow, view.pixel ? "locked" : HINTS.lock);
  frame.release.hidden = view.pixel === null;
  const tight = (wall.wide ?? Infinity) < 84; // a map this narrow has no space for two numbers
  grid.tiles.forEach(({ extent: { low, high, most }, scale }, number) => {
    // A number much smaller than the largest is shown as 0: its digits do not fit.
    const end = (value) => (Math.abs(value) < most / 100 ? "0" : short(value, 2));
    const spread = tight
      ? low >= 0
        ? `to ${short(most, 2)}`
        : `\u00b1 ${short(most, 2)}`
      : `${end(low)}\u2026${end(high)}`;
    const text =
      most === 0
        ? "all 0"
        : inColour || view.scale === "all"
          ? spread
          : low >= 0
            ? `0 to ${n(scale.high)}`
            : `\u00b1 ${n(scale.high)}`;
    wall.sayRange(number, text);
  });
  wall.mark(tile);
  const part = (value) => (value < 1 ? percent(value) : `${(100 * value).toFixed(0)} %`);
  grid.cut.forEach((share, layer) =>
    wall.sayLayer(
      layer,
      `before conv: ${part(grid.gain[layer])} of the input\u2019s strength \u00b7 ReLU sets ${ofValues(share)} to 0`,
    ),
  );
  const { extent: own, scale } = grid.tiles[tile];
  frame.legend.element.hidden = inColour;
  frame.legend.colour(grid.palettes[scale.palette]);
  frame.legend.say(
    scale,
    view.scale === "all"
      ? "one scale for all maps"
      : `the scale of layer ${view.layer + 1}, ${STAGE_NAMES[columns[tile % columns.length]]}; each map has its own`,
  );
  frame.legend.point(grid.valueAt(tile) - evenShare(columns[tile % columns.length], grid.layers[view.layer]), scale);
  say(frame.words.colourHow, inColour ? colourWords(view, own) : "");
  sayInside(grid);
  grid.whenResting(() => sayAtRest(grid, where));
}

/**
 * The meaning of maps drawn in colour.
 * @param {{scale: string}} view
 * @param {{low: number, high: number}|null} own the range of a map's colours; null for no particular map
 */
export function colourWords({ scale }, own) {
  if (!own) return "In colour: red, green and blue, each map from its lowest to its highest value.";
  const whose = scale === "all" ? "one scale for all maps" : "each map its own";
  return `In colour: red, green and blue from ${n(own.low)} to ${n(own.high)}, ${whose}.`;
}

/**
 * The use of the relevance in a model without a norm, or with a replacement: it does not follow from shares.
 * @param {{norm: any, replaced: boolean, factor: number|null}} found the steps of a pixel
 */
export function normedHow({ norm, replaced, factor }) {
  if (replaced) return " \u00b7 normed: replaced, not computed from them";
  return norm || factor === 1 ? "" : " \u00b7 normed: times the number of positions";
}

function sayInside(grid) {
  const { view, inside, insideMaps, cells, at, layers, frame, head, found } = grid;
  const token = cells.at(at);
  const layer = layers[view.layer];
  if (grid.showsInside)
    INSIDE.forEach((tap, tile) => {
      const value = insideMaps[tile].values[token];
      const even = evenShare(tap, layer);
      inside.say(tile, even ? `${times(value / even)}\u00d7` : column(value));
    });
  say(frame.words.insideTitle, `Inside head ${head + 1} of layer ${view.layer + 1}`);
  say(
    frame.words.insideHow,
    `the learnt weights, and the shares for this picture: ${sharesSum(grid.placement.block)}${normedHow(found)}`,
  );
}

/** Write the words that can wait until the pointer rests. */
function sayAtRest(grid, where) {
  const { wall, columns, layers, cells, frame, inside, insideMaps, view, found, at } = grid;
  grid.tiles.forEach(({ extent: { low, high } }, number) => {
    const layer = Math.floor(number / columns.length);
    const tap = columns[number % columns.length];
    const whose = PER_HEAD.includes(tap)
      ? `, ${view.head === "mean" ? `mean of ${layers[layer].heads} heads` : `head ${view.head + 1}`}`
      : "";
    wall.name(
      number,
      `Layer ${layer + 1}, ${STAGE_NAMES[tap]}${whose}: ${short(low, 3)} to ${short(high, 3)}; at row ` +
        `${at[0] + 1}, column ${at[1] + 1}: ${short(grid.valueAt(number))}.`,
    );
  });
  if (grid.showsInside)
    INSIDE.forEach((tap, tile) => {
      const { values } = insideMaps[tile];
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const even = evenShare(tap, layers[view.layer]);
      inside.sayRange(
        tile,
        even ? `${times(low / even)} to ${times(high / even)} \u00d7 even` : `${n(low)} to ${n(high)}`,
      );
    });
  const summary =
    `At ${where}: ${short(found.input)} comes in, the relevance is ${short(found.relevance)}, ` +
    `${times(found.evenShare)} times an even share, ${short(found.output)} comes out.`;
  const picture = `The picture, ${cells.rows} rows, ${cells.columns} columns. ${summary}`;
  frame.picture.say(picture, cells, cells.at(at), where);
  grid.announceDone(() => summary + (isSwitched(view) ? ` ${grid.answer.summary()}` : ""));
}

function n(value) {
  return Math.abs(value) >= 0.01 && Math.abs(value) < 1000 ? short(value, 3) : short(value, 2);
}
