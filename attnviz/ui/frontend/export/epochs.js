// A training as pictures: the component at each epoch, as an animation and as a strip.

import { context2d } from "../core/dom.js";
import { fileNameOf, save } from "./export.js";
import { toGif } from "./gif.js";
import { toCanvas, withText } from "./sheet.js";

const [EACH, LAST] = [600, 2400]; // milliseconds per frame
const WIDEST = 1000; // pixels per frame
const STRIP = 6000; // maximum length of a strip, pixels
const BAND = 26; // pixels above each picture, for its epoch
const MARGIN = 16;

/**
 * One epoch: its sheet, as described in sheet.js, and its title.
 * @typedef {{sheet: any, title: string}} Frame
 */

/** Save the epochs as an animated GIF. @param {Frame[]} frames @param {string} name of the file, without its ending */
export function saveGif(frames, name) {
  const canvases = framed(frames, WIDEST);
  const [width, height] = largest(canvases);
  const pixels = canvases.map((canvas) => {
    const context = context2d(filled(width, height, frames[0].sheet.background));
    context.drawImage(canvas, 0, 0);
    return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  });
  const gif = toGif({
    width,
    height,
    frames: pixels.map((one, at) => ({ pixels: one, delay: at < frames.length - 1 ? EACH : LAST })),
    comment: JSON.stringify(originOf(frames)).replace(/[^\x20-\x7e]/g, "?"),
  });
  save(`${name}.gif`, /** @type {BlobPart} */ (gif), "image/gif");
}

/** Save the epochs side by side as a PNG. @param {Frame[]} frames @param {string} name */
export async function saveStrip(frames, name) {
  const canvases = framed(frames, STRIP / frames.length);
  const [width, height] = largest(canvases);
  const strip = filled(width * canvases.length, height, frames[0].sheet.background);
  canvases.forEach((canvas, at) => context2d(strip).drawImage(canvas, at * width, 0));
  const blob = await new Promise((done) => strip.toBlob(done, "image/png"));
  const png = withText(new Uint8Array(await blob.arrayBuffer()), "Description", JSON.stringify(originOf(frames)));
  save(`${name}.png`, png, "image/png");
}

/** The name of a file of all epochs, from a component's file name, which ends with one epoch. @param {string} name */
export function nameOf(name) {
  return fileNameOf(name.replace(/^attnviz-/, ""), "epochs");
}

/** The origin of the pictures: that of the last one, with all epochs. @param {Frame[]} frames */
function originOf(frames) {
  return { ...frames[frames.length - 1].sheet.origin, epochs: frames.map(({ title }) => title).join(", ") };
}

/** Each epoch on a canvas, its title above it. @param {Frame[]} frames @param {number} most maximum width, pixels */
function framed(frames, most) {
  return frames.map(({ sheet, title }) => {
    const picture = toCanvas(sheet, Math.min(1, most / sheet.width));
    const context = context2d(filled(picture.width, picture.height + BAND, sheet.background));
    context.fillStyle = sheet.ink;
    context.font = "600 15px 'Source Sans', 'Source Sans 3', sans-serif";
    context.fillText(title, MARGIN, BAND - 9);
    context.drawImage(picture, 0, BAND);
    return context.canvas;
  });
}

/** @param {HTMLCanvasElement[]} canvases @returns {[number, number]} */
function largest(canvases) {
  return [Math.max(...canvases.map(({ width }) => width)), Math.max(...canvases.map(({ height }) => height))];
}

/** A canvas of one colour. @param {number} width @param {number} height @param {string} colour */
function filled(width, height, colour) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = context2d(canvas);
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  return canvas;
}
