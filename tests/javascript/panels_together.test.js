// What the panels of the draw page say together, of answers that are missing and of answers that were refused; and
// when what is saved of them may be saved.

import assert from "node:assert/strict";
import test from "node:test";

import { Card } from "../../attnviz/ui/frontend/draw/card.js";
import { Cards } from "../../attnviz/ui/frontend/draw/cards.js";
import { wordOfAll } from "../../attnviz/ui/frontend/draw/links.js";
import { claimOf, declaredOf, headline, summary } from "../../attnviz/ui/frontend/draw/verdict.js";
import { whenAnswered } from "../../attnviz/ui/frontend/draw/waiting.js";

const DIGITS = ["1", "3", "8"];

/** A card without its elements. @param {any} its @returns {any} */
function cardOf({ model = {}, ...its } = {}) {
  const whole = { classes: DIGITS, title: "A model", kind: "plain", says: "a map", accuracy: 0.9, ...model };
  const empty = { everything: DIGITS, answer: null, pinned: null, refused: "" };
  return Object.assign(Object.create(Card.prototype), empty, its, { model: whole });
}

/** An answer for a class. */
const answerFor = (name, head = null) => ({ probabilities: DIGITS.map((one) => (one === name ? 0.98 : 0.01)), head });
const together = (...cards) => ({ cards, classes: DIGITS, kind: "digits" });

test("before the first answers the models are being loaded, which is not that none of them knows all digits", () => {
  const [waiting, three] = [cardOf(), cardOf({ answer: answerFor("3") })];
  const loading = { sentence: "The models are being loaded.", doubt: false };
  assert.deepEqual(headline(together(waiting)), loading);
  assert.deepEqual(headline(together(waiting, three)), loading);
  assert.match(headline(together(three)).sentence, /^1 of 1 model .* is sure of 3\.$/);
  const two = cardOf({ model: { classes: ["1", "8"] } });
  assert.deepEqual(headline(together(two)), { sentence: "None of these models knows all 3 digits.", doubt: true });
});

test("what a refused panel answered before is nobody's answer", () => {
  const three = cardOf({ answer: answerFor("3") });
  const refused = cardOf({ answer: answerFor("8"), refused: "The model is not there.", model: { accuracy: 0.99 } });
  assert.match(headline(together(three, refused)).sentence, /^1 of 1 model that knows all 3 digits is sure of 3\.$/);
  assert.doesNotMatch(summary(together(three, refused)), /8/);
  assert.deepEqual(declaredOf(together(three, refused)), { models: 1, answers: 1, answer: "3", agreeing: 1 });
  assert.equal(claimOf([three, refused]), "3");
  assert.match(headline(together(refused)).sentence, /^No model that knows all 3 digits has answered\.$/);
  assert.equal(refused.reading.answer, null);
});

test("a panel that was refused at once is no longer waited for", () => {
  const [three, never] = [cardOf({ answer: answerFor("3") }), cardOf({ refused: "The model is not there." })];
  assert.match(headline(together(three, never)).sentence, /^1 of 1 model that knows all 3 digits is sure of 3\.$/);
});

test("maps towards two answers are not compared, and those that belong to no answer are", () => {
  const both = { answer: answerFor("1", 0), pinned: answerFor("3", 0) };
  const toward = { says: "what each pixel adds to the {answer}, up to {most}" };
  assert.ok(cardOf(both).comparable);
  assert.ok(!cardOf({ ...both, model: toward }).comparable);
  assert.equal(cardOf({ ...both, model: toward }).otherAnswer, "3");
  assert.ok(cardOf({ ...both, pinned: answerFor("1", 0), model: toward }).comparable);
  assert.ok(!cardOf({ ...both, pinned: answerFor("1", 2) }).comparable, "another head");
});

test("of the pictures that the models saw, the one of the size of the data set stands for all", () => {
  const seen = ["40 x 28", "28 x 40", "28 x 28"].map((size) => ({
    size,
    shape: [...size.split(" x ").map(Number), 1],
  }));
  const words = new Map(seen.map((one) => [one, `word of ${one.size}`]));
  assert.equal(wordOfAll(words, [28, 28, 1]), "word of 28 x 28");
  assert.equal(wordOfAll(words, [32, 32, 3]), "word of 40 x 28");
  assert.equal(wordOfAll(new Map(), [28, 28, 1]), "");
});

test("what is saved waits for the answers, and for the Jacobians where these are chosen", async () => {
  const questions = { awaited: true, lost: false, failed: false, turn: 7 };
  const its = { map: "attention", slopesOf: /** @type {number|null} */ (null), jacobians: { lost: false } };
  const owner = /** @type {any} */ ({ questions, cards: [{ current: {} }], ...its });
  /** Whether it may be saved at once, and, once `then` has happened, whether it may. */
  const saved = async (then) => {
    let done = false;
    const waiting = whenAnswered(owner).finally(() => (done = true));
    await new Promise((next) => setTimeout(next, 5));
    const before = done;
    then();
    return [before, await waiting];
  };
  assert.deepEqual(await saved(() => (questions.awaited = false)), [false, true]);
  owner.map = "jacobian";
  assert.deepEqual(await saved(() => (owner.slopesOf = 7)), [false, true]);
  owner.slopesOf = 6;
  assert.deepEqual(await saved(() => (owner.jacobians.lost = true)), [false, false]);
  owner.cards = [{ current: null }];
  assert.deepEqual(await saved(() => {}), [true, true], "all were refused: no Jacobian will come");
  questions.failed = true;
  assert.deepEqual(await saved(() => {}), [true, false]);
});

test("a panel is kept while nothing of its model changes, and is made anew once its description does", () => {
  const made = (model) => ({ model, learn() {}, element: {}, headWord: { matches: () => true } });
  const frame = { grid: { replaceChildren() {} }, legend: { element: {} } };
  const page = /** @type {any} */ ({ cards: [], frame, made, map: "attention", pin: {}, questions: { again() {} } });
  Object.assign(page, { showTraining() {}, layout() {} });
  const take = (...models) => {
    const sample = { values: new Uint8Array(4), shape: [2, 2] };
    Cards.prototype.take.call(page, { models, classes: [], kind: "", ink: true }, sample);
    return page.cards;
  };
  const one = { checkpoint: "a.one", kind: "8 heads", renderer: "path", says: "" };
  const [first] = take(one);
  const [same] = take({ ...one }, { ...one, checkpoint: "a.two" });
  assert.equal(same, first);
  const [told] = take({ ...one, kind: "One of two" }, { ...one, checkpoint: "a.two", kind: "Two of two" });
  assert.equal(told.model.kind, "One of two");
});
