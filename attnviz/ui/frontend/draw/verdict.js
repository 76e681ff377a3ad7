// The joint answer of the models, in words.

const LOADING = "The models are being loaded.";
export const NONE = "No model knows \u201cnone of these\u201d: each must choose among its classes.";

/** The cards by answer, the most frequent answer first. @param {import("./card.js").Card[]} cards */
function votesOf(cards) {
  const votes = new Map();
  for (const card of cards) votes.set(card.best, [...(votes.get(card.best) ?? []), card]);
  return [...votes].sort(([, one], [, other]) => other.length - one.length);
}

/**
 * The joint answer of the models. Only confident models that know every class count: a model of two classes predicts
 * one of them for any drawing.
 * @param {{cards: import("./card.js").Card[], classes: string[], kind: string}} models classes: all classes that can be
 *   drawn; kind: their name
 * @returns {{sentence: string, doubt: boolean}} doubt: whether the drawing may be of no known class
 */
export function headline({ cards, classes, kind }) {
  const all = `all ${classes.length} ${kind}`;
  const asked = cards.filter(({ knowsAll }) => knowsAll);
  if (!asked.length) return { sentence: `None of these models knows ${all}.`, doubt: true };
  if (asked.some(({ answer, refused }) => !answer && !refused)) return { sentence: LOADING, doubt: false };
  const knowing = asked.filter(({ current }) => current);
  if (!knowing.length) return { sentence: `No model that knows ${all} has answered.`, doubt: false };
  const models = knowing.length === 1 ? "model that knows" : "models that know";
  const sure = knowing.filter((card) => card.sure);
  const votes = votesOf(sure);
  const of = `of ${knowing.length} ${models} ${all}`;
  if (!sure.length) return { sentence: `None ${of} is sure.`, doubt: true };
  const [[first, agreeing]] = votes;
  const others = votes.slice(1).map(([name, { length }]) => `, ${length} of ${name}`);
  return {
    sentence: `${agreeing.length} ${of} ${agreeing.length === 1 ? "is" : "are"} sure of ${first}${others.join("")}.`,
    doubt: 2 * agreeing.length <= knowing.length,
  };
}

/**
 * The values for lessons from the models that know every class, as listed in DECLARED of drawing_pad.py.
 * @param {{cards: import("./card.js").Card[]}} models
 * @returns {Record<string, any>} empty before the first answer
 */
export function declaredOf({ cards }) {
  const knowing = cards.filter(({ knowsAll, current }) => knowsAll && current);
  if (!knowing.length) return {};
  const votes = votesOf(knowing);
  return { models: knowing.length, answers: votes.length, answer: votes[0][0], agreeing: votes[0][1].length };
}

/** All answers in words. @param {Parameters<typeof headline>[0]} models @returns {string} */
export function summary(models) {
  const { sentence, doubt } = headline(models);
  const answered = models.cards.filter(({ current }) => current);
  const named = ({ model, sure }) => `${model.title}, ${model.kind}${sure ? "" : ", unsure"}`;
  const all = votesOf(answered).map(([name, cards]) => `${name}: ${cards.map(named).join("; ")}.`);
  return [sentence, ...(doubt ? [NONE] : []), ...all].join(" ");
}

/**
 * The answer of the most accurate model that knows every class, if it is confident; otherwise "".
 * @param {import("./card.js").Card[]} cards
 */
export function claimOf(cards) {
  const knowing = cards.filter(({ knowsAll, current }) => knowsAll && current);
  if (!knowing.length) return "";
  const best = knowing.reduce((one, other) => (other.model.accuracy > one.model.accuracy ? other : one));
  return best.sure ? best.best : "";
}
