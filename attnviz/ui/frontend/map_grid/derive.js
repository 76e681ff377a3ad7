// The contents of a grid of maps, derived from its data: the available scales, and the colours of each map. It does not
// access the page.

import { extent } from "../maps/extremes.js";
import { makeScale, TOP, toIndices } from "../core/colours.js";
import { inkEdge } from "../maps/cells.js";

/**
 * The available scales.
 * @param {any} header
 * @param {number} count number of maps
 * @returns {Record<string, boolean>}
 */
export function choicesOf({ role, fixed, scale, bounds }, count) {
  if (role === "own" || fixed) return { [scale]: true };
  const own = count > 1 && role !== "ink";
  return { share: role === "share", all: true, map: own, pictures: bounds !== null };
}

/**
 * A scale for each map.
 * @param {any} header
 * @param {Float64Array} maps
 * @param {number} tokens of a map
 * @param {string} scale the chosen one
 * @returns {Scale[]}
 */
export function scalesOf({ role, bounds }, maps, tokens, scale) {
  const whole = extent(maps, 0, maps.length);
  return Array.from({ length: maps.length / tokens }, (_, tile) => {
    if (role === "ink") return makeScale("ink");
    if (scale === "share") return makeScale("share");
    if (role === "unit" && scale === "all") return makeScale("unit");
    const { high, low, most } = scale === "map" ? extent(maps, tile * tokens, tokens) : whole;
    if (role === "own") return makeScale("own", high, low);
    const end = scale === "pictures" ? Math.max(...bounds.map(Math.abs)) : most;
    return makeScale(role === "signed" ? "signed" : "positive", end);
  });
}

/**
 * The colours of all maps, and the marks that their legend needs.
 * @param {Scale[]} scales
 * @param {Float64Array} maps
 * @param {any} logs of the maps, for shares
 * @param {number} tokens of a map
 * @param {number} even the number of cells that define an even share
 */
export function coloursOf(scales, maps, logs, tokens, even) {
  const indices = new Uint16Array(maps.length);
  scales.forEach((scale, tile) => {
    const share = scale.kind === "share";
    toIndices(share ? logs : maps, tile * tokens, tokens, scale, indices, share ? Math.log(even) : 0);
  });
  return { indices, marks: [1, 2, 3].map((mark) => indices.includes(TOP + mark)) };
}

/** The edge of the ink on each map: of one picture for all, or of a picture for each. @returns {InkEdge[]} */
export function edgesOf({ role }, picture, ofEach, { rows, columns, tokens }, count) {
  if (!picture || role === "ink") return Array(count).fill([]);
  const edge = (tile) => inkEdge(picture.subarray(tile * tokens, (tile + 1) * tokens), rows, columns);
  const one = edge(0);
  return Array.from({ length: count }, (_, tile) => (ofEach && tile ? edge(tile) : one));
}

/** The values for lessons. @param {import("./words.js").Said} said */
export function declaredOf(said) {
  const { shown, cells, chosen, count } = said;
  const map = chosen ?? (count === 1 ? 0 : null);
  const cell = shown < 0 ? [] : cells.place(shown).map((part) => part + 1);
  return {
    maps: count,
    ...(map === null ? {} : { map: map + 1 }),
    ...(shown < 0 ? {} : { cell: cell.join() }),
    ...(shown < 0 || map === null ? {} : { value: said.value(map) }),
  };
}
