// From a value to a colour. The colours are those of Streamlit's theme (.streamlit/config.toml): violet is above and
// grey below an even share, ochre is below zero, and the middle is the page's own colour. A scale runs from there
// through the background colour of its name, halfway, to the colour of its name, in straight lines in OKLab. ( Bjorn
// Ottosson, "A perceptual color space for image processing", 2020, https://bottosson.github.io/posts/oklab/)

/** Indices of a palette: 0..TOP are colours, followed by the marks of values that are not on the scale. */
export const TOP = 254;
export const NOT_A_NUMBER = 255;
export const INFINITE = 256;
export const MASKED = 257;
const MIDDLE = TOP / 2;

// Streamlit's names for the colours of a theme, and substitutes for those that it leaves out.
const THEME = {
  "background-color": "white",
  "secondary-background-color": "white",
  "text-color": "black",
  "border-color": "silver",
  "orange-color": "darkorange",
  "blue-color": "steelblue",
  "green-color": "seagreen",
  "violet-background-color": "mediumpurple",
  "violet-color": "indigo",
  "gray-background-color": "whitesmoke",
  "gray-color": "gainsboro",
  "yellow-background-color": "wheat",
  "yellow-color": "goldenrod",
};

/**
 * The present colours of Streamlit's theme.
 * @param {Element} element anything below the component's wrapper
 * @returns {{dark: boolean, background: number[], panel: number[], text: number[], line: number[], orange: number[],
 *   blue: number[], green: number[], edge: number[], violet: number[][], gray: number[][], yellow: number[][]}} red,
 *   green, blue in 0..255; violet, gray and yellow have two colours each: halfway, and at the end of a scale
 */
export function readTheme(element) {
  // All are set before the first is read, so that the browser computes styles once rather than fourteen times.
  const probe = document.createElement("span");
  probe.hidden = true;
  const probed = Object.entries(THEME).map(([name, otherwise]) => {
    const one = document.createElement("span");
    one.style.color = otherwise;
    one.style.color = `var(--st-${name}, ${otherwise})`;
    probe.append(one);
    return /** @type {const} */ ([name, one]);
  });
  element.append(probe);
  const found = Object.fromEntries(
    probed.map(([name, one]) => [
      name,
      getComputedStyle(one)
        .color.split(/[^\d.]+/)
        .filter(Boolean)
        .map(Number),
    ]),
  );
  probe.remove();
  /** @param {string} name @param {number[]|null} under the colour below a translucent one */
  const read = (name, under = null) => {
    const [red, green, blue, opacity = 1] = found[name];
    return [red, green, blue].map((part, i) => (under ? under[i] + opacity * (part - under[i]) : part));
  };
  const background = read("background-color");
  // A theme without a background colour gets a translucent one.
  const arm = (name) => [read(`${name}-background-color`, background), read(`${name}-color`)];
  const theme = {
    background,
    panel: read("secondary-background-color"),
    text: read("text-color"),
    line: read("border-color"),
    orange: read("orange-color"),
    blue: read("blue-color"),
    green: read("green-color"),
    violet: arm("violet"),
    gray: arm("gray"),
    yellow: arm("yellow"),
  };
  const dark = lab(background)[0] < 0.5;
  // The edge of the ink: visible if you look for it, otherwise behind the map.
  const edge = theme.text.map((part, i) => part + (dark ? 0.4 : 0.2) * (background[i] - part));
  return { ...theme, dark, edge };
}

/**
 * The palettes of a theme, each TOP + 4 packed colours for a pixel buffer.
 * @param {Theme} theme from `readTheme`
 * @returns {{share: Uint32Array, signed: Uint32Array, positive: Uint32Array, ink: Uint32Array}} share: below and above
 *   an even share; signed: below and above zero; positive: from zero up; ink: the greys of a picture
 */
export function palettes(theme) {
  const [more, less, below] = [theme.violet, theme.gray, theme.yellow].map((arm) => path(theme.background, ...arm));
  const ink = path(theme.dark ? theme.panel : [255, 255, 255], theme.text);
  const around = (down) => (at) => (at < MIDDLE ? down(1 - at / MIDDLE) : more(at / MIDDLE - 1));
  return {
    share: palette(theme, around(less)),
    signed: palette(theme, around(below)),
    positive: palette(theme, (at) => more(at / TOP)),
    ink: palette(theme, (at) => ink(at / TOP)),
  };
}

/** A colour packed for a pixel buffer (Uint32 over RGBA bytes, little-endian). @param {number[]} colour */
export function packed([red, green, blue]) {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}

/** A packed colour in CSS notation. */
export function css(colour) {
  return `#${[colour, colour >> 8, colour >> 16].map((part) => (part & 255).toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The ends of a scale and how they are written.
 * @param {"share"|"signed"|"excess"|"positive"|"unit"|"ink"|"own"} kind share: log2 of the multiple of an even share,
 *   from -4 to +4; signed: centred on zero; excess: the difference from an even share; positive: from zero; unit: 0..1;
 *   ink: 0..1 in the picture's own greys; own: from `low` to `bound` in those greys
 * @param {number} bound the largest absolute value of the scale ("signed", "excess" and "positive"), or the highest
 *   ("own")
 * @param {number} low the lowest value ("own"); if it equals the highest, all values lie at the lower end
 */
export function makeScale(kind, bound = 1, low = 0) {
  if (kind === "own") return { kind, palette: "ink", low, high: bound > low ? bound : low + 1, flat: !(bound > low) };
  if (kind === "share") return { kind, palette: "share", low: -4, high: 4 };
  if (kind === "signed" || kind === "excess")
    return { kind, palette: kind === "signed" ? kind : "share", low: -(bound || 1), high: bound || 1 };
  if (kind === "positive") return { kind, palette: "positive", low: 0, high: bound || 1 };
  return { kind, palette: kind === "ink" ? "ink" : "positive", low: 0, high: 1 };
}

/**
 * Map values to palette indices on a scale.
 * @param {Float64Array} values on a scale "share": the natural logarithm of the multiple of an even share, less `shift`
 * @param {number} start index of the first value
 * @param {number} count number of values
 * @param {{kind: string, low: number, high: number}} scale
 * @param {Uint16Array} indices written, at the same positions: 0..TOP or one of the marks
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
    else indices[at] = Number.isNaN(value) ? NOT_A_NUMBER : value > 0 ? INFINITE : infinitelyLow;
  }
}

/** The position of one value on a scale, 0..1, for the pointer of a legend; on "share", a plain weight times tokens. */
export function position(value, scale) {
  const shown = scale.kind === "share" ? Math.log2(value) : value;
  return Math.min(1, Math.max(0, (shown - scale.low) / (scale.high - scale.low)));
}

// Below: OKLab.

function palette(theme, colourAt) {
  const colours = new Uint32Array(TOP + 4);
  for (let at = 0; at <= TOP; at++) colours[at] = packed(colourAt(at));
  colours[NOT_A_NUMBER] = colours[INFINITE] = colours[MASKED] = packed(theme.background);
  return colours;
}

/** The path from the first colour (0) through the others to the last (1), in steps of equal length. */
function path(...colours) {
  const stops = colours.map(lab);
  return (t) => {
    const place = t * (stops.length - 1);
    const from = Math.min(stops.length - 2, Math.floor(place));
    return rgb(stops[from].map((part, i) => part + (place - from) * (stops[from + 1][i] - part)));
  };
}

function lab(colour) {
  const [r, g, b] = colour.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @param {number[]} colour of OKLab @returns {number[]} */
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
