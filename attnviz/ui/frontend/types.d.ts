// Types shared by several modules, for `npm run types`. No browser reads this file.

/** The element that `element("canvas.frame", ...)` makes: its tag stands before the first dot. */
type Made<Tag extends string> = Tag extends `${infer Name}.${string}`
  ? Made<Name>
  : Tag extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[Tag]
    : HTMLElement;

/** An array that can be written to a pixel buffer, a socket or a file. */
type Numbers = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** Data from Python: views/payload.py, views.d.ts. Arrays are flat, row by row; shapes have the names of the arrays. */
interface Payload {
  header: any; // what each component's Python side describes
  arrays: Record<string, any>; // typed arrays, of the kind that Python chose for each name
  shapes: Record<string, number[]>;
}

/** The colours of Streamlit's theme, red, green, blue in 0..255: core/colours.js. */
type Theme = ReturnType<typeof import("./core/colours.js").readTheme>;

/** The colours of each kind of scale, by name: core/colours.js. */
type Palettes = ReturnType<typeof import("./core/colours.js").palettes>;

/** The ends of a scale: core/colours.js. */
type Scale = ReturnType<typeof import("./core/colours.js").makeScale>;

/**
 * The segments of the edge of the ink: at the right of a cell or below it or, inside a cell, along a line. line: left,
 * top, right, bottom, in cells.
 */
type InkEdge = { cell: number; below: boolean; line?: number[] }[];

/** How a cell is outlined: maps/paint.js. */
interface Outline {
  halo: number; // packed colour of a rim that separates the outline from the map
  corners?: boolean;
  strong?: boolean; // whether it is locked
  lit?: boolean; // whether it is being explained
}

/** One stroke of a drawing; hands/strokes.js says how its numbers are counted. */
interface Stroke {
  tool: "ink" | "erase";
  width: number;
  points: number[];
  pressures: number[] | null;
  colour?: number[]; // red, green, blue in 0..255; ink if it is missing
}

/** A picture below the strokes of a drawing: one byte per pixel, 0 paper, 255 ink; or three bytes per pixel. */
interface Base {
  name: string;
  side: number;
  values: Uint8Array;
}

/** A model's answer to one picture: one number per class. */
interface Answered {
  logits: Float32Array;
  probabilities: Float32Array;
}

/** The input of a panel's renderer: panels/face.js. */
interface Answer {
  map: Float32Array | null;
  shape: number[] | null;
  probabilities: Float32Array;
  logits: Float32Array;
  parts?: Record<string, { values: Float32Array; shape: number[] }>;
  seen: { values: Uint8Array; shape: number[] };
  head: number | null;
}
