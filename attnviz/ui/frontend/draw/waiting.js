// Whether the panels of the draw page are up to date: saving waits until they are.

const SOON = 20; // milliseconds between two checks

/**
 * Resolve once the panels wait for no answer.
 * @param {Pick<import("./cards.js").Cards, "questions"|"jacobians"|"map"|"cards"|"slopesOf">} owner
 * @returns {Promise<boolean>} whether all have arrived
 */
export async function whenAnswered(owner) {
  while (isAwaited(owner)) {
    if (owner.questions.lost || owner.jacobians.lost) return false; // it may take hours to come back
    await new Promise((done) => setTimeout(done, SOON));
  }
  return !owner.questions.failed;
}

/** @param {Parameters<typeof whenAnswered>[0]} owner */
function isAwaited({ questions, map, cards, slopesOf }) {
  if (questions.awaited) return true;
  // The Jacobians are requested after the answers; not at all if every model was refused.
  return map === "jacobian" && cards.some(({ current }) => current) && slopesOf !== questions.turn;
}
