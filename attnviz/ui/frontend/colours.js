// From a value to a colour. Every map of colours is walked in equal steps of OKLab, so equal differences look equal;
// blue is more and brown is less, which colour-blind people tell apart; the middle is the page's own background.
// (OKLab: Bjorn Ottosson, "A perceptual color space for image processing", 2020, https://bottosson.github.io/posts/oklab/)

/** Indices of a palette: 0..TOP are colours, then the marks of what is no number on the scale. */
export const TOP = 254;
export const NOT_A_NUMBER = 255;
export const INFINITE = 256;
export const MASKED = 257;
const MIDDLE = TOP / 2;

// Lightness 0..1, chroma, hue in degrees: through which colour an arm bends, and where it ends. *More* must catch the
// eye in both themes, so its arm ends further from the background than that of *less*.
const ARMS = {
  light: { more: [[0.66, 0.15, 245], [0.27, 0.09, 262]], less: [[0.9, 0.06, 80], [0.69, 0.09, 62]] },
  dark: { more: [[0.5, 0.17, 250], [0.96, 0.035, 225]], less: [[0.28, 0.05, 65], [0.44, 0.085, 60]] },
};

/**
 * The colours of Streamlit's theme as it is now.
 * @param {Element} element anything below the component's wrapper
 * @returns {{dark: boolean, background: number[], panel: number[], text: number[], line: number[], orange: number[],
 *   blue: number[], green: number[], edge: number[]}} red, green, blue in 0..255
 */
export function readTheme(element) {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const read = (name, otherwise) => {
    probe.style.color = otherwise;
    probe.style.color = `var(--st-${name}, ${otherwise})`;
    return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  };
  const theme = {
    background: read("background-color", "white"),
    panel: read("secondary-background-color", "white"),
    text: read("text-color", "black"),
    line: read("border-color", "silver"),
    orange: read("orange-color", "darkorange"),
    blue: read("blue-color", "steelblue"),
    green: read("green-color", "seagreen"),
  };
  probe.remove();
  const dark = lab(theme.background)[0] < 0.5;
  // The edge of the ink: to be seen when looked for, behind the map otherwise.
  const edge = theme.text.map((part, i) => part + (dark ? 0.4 : 0.2) * (theme.background[i] - part));
  return { ...theme, dark, edge };
}

/**
 * The palettes of a theme, each TOP + 4 packed colours for a pixel buffer.
 * @param {object} theme from `readTheme`
 * @returns {{diverging: Uint32Array, sequential: Uint32Array, ink: Uint32Array}}
 */
export function palettes(theme) {
  const { more, less } = ARMS[theme.dark ? "dark" : "light"];
  const up = arm(theme.background, more);
  const down = arm(theme.background, less);
  const ink = arm(theme.dark ? theme.panel : [255, 255, 255], null, theme.text);
  return {
    diverging: palette(theme, (at) => (at < MIDDLE ? down(1 - at / MIDDLE) : up(at / MIDDLE - 1))),
    sequential: palette(theme, (at) => up(at / TOP)),
    ink: palette(theme, (at) => ink(at / TOP)),
  };
}

/** A colour as a pixel buffer holds it (Uint32 over RGBA bytes, little-endian). */
export function packed([red, green, blue]) {
  return (255 << 24 | Math.round(blue) << 16 | Math.round(green) << 8 | Math.round(red)) >>> 0;
}

/** A packed colour as CSS writes it. */
export function css(colour) {
  return `#${[colour, colour >> 8, colour >> 16].map((part) => (part & 255).toString(16).padStart(2, "0")).join("")}`;
}

/**
 * What the ends of a scale are and how they are said.
 * @param {"share"|"signed"|"positive"|"unit"|"ink"|"own"} kind share: log2 of the multiple of an even share, from -4 to +4;
 *   signed: centred on zero; positive: from zero; unit: 0..1; ink: 0..1 in the picture's own greys; own: from `low` to
 *   `bound` in those greys
 * @param {number} bound the largest absolute value of the scale ("signed" and "positive"), or the highest ("own")
 * @param {number} low the lowest value ("own"); where it is the highest too, all lies at the lower end
 */
export function makeScale(kind, bound = 1, low = 0) {
  if (kind === "own") return { kind, palette: "ink", low, high: bound > low ? bound : low + 1, flat: !(bound > low) };
  if (kind === "share") return { kind, palette: "diverging", low: -4, high: 4 };
  if (kind === "signed") return { kind, palette: "diverging", low: -(bound || 1), high: bound || 1 };
  if (kind === "positive") return { kind, palette: "sequential", low: 0, high: bound || 1 };
  return { kind, palette: kind === "ink" ? "ink" : "sequential", low: 0, high: 1 };
}

/**
 * Where values lie on a scale.
 * @param {Float64Array} values on a scale "share": the natural logarithm of the multiple of an even share, less `shift`
 * @param {number} start first of the values
 * @param {number} count how many
 * @param {{kind: string, low: number, high: number}} scale
 * @param {Uint16Array} indices written, at the same places: 0..TOP or one of the marks
 * @param {number} shift added to each value ("share": the logarithm of the number of tokens)
 */
export function toIndices(values, start, count, scale, indices, shift = 0) {
  const factor = TOP / (scale.high - scale.low) / (scale.kind === "share" ? Math.LN2 : 1);
  const zero = shift * factor - scale.low * (TOP / (scale.high - scale.low)) + 0.5;
  const infinitelyLow = scale.kind === "share" ? 0 : MASKED;
  for (let at = start; at < start + count; at++) {
    const value = values[at];
    const place = value * factor + zero;
    if (place >= 0 && place <= TOP + 0.5) indices[at] = place;
    else if (value - value === 0) indices[at] = place < 0 ? 0 : TOP;
    else indices[at] = value !== value ? NOT_A_NUMBER : value > 0 ? INFINITE : infinitelyLow;
  }
}

/** Where one value lies on a scale, 0..1, for the pointer of a legend; a plain weight times tokens on "share". */
export function position(value, scale) {
  const shown = scale.kind === "share" ? Math.log2(value) : value;
  return Math.min(1, Math.max(0, (shown - scale.low) / (scale.high - scale.low)));
}

// Below: OKLab.

function palette(theme, colourAt) {
  const colours = new Uint32Array(TOP + 4);
  for (let at = 0; at <= TOP; at++) colours[at] = packed(colourAt(at));
  colours[MIDDLE] = packed(colourAt(MIDDLE));
  colours[NOT_A_NUMBER] = colours[INFINITE] = colours[MASKED] = packed(theme.background);
  return colours;
}

/** A path from one colour to another, bent through a third, walked in equal steps. */
function arm(start, ends, last = null) {
  const from = lab(start);
  const to = last ? lab(last) : polar(ends[1]);
  const through = ends ? polar(ends[0]) : from.map((part, i) => (part + to[i]) / 2);
  const steps = 256;
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const t = step / steps;
    return from.map((part, i) => (1 - t) ** 2 * part + 2 * t * (1 - t) * through[i] + t * t * to[i]);
  });
  const lengths = [0];
  for (let i = 1; i <= steps; i++) lengths.push(lengths[i - 1] + Math.hypot(...points[i].map((part, j) => part - points[i - 1][j])));
  return (t) => {
    const length = t * lengths[steps];
    const next = Math.max(1, lengths.findIndex((reached) => reached >= length - 1e-9));
    const part = (length - lengths[next - 1]) / (lengths[next] - lengths[next - 1] || 1);
    return rgb(points[next].map((value, i) => points[next - 1][i] + part * (value - points[next - 1][i])));
  };
}

function polar([lightness, chroma, hue]) {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

function lab(colour) {
  const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function rgb([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => {
    const clipped = Math.min(1, Math.max(0, part));
    return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055);
  });
}
