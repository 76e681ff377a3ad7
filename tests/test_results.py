"""The tables of docs/results.md and of pages, attnviz/results.py and attnviz/result_tables.py."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from attnviz import cards, checkpoint_folder, comparisons, formatting, result_tables, results
from attnviz.card import Card
from attnviz.measures.difference import METHOD
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.paper import PaperColumn, PaperRow, PaperTable, Question
from attnviz.recipes.recipe import Test as RecipeTest
from attnviz.ui.shared.results import result_dots
from tests.training import small

PAPER = small.paper("pixel_attention.small", "pixel_line.small")


@pytest.fixture
def one_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    """There are two recipes, and one of them is trained."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    card, *content = small.checkpoint()
    small.lay(tmp_path, *content)
    for key in reversed(list(RECIPES)):
        monkeypatch.delitem(RECIPES, key)
    for recipe in (small.recipe(), small.recipe("pixel_line")):
        monkeypatch.setitem(RECIPES, recipe.key, recipe)
    for name in reversed(list(PAPERS)):
        monkeypatch.delitem(PAPERS, name)
    monkeypatch.setitem(PAPERS, "small", PAPER)
    return card


def _rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_table_holds_what_the_card_says_and_a_row_that_was_not_trained_says_so(one_trained):
    head, line, trained, missing = _rows(result_tables.table(list(RECIPES)))
    tested, trained_on = one_trained.figures
    assert head[1:] == [f"strokes test, {tested.count} pictures", f"strokes train, {trained_on.count} pictures"]
    assert line == ["---"] * 3
    assert trained[0] == "Small (`pixel_attention.small`), 2 seeds"
    assert missing == ["Small (`pixel_line.small`)", "*not trained*", "*not trained*"]
    assert len(one_trained.figures) == 2
    for cell, figure in zip(trained[1:], one_trained.figures, strict=True):
        assert cell == f"{100 * figure.mean:.2f} % ({100 * figure.lowest:.2f} to {100 * figure.highest:.2f})"
    assert one_trained.figures[0].count != one_trained.figures[1].count


def test_a_table_looks_into_the_folder_once(one_trained: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, look, recipe = list[None](), checkpoint_folder._look, RECIPES["pixel_line.small"]
    tests = tuple(RecipeTest(data=source) for source in ("strokes", "mnist", "fashion_mnist"))
    monkeypatch.setitem(RECIPES, recipe.key, recipe.model_copy(update={"tests": tests}))
    monkeypatch.setattr(checkpoint_folder, "_look", lambda age: looks.append(None) or look(age))
    assert result_tables.table([recipe.key]).count("*not trained*") == 3
    assert len(looks) == 1


def test_a_test_that_a_card_does_not_have_is_an_empty_cell(one_trained, monkeypatch):
    other = small.recipe(tests=[{"data": "mnist"}])
    monkeypatch.setitem(RECIPES, other.key, other)
    assert _rows(result_tables.table([other.key]))[2] == ["Small (`pixel_attention.small`), 2 seeds", ""]


def test_a_papers_figure_stands_above_ours_and_the_control(one_trained):
    said, _, table = result_tables.reproduction(PAPER).partition("\n\n")
    assert said == "accuracy, table 1: 97.90 %. Ours:"
    assert table == result_tables.table(["pixel_attention.small", "pixel_line.small"])


def test_everything_begins_with_verdicts_and_then_has_a_table_for_each_question(one_trained):
    verdicts, questions = (
        f"\n\n## With and without\n\n{results.verdicts(results.first(PAPERS))}\n\n",
        f"## A paper\n\nSomebody, 2020.\n\naccuracy, table 1: 97.90 %.\n\n{results.answer(PAPER.figures[0])}\n",
    )
    assert results.everything().endswith(verdicts + questions)


def _pair(tmp_path, monkeypatch, **changes):
    """Lay the two small models, where the one names the other as its control."""
    recipe = small.recipe(control="pixel_line.small")
    monkeypatch.setitem(RECIPES, recipe.key, recipe)
    other = small.recipe("pixel_line", **changes)
    monkeypatch.setitem(RECIPES, other.key, other)
    small.lay(tmp_path, *small.checkpoint("pixel_line")[1:], name=other.key)
    return Question(checkpoint=recipe.key)


def test_a_verdict_names_both_sides_the_difference_and_what_else_differs(one_trained, tmp_path, monkeypatch):
    question = _pair(tmp_path, monkeypatch, epochs=9, patience=9)
    _, _, row = _rows(results.verdicts([question]))
    found = comparisons.answered(question)
    one, other = found.figures
    assert row == [
        f"Small (`pixel_attention.small`), 2 seeds, on strokes test: {formatting.spread(one)}",
        f"Small (`pixel_line.small`), 2 seeds: {formatting.spread(other)}",
        formatting.points(found.difference), f"**{found.difference.verdict}**",
        f"another kind of network, pixel_attention against pixel_line; epochs 4 against 9; {found.cost}",
    ]  # fmt: skip
    assert found.cost == "core-minutes a seed 0.00 against 0.00"


def test_what_was_trained_for_longer_stands_in_the_same_row() -> None:
    question = next(one for one in results.first(PAPERS) if one.longer)
    short, long = comparisons.answered(question), comparisons.with_control(question.longer)
    cell = _rows(results.verdicts([question]))[2][2]
    assert cell.startswith(formatting.points(short.difference) + "; trained 10 times as long")
    assert cell.endswith(formatting.points(long.difference))
    assert RECIPES[question.longer].epochs == 10 * RECIPES[question.checkpoint].epochs


def test_rows_that_speak_against_a_mechanism_stand_among_the_first() -> None:
    lost = [found.difference.value for _, found, _ in results.answered(results.first(PAPERS)) if found]
    assert [f"{100 * value:.2f}" for value in lost if value < -0.01] == ["-1.54", "-3.20", "-1.05"]


def test_verdicts_of_a_table_hold_for_all_of_its_rows(monkeypatch) -> None:
    from attnviz.measures.difference import Difference

    class Found:
        def __init__(self, chance):
            self.difference = Difference(0.02, (0.0001, 0.04), (3, 3), 0.005, chance)

    found = iter([Found(0.04), Found(0.03), None])
    monkeypatch.setattr(comparisons, "answered", lambda question: next(found))
    asked = results.answered([Question(checkpoint="a.b")] * 3)
    assert [verdict for _, _, verdict in asked] == ["not decided"] * 3
    assert results.decided(asked[0][1].difference, asked[0][2]) == "**not decided** (alone: better)"


def test_the_results_have_room_on_a_few_pages_and_every_figure_a_row_in_the_table_beside_them() -> None:
    import csv

    assert len(results.FULL.read_text("utf-8").splitlines()) <= 500
    text = results.FULL.with_suffix(".csv").read_text("utf-8")
    assert text == result_tables.every_figure(), "Run `python -m attnviz results --write`."
    rows = list(csv.DictReader(text.splitlines()))
    figures = [
        (name, figure)
        for name in cards.names()
        for figure in (*cards.read(name).figures, *(f for a in cards.read(name).ablations for f in a.figures))
    ]
    assert len(rows) == len(figures)
    for row, (name, figure) in zip(rows, figures, strict=True):
        assert (row["checkpoint"], row["figure"], int(row["seeds"])) == (name, figure.name, figure.seeds)
        assert float(row["mean"]) == pytest.approx(figure.mean, rel=1e-5)
        assert (row["answers of each seed"] == "yes") == (figure.answers() is not None)


def test_a_control_that_is_not_trained_is_said_to_be_missing(one_trained, tmp_path, monkeypatch):
    question = _pair(tmp_path, monkeypatch)
    (tmp_path / "pixel_line.small" / "card.json").unlink()
    assert _rows(results.verdicts([question]))[2] == [
        f"Small (`pixel_attention.small`), 2 seeds, on strokes test: {formatting.spread(one_trained.figures[0])}",
        "Small (`pixel_line.small`): *not trained*", "", "**not decided**", "",
    ]  # fmt: skip


def test_the_readme_gives_no_figure_of_a_model():
    text = (results.FULL.parents[1] / "README.md").read_text("utf-8")
    assert not re.findall(r"\d[\d.]* ?%|\d[\d.]* points", text)


def test_what_learning_where_to_look_is_worth_is_said_against_random_and_against_one_fixed_path():
    card = cards.read("recurrent_attention.cluttered")
    random = cards.read("recurrent_attention.cluttered-random")
    test = comparisons.main_test(card.recipe)
    learnt, drawn = (one.figure(test, "accuracy_one_draw").mean for one in (card, random))
    (mean,) = [one for one in card.ablations if one.name == "mean"]
    fixed = max((one for one in mean.figures if one.name == "accuracy_one_draw"), key=lambda one: one.count).mean
    asked = [question for question in PAPERS["wu"].questions if question.what == "one path instead of ten"]
    lines = results.verdicts(asked).splitlines()[2:]
    assert len(lines) == 2
    for line, other in zip(lines, (drawn, fixed), strict=True):
        assert f"| {100 * (learnt - other):+.2f}" in line
    assert "at its mean over" in lines[1]


def test_models_with_another_budget_are_said_to_have_one():
    like, same = "recurrent_attention.cluttered", "recurrent_attention.cluttered-random"
    others = [f"{like}{end}" for end in ("-ring", "-oracle", "-50-epochs")]
    assert result_tables.trained_otherwise([like, same], like) == ""
    said = result_tables.trained_otherwise([like, same, *others], like)
    assert said == (
        "Not trained like *Cluttered digits, ours*: *Cluttered digits, on a ring*, *Cluttered digits, 50 epochs* "
        "(epochs 150 against 50); *Cluttered digits, an oracle* (data cluttered_mnist against cluttered_mnist_centred; "
        "epochs 150 against 50)."
    )


def test_a_question_is_answered_with_the_control_that_each_row_names(one_trained, tmp_path, monkeypatch):
    question = _pair(tmp_path, monkeypatch)
    found = comparisons.answered(question)
    _, _, with_it, without = _rows(results.answer(PAPER.figures[0]))
    assert with_it[1:] == [
        f"{formatting.spread(found.figures[0])}, strokes test", "`pixel_line.small`, 2 seeds", *results.judged(found),
    ]  # fmt: skip
    assert without[1:] == [f"{formatting.spread(found.figures[1])}, strokes test", "", "", "", ""]


def test_a_difference_stands_beside_the_accuracy_of_its_own_test() -> None:
    name = "pixel_attention.1v8-noise"
    found = comparisons.with_control(name)
    asked = next(one for paper in PAPERS.values() for one in paper.figures if name in one.checkpoints)
    row = next(row for row in _rows(results.answer(asked)) if f"`{name}`" in row[0])
    first, _, second = row[1].partition("; compared on ")
    assert first.endswith("mnist test, noise") and second.startswith("mnist test: ")
    own = cards.read(name).figure(found.figures[1].model_copy(update={"count": None}))
    assert second == f"mnist test: {formatting.spread(own)}"
    value = float(row[3].replace("\u2212", "-").split(",")[0].split(" (")[0])
    assert value == pytest.approx(100 * (own.mean - found.figures[1].mean), abs=0.005)


def test_models_without_a_validation_part_and_with_renewed_statistics_are_marked(one_trained, monkeypatch):
    recipe = small.recipe(validation=None, keep="renewed", patience=None)
    monkeypatch.setitem(RECIPES, recipe.key, recipe)
    title = _rows(result_tables.table([recipe.key]))[2][0]
    assert title == "Small (`pixel_attention.small`), 2 seeds, no validation part, statistics renewed"


def test_every_row_of_the_committed_tables_that_was_not_chosen_on_validation_pictures_says_so():
    said = results.everything()
    for name in cards.names():
        rows, recipe = re.findall(rf"\(`{re.escape(name)}`\)[^|:]*", said), cards.read(name).recipe
        assert rows, name
        for row in rows:
            assert ("no validation part" in row) == (recipe.validation is None), row
            assert ("statistics renewed" in row) == (recipe.keep == "renewed"), row


def test_the_results_are_not_stale():
    assert results.FULL.read_text("utf-8") == results.everything(), "Run `python -m attnviz results --write`."


def test_the_introduction_says_how_each_kind_of_interval_is_made():
    said = " ".join(results.everything().partition("## ")[0].split())
    assert f"Its 95 % interval comes from {METHOD}: variance = V1 / S1" in said
    assert "A model compared with itself after a part was replaced counts as one side" in said
    assert "10% of the mean error of the two, at most 0.5 points" in said and "(Holm)" in said


def test_the_comparison_has_a_row_for_every_other_that_is_trained(one_trained, tmp_path):
    name = one_trained.name
    small.lay(tmp_path, *small.checkpoint("pixel_line")[1:], name="pixel_line.small")
    head, _, row, *said = _rows(result_tables.comparison(name, [name, "pixel_line.small", "ink.small"]))
    tests = ["strokes test", "strokes train, 20 pictures"]
    assert head == [f"`{name}` minus ..., in points", *tests, "Seeds", "What differs"]
    found = comparisons.difference(one_trained.figures[0], cards.read("pixel_line.small").figures[0])
    assert row[:2] == ["`pixel_line.small`", formatting.points(found)]
    assert METHOD in said[-1][0]
    assert row[3:] == ["2 and 2", "another kind of network, pixel_attention against pixel_line"]


def test_where_the_paper_gives_no_figure_only_ours_stand(one_trained):
    figure = PAPER.figures[0].model_copy(update={"value": None})
    said = result_tables.reproduction(PAPER.model_copy(update={"figures": (figure,)}))
    assert said.startswith("accuracy, table 1. Ours:")


def test_what_was_measured_by_length_has_a_table_of_its_own(one_trained, monkeypatch):
    figure = one_trained.figures[0]
    names = {"digits_3": 0.5, "digits_15": 0.25, "stopped_3": 1.0}
    measured = [figure.model_copy(update={"name": name, "mean": mean}) for name, mean in names.items()]
    card = one_trained.model_copy(update={"figures": (figure, *measured)})
    monkeypatch.setattr(cards, "readable", lambda names: {card.name: card} if card.name in names else {})
    table, lengths = result_tables.table(list(RECIPES)).split("\n\n")
    assert "digits" not in table
    head, _, digits, stopped = _rows(lengths)
    assert head == [f"By length: strokes test, {figure.count} pictures of each length", "3", "15"]
    assert digits[0] == "Small (`pixel_attention.small`), 2 seeds: digits"
    assert [cell.split(" (")[0] for cell in (*digits[1:], *stopped[1:])] == ["50.00 %", "25.00 %", "100.00 %", ""]


def test_each_row_has_its_own_tests(one_trained, monkeypatch):
    other = small.recipe("pixel_line", tests=[{"data": "mnist"}, {"data": "strokes"}], cost="70 core-minutes")
    monkeypatch.setitem(RECIPES, other.key, other)
    head, _, trained, missing = _rows(result_tables.table(list(RECIPES)))
    assert head[1:] == [*head[1:3], "mnist test"]
    assert trained[1:] == [*map(formatting.spread, one_trained.figures), ""]
    assert missing[1:] == ["*not trained* (70 core-minutes)", "", "*not trained* (70 core-minutes)"]


def test_a_papers_table_stands_beside_ours_with_losses_and_counts(one_trained, monkeypatch):
    monkeypatch.setitem(RECIPES, "pixel_line.small", small.recipe("pixel_line", cost="a day"))
    given = PaperTable.model_validate(
        {
            "title": "Table 1",
            "columns": [
                {"title": "accuracy"},
                {"title": "loss", "of": "train_loss", "unit": "nats"},
                {"title": "parameters", "of": "parameters", "unit": "count"},
            ],
            "rows": [
                {"checkpoint": one_trained.name, "values": [0.8146, 7.5913, 33084]},
                {"checkpoint": "pixel_line.small", "values": [None, 4.5, None]},
            ],
        }
    )
    title, _, said = result_tables.beside(given).partition("\n\n")
    head, _, trained, missing = _rows(said)
    assert title == "Table 1."
    assert head[1:] == [word for of in ("accuracy", "loss", "parameters") for word in (f"{of}, theirs", "ours")]
    losses = [run.curve["train_loss"][run.epoch - 1] for run in one_trained.runs]
    mean, low, high = sum(losses) / 2, min(losses), max(losses)
    assert trained[1:] == [
        "81.46 %", formatting.spread(one_trained.figures[0]), "7.591 nats",
        f"{mean:.4g} nats ({low:.4g} to {high:.4g})", "33,084", "793",
    ]  # fmt: skip
    assert missing[1:] == [
        "",
        "*not trained* (a day)",
        "4.5 nats",
        "*not trained* (a day)",
        "",
        "*not trained* (a day)",
    ]
    paper = PAPER.model_copy(update={"figures": (), "tables": (given,)})
    assert result_tables.reproduction(paper) == result_tables.beside(given)
    assert paper.checkpoints == (one_trained.name, "pixel_line.small")


def test_a_row_of_a_table_needs_a_value_in_each_column():
    with pytest.raises(ValidationError, match="each row needs a value, or None, in each column"):
        PaperTable(title="", columns=(PaperColumn(title="a"),), rows=(PaperRow(checkpoint="x", values=(1.0, 2.0)),))


def test_a_card_without_weights_says_how_they_are_made(one_trained, tmp_path):
    (tmp_path / one_trained.name / "weights.safetensors").unlink()
    assert _rows(result_tables.table([one_trained.name]))[2][0].endswith(
        f"2 seeds; no weights here: `{one_trained.command}`"
    )


def test_a_damaged_card_costs_the_tables_its_own_row_alone(one_trained, tmp_path):
    small.lay(tmp_path, b"{}", b"", name="pixel_line.small")
    _, _, trained, damaged = _rows(result_tables.table(list(RECIPES)))
    assert trained[1:] == [*map(formatting.spread, one_trained.figures)]
    assert damaged == ["Small (`pixel_line.small`)", "*damaged*", "*damaged*"]
    assert "pixel_line" not in result_tables.comparison(one_trained.name, list(RECIPES))


def test_tests_on_the_first_pictures_and_on_all_stand_beside_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    name = "recurrent_attention.cluttered"
    assert [one.count for one in RECIPES[name].tests] == [1000, None]
    absent = result_tables.table([name]).splitlines()[0]
    assert absent.count("| cluttered_mnist test, 1,000 pictures |") == 1
    assert absent.count("| cluttered_mnist test |") == 1
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS")
    head, _, row = result_tables.table([name]).splitlines()
    cells = dict(zip(head.strip("| ").split(" | "), row.strip("| ").split(" | "), strict=True))
    found = {figure.count: figure for figure in cards.read(name).figures if figure.name == "accuracy"}
    assert len(found) == 2
    for count, figure in found.items():
        assert f"{100 * figure.mean:.2f} %" in cells[f"cluttered_mnist test, {count:,} pictures"]
    [dot] = result_dots.of([name], (), {}, "cluttered_mnist")
    assert dot.mean == 100 * found[10_000].mean


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([], "**Not known yet**: no model of this question has a trained control."),
        (["better"], "**1 of 1 model is better than its control**."),
        (["worse", "worse"], "**0 of 2 models are better than their controls**; 2 worse."),
        (
            ["better", "within the margin", "not decided", "not decided"],
            "**1 of 4 models are better than their controls**; 1 within the margin; 2 not decided.",
        ),
    ],
)
def test_the_finding_of_a_question_counts_its_verdicts(verdicts: list[Any], said: str) -> None:
    assert results.finding(verdicts) == said
