// A figure as a standalone page: its viewer, a slider over the layers of a model or the steps of a training, and a
// switch between light and dark colours. attnviz/figures/page.py writes the page, which needs no server or network.

import { element, text } from "../core/dom.js";
import { headerOf, withHeader } from "../core/payload.js";
import { fromBase85 } from "./base85.js";

/**
 * The page's description of a figure.
 * @typedef {{names: string[], steps: string, at: number, css: string}} About
 *   names: those of the layers; steps: the slider's label; at: index of the first shown layer; css: the viewer's styles
 */

/** @param {string} id */
const written = (id) => document.getElementById(id)?.textContent ?? "";

const PLANES = 4; // all first bytes of each group of four, then all second ones, ...: attnviz/figures/page.py

/** Decompress bytes that the page contains. @param {string} id @returns {Promise<Uint8Array>} */
async function bytesOf(id) {
  const packed = fromBase85(written(id));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = planes.length / PLANES;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0, from = 0; plane < PLANES; plane++)
    for (let at = plane, left = count; left > 0; at += PLANES, left--) bytes[at] = planes[from++];
  return bytes;
}

/** The viewer's payload for a layer: its own numbers, and the photograph that all layers share. */
async function payloadOf(number) {
  const [own, shared] = await Promise.all([bytesOf(`layer-${number}`), bytesOf("shared")]);
  const whole = new Uint8Array(own.length + shared.length);
  whole.set(own);
  whole.set(shared, own.length);
  return whole;
}

/**
 * The value of a word in the URL, where numbers count from 1; undefined for an invalid word.
 * @param {import("../core/url_fields.js").Field} field
 * @param {string} word
 */
export function meant({ kind, options }, word) {
  if (kind === "choice") return options.includes(word) ? word : undefined;
  if (kind === "head" && word === "mean") return word;
  const numbers = /^\d{1,6}(,\d{1,6})?$/.test(word) ? word.split(",").map((one) => Number(one) - 1) : [];
  if (kind === "head" || kind === "number") return numbers.length === 1 ? numbers[0] : undefined;
  return kind === "place" && numbers.length === 2 ? numbers : undefined;
}

/**
 * A payload that requests the view in the URL, if there is one.
 * @param {Uint8Array} bytes
 * @param {any} header
 */
function asLinked(bytes, { state, fields }) {
  const words = new URL(location.href).searchParams;
  const linked = fields
    .map((field) => [field.name, meant(field, words.get(field.name) ?? "")])
    .filter(([, value]) => value !== undefined);
  if (!linked.length) return bytes;
  const value = { ...state.view.value, ...Object.fromEntries(linked) };
  return withHeader(bytes, { state: { view: { ...state.view, value } } });
}

/**
 * The cell of a grid at the centre of another grid's cell; [-1, i] lies on no grid and is returned unchanged.
 * @param {number[]} place row and column
 * @param {{rows: number, columns: number}} from
 * @param {{rows: number, columns: number}} to
 */
export function carried([row, column], from, to) {
  if (row < 0) return [row, column];
  const on = (at, size, other) => Math.floor(((at + 0.5) / size) * other);
  return [on(row, from.rows, to.rows), on(column, from.columns, to.columns)];
}

/**
 * The payload of another layer, requesting the present view on that layer's grid.
 * @param {Uint8Array} bytes
 * @param {any} part the viewer, with the layer that it shows
 */
function onItsGrid(bytes, part) {
  const { header } = headerOf(bytes);
  const before = part?.header;
  if (!before?.state?.view || !header.state?.view) return bytes;
  const { view } = before.state;
  const same = before.rows === header.rows && before.columns === header.columns;
  if (same && view.revision === header.state.view.revision) return bytes;
  const places = header.fields.filter(({ kind }) => kind === "place").map(({ name }) => [name, part.view[name]]);
  const moved = places.map(([name, place]) => [name, place && carried(place, before, header)]);
  const value = { ...part.view, ...Object.fromEntries(moved) };
  const revision = same ? view.revision : view.revision + 1; // an unchanged view is not requested again
  return withHeader(bytes, { state: { view: { ...view, value, revision } } });
}

/**
 * Draw the figure of this page.
 * @param {(number: number, about: any) => (component: any) => unknown} mountOf returns the component that draws a layer
 */
export async function show(mountOf) {
  const page = /** @type {HTMLElement} */ (document.getElementById("figure"));
  /** @type {About} */
  const about = JSON.parse(written("about"));
  const { names } = about;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(about.css);
  /** @type {Map<unknown, HTMLElement>} the element of each drawn component */
  const hosts = new Map();
  const shadowOf = (mount) => {
    if (!hosts.has(mount)) {
      const made = element("div.host");
      made.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
      hosts.set(mount, made);
      page.append(made);
    }
    hosts.forEach((one, of) => (one.style.display = of === mount ? "" : "none")); // :host would override `hidden`
    return /** @type {ShadowRoot} */ (hosts.get(mount)?.shadowRoot);
  };
  const state = JSON.parse(written("state"));
  /** @type {Map<number, Promise<Uint8Array>>} */
  const kept = new Map();
  let wanted = about.at;
  const draw = async () => {
    const number = wanted;
    if (!kept.has(number))
      kept.set(
        number,
        payloadOf(number).then((bytes) => asLinked(bytes, state)),
      );
    const bytes = /** @type {Uint8Array} */ (await kept.get(number));
    if (number !== wanted) return; // the slider has moved on
    const mount = mountOf(number, about);
    const parentElement = shadowOf(mount);
    const data = onItsGrid(bytes, /** @type {any} */ (parentElement).attnviz);
    mount({ data, parentElement, setStateValue: () => {}, setTriggerValue: () => {} });
    page.dataset.shown = String(number);
  };
  const controls = element("div.figure-controls");
  if (names.length > 1) {
    const said = text(names[wanted]);
    const slider = element("input", {
      type: "range",
      id: "layer",
      min: "0",
      max: String(names.length - 1),
      value: String(wanted),
      "aria-valuetext": names[wanted],
      oninput: () => {
        wanted = Number(slider.value);
        said.textContent = names[wanted];
        slider.setAttribute("aria-valuetext", names[wanted]);
        draw();
      },
    });
    controls.append(element("label", { for: "layer" }, about.steps), slider, element("output", {}, said));
  }
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const other = text(isDark() ? "Light" : "Dark");
  const repaint = () => {
    other.textContent = isDark() ? "Light" : "Dark";
    draw();
  };
  const change = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    repaint();
  };
  controls.append(element("button", { type: "button", onclick: change }, other, " colours"));
  dark.addEventListener("change", repaint);
  page.append(controls);
  await draw();
}
