// Whether the panels of the draw page show what is asked for: what is saved waits until they do.

const SOON = 20; // milliseconds between two looks at it

/**
 * Come back once no answer is awaited that the panels are to show.
 * @param {Pick<import("./cards.js").Cards, "questions"|"jacobians"|"map"|"cards"|"slopesOf">} owner
 * @returns {Promise<boolean>} whether all have come
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
  // The Jacobians are asked for after the answers; where every model was refused, not at all.
  return map === "jacobian" && cards.some(({ current }) => current) && slopesOf !== questions.turn;
}
