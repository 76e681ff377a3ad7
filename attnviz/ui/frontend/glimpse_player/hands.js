// Input on the picture: a number is dragged by mouse, pen or finger; keys move the selected glimpse.

import { gridMove } from "../hands/keys.js";

/**
 * Listen to pointers. A finger that does not begin at a number scrolls the page.
 * @param {import("./glimpse_player.js").GlimpsePlayer} player
 * @param {HTMLElement} stage
 */
export function listen(player, stage) {
  const { scene } = player.frame;
  /** @type {{glimpse: number, x: number, y: number, far: boolean, by: number[]}|null} */
  let held = null;
  stage.addEventListener("pointerdown", (event) =>
    player.guard(() => {
      if (player.still || !event.isPrimary || event.button !== 0) return;
      const glimpse = scene.glimpseAt(event, player.view.glimpse);
      if (glimpse < 0) return;
      if (!player.canMove) {
        player.choose(glimpse);
        return;
      }
      stage.setPointerCapture(event.pointerId);
      const [row, column] = scene.pixelAt(event);
      const [ownRow, ownColumn] = player.pixel(glimpse);
      held = { glimpse, x: event.clientX, y: event.clientY, far: false, by: [ownRow - row, ownColumn - column] };
      player.choose(glimpse);
    }),
  );
  // Only here can a drag still be told from a scroll: browsers ignore `touch-action` within an SVG.
  stage.addEventListener(
    "touchstart",
    (event) => {
      if (!player.canMove || event.touches.length !== 1) return;
      if (scene.glimpseAt(event.touches[0], player.view.glimpse) >= 0) event.preventDefault();
    },
    { passive: false },
  );
  stage.addEventListener("pointermove", (event) =>
    player.guard(() => {
      if (!held) {
        if (event.pointerType !== "touch")
          stage.classList.toggle("over", player.canMove && scene.glimpseAt(event, player.view.glimpse) >= 0);
        return;
      }
      held.far ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) > 3;
      if (!held.far) return;
      const [row, column] = scene.pixelAt(event);
      player.move(held.glimpse, [row + held.by[0], column + held.by[1]]);
    }),
  );
  stage.addEventListener("lostpointercapture", () => (held = null));
}

/**
 * Handle a key on the picture.
 * @param {import("./glimpse_player.js").GlimpsePlayer} player
 * @param {KeyboardEvent} event
 * @returns {boolean} whether it did something
 */
export function pressed(player, event) {
  const { view, facts } = player;
  if (event.key === "Escape") return player.restore();
  if (player.still || !event.composedPath().includes(player.frame.stage)) return false;
  if (event.key === " " || event.key === "Enter") {
    player.togglePlay();
    return true;
  }
  if (/^[1-9]$/.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey) {
    if (Number(event.key) <= facts.glimpses) player.choose(Number(event.key) - 1, true);
    return true;
  }
  if (!player.canMove) return false;
  const [row, column] = player.pixel(view.glimpse);
  const to = gridMove(event, row, column, facts.rows, facts.columns);
  if (!to) return false;
  player.move(view.glimpse, to, true);
  return true;
}
