// A value per channel as a bar, in one strip or several, or its difference from that of the pinned answer. The
// interface is described in face.js; the option "groups" is the number of bars in each strip, "range" the range of
// their values.

import { css, packed } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { BarPlaces, paintBars, spanOf } from "../maps/bars.js";

/** @type {(canvas: HTMLCanvasElement, panel: any, answer: Answer, look: any) => any} */
export function draw(canvas, { options }, { map }, { before, theme }) {
  const context = context2d(canvas);
  const { width, height } = canvas;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = css(packed(theme.background));
  context.fillRect(0, 0, width, height);
  if (!map) return {};
  const then = before?.map?.length === map.length ? before.map : null;
  const values = Float64Array.from(map, (value, at) => value - (then ? then[at] : 0));
  const groups = options.groups ?? [values.length];
  const span = spanOf(then ? "signed" : (options.range ?? "signed"), values);
  const gap = Math.round(height / 40);
  const high = (height - gap * (groups.length - 1)) / groups.length;
  let first = 0;
  groups.forEach((count, row) => {
    const places = new BarPlaces({ count, width, height: high, ...span, widest: width });
    context.setTransform(1, 0, 0, 1, 0, Math.round(row * (high + gap)));
    paintBars(context, places, { values: values.subarray(first, first + count) }, theme);
    first += count;
  });
  const most = values.reduce((found, value) => Math.max(found, Math.abs(value)), 0);
  return { values, most };
}
