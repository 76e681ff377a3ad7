// Theta as six editable numbers, its effect in words, and the plot of angles: does it undo the picture's rotation?

import { css, packed } from "../core/colours.js";
import { context2d, element, say, set, text } from "../core/dom.js";
import { tight } from "../core/numbers.js";
import { term } from "../terms/terms.js";
import { within } from "./affine.js";
import { angleInWords, inWords, MOST, reachOf } from "./derive.js";

const PARTS = { rotation: "Rotation", scale: "Scale", shear: "Shear", shift: "Shift" };
const STEP = 0.05; // of a number, by an arrow key
const TICK = 45; // degrees

export class ThetaPanel {
  /** @param {{type: (place: number, value: number) => void}} hands called when a number is typed */
  constructor({ type }) {
    /** The index of the number being typed, which is not overwritten; -1: none. */
    this.typing = -1;
    /** @type {string[]} the numbers as shown */
    this.written = Array(6).fill("");
    /** @type {Record<string, Text>} */
    this.words = Object.fromEntries(["kind", "plot", "here", ...Object.keys(PARTS)].map((name) => [name, text()]));
    const { words } = this;
    this.cells = Array.from({ length: 6 }, (_, place) => {
      const label = `Theta, row ${Math.floor(place / 3) + 1}, column ${(place % 3) + 1}`;
      // The step matches the shown digits, so that no number of a net is a mismatch; arrow keys use larger steps
      const cell = element("input", { type: "number", step: 0.001, min: -MOST, max: MOST, "aria-label": label });
      const hear = () => {
        this.typing = place;
        if (Number.isFinite(cell.valueAsNumber)) type(place, cell.valueAsNumber);
      };
      cell.addEventListener("input", hear);
      cell.addEventListener("keydown", (event) => {
        const up = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
        if (!up) return;
        event.preventDefault();
        const now = Number.isFinite(cell.valueAsNumber) ? cell.valueAsNumber : Number(this.written[place]);
        cell.value = within(now + up, [-MOST, MOST]).toFixed(3);
        hear();
      });
      for (const done of ["change", "blur"]) cell.addEventListener(done, () => this.rewrite());
      return cell;
    });
    this.canvas = element("canvas", { role: "img" });
    this.plot = element(
      "section.plot-part",
      {},
      element("h2", {}, "Does it undo what was done?"),
      element("div.plot", {}, this.canvas),
      element("p.here", {}, words.here),
      element("p.quiet", {}, words.plot),
    );
    this.element = element(
      "section.theta-part",
      { "aria-label": "Theta" },
      element("h2", {}, term("theta", "Theta"), element("small", {}, words.kind)),
      element("div.matrix", {}, ...this.cells),
      element(
        "dl",
        {},
        ...Object.entries(PARTS).flatMap(([name, title]) => [element("dt", {}, title), element("dd", {}, words[name])]),
      ),
      this.plot,
    );
  }

  /**
   * @param {ArrayLike<number>} theta
   * @param {ReturnType<typeof import("./affine.js").decomposed>} parts
   * @param {string} kind the origin of theta
   */
  show(theta, parts, kind) {
    this.written = this.cells.map((_, place) => (Math.round(1000 * theta[place]) / 1000 + 0).toFixed(3));
    this.fill();
    for (const [name, words] of Object.entries(inWords(parts))) say(this.words[name], words);
    say(this.words.kind, kind);
  }

  /** Show the numbers in their cells, except for the one being typed. */
  fill() {
    this.cells.forEach((cell, place) => {
      if (place !== this.typing && cell.value !== this.written[place]) cell.value = this.written[place];
    });
  }

  /** Stop typing: every cell shows the number in use. */
  rewrite() {
    this.typing = -1;
    this.fill();
  }

  /**
   * Describe the plot.
   * @param {{slope: number|null, here: number|null}|null} line the fit to many pictures; null if their rotations are
   *   unknown; its slope is null if no line fits them
   * @param {{picture: number, grid: number}|null} dot the angles of this picture
   * @param {string} many the pictures of the fit
   * @param {boolean} failed whether the network has not answered for this picture
   */
  tell(line, dot, many, failed) {
    this.plot.hidden = !line;
    if (!line) return;
    say(
      this.words.here,
      dot
        ? `This picture is rotated by ${angleInWords(dot.picture)}, its grid by ${angleInWords(dot.grid)}.`
        : failed
          ? "The rotation of this picture's grid is unknown: the network has not answered."
          : "The rotation of this picture is unknown.",
    );
    const fit =
      line.slope === null
        ? "; no line fits the dots, as what is left of the rotation points in all directions."
        : `; the solid line is the best fit: ${tight(line.slope)}\u00b0 for each degree.`;
    say(this.words.plot, `One dot for each of ${many}. On the dashed line the rotation would be undone${fit}`);
    set(this.canvas, "aria-label", `${this.words.here.data} ${this.words.plot.data}`);
  }

  /**
   * @param {{picture: Float32Array, grid: Float32Array}} angles of many pictures
   * @param {{slope: number|null, offset: number|null}} line
   * @param {{picture: number, grid: number}|null} dot
   * @param {number[]} size in CSS pixels
   * @param {Theme} theme
   */
  paint(angles, line, dot, [width, height], theme) {
    const { canvas } = this;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const context = context2d(canvas);
    const colour = (name) => css(packed(theme[name]));
    const most = reachOf(angles, dot, TICK);
    const room = { left: 40, right: 8, top: 6, bottom: 34 };
    const x = (angle) => room.left + ((angle + most) / (2 * most)) * (width - room.left - room.right);
    const y = (angle) => height - room.bottom - ((angle + most) / (2 * most)) * (height - room.top - room.bottom);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colour("background");
    context.fillRect(0, 0, width, height);
    const path = (points, stroke, wide, dash = []) => {
      Object.assign(context, { strokeStyle: stroke, lineWidth: wide });
      context.setLineDash(dash);
      context.beginPath();
      for (const [across, up] of points) context.lineTo(x(across), y(up));
      context.stroke();
      context.setLineDash([]);
    };
    const ends = [-most, most];
    context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    context.fillStyle = colour("edge");
    for (let tick = -most; tick <= most; tick += TICK) {
      path(ends.map((end) => [tick, end]), colour("line"), 1); // prettier-ignore
      path(ends.map((end) => [end, tick]), colour("line"), 1); // prettier-ignore
      context.textAlign = "center";
      if (tick % (2 * TICK) === 0 || most === TICK)
        context.fillText(degreesOf(tick), x(tick), height - room.bottom + 14);
      context.textAlign = "right";
      if (tick % (2 * TICK) === 0 || most === TICK) context.fillText(degreesOf(tick), room.left - 5, y(tick) + 4);
    }
    context.textAlign = "center";
    context.fillText("the picture is rotated by", (room.left + width - room.right) / 2, height - 4);
    context.save();
    context.translate(10, (room.top + height - room.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText("its grid by", 0, 0);
    context.restore();
    context.save();
    context.beginPath();
    context.rect(room.left, room.top, width - room.left - room.right, height - room.top - room.bottom);
    context.clip();
    context.fillStyle = css(packed(theme.violet[0]));
    for (let one = 0; one < angles.picture.length; one++)
      context.fillRect(x(angles.picture[one]) - 1, y(angles.grid[one]) - 1, 2, 2);
    path(ends.map((end) => [end, end]), colour("text"), 1.5, [5, 4]); // prettier-ignore
    const { slope, offset } = line;
    const fit = slope === null || offset === null ? [] : ends.map((one) => [one, slope * one + offset]);
    path(fit, colour("text"), 1.5);
    context.restore();
    if (!dot) return;
    context.beginPath();
    context.arc(x(dot.picture), y(dot.grid), 6, 0, 2 * Math.PI);
    Object.assign(context, { fillStyle: colour("blue"), strokeStyle: colour("background"), lineWidth: 2 });
    context.fill();
    context.stroke();
  }
}

function degreesOf(angle) {
  return `${angle < 0 ? "\u2212" : ""}${Math.abs(angle)}\u00b0`;
}
