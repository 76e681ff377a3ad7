"""The tables of README and pages, attnviz/results.py."""

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from attnviz import cards, results
from attnviz.cards import Figure, packed
from attnviz.errors import BadInput
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.recipe import Augmentation, PaperColumn, PaperRow, PaperTable
from attnviz.recipes.recipe import Test as RecipeTest
from attnviz.ui.shared import result_dots
from tests.training import small

FIGURE = Figure(
    name="accuracy",
    data="strokes",
    split="test",
    count=2109,
    value=2108 / 2109,
    mean=0.98856,
    lowest=0.98,
    highest=0.9996,
    seeds=5,
    right=packed(np.arange(2109) > 0),
)
PAPER = small.paper("pixel_attention.small", "pixel_line.small")


@pytest.fixture
def one_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cards.Card:
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


@pytest.mark.parametrize(
    ("share", "said"), [(0.98856, "98.86 %"), (1.0, "100.00 %"), (0.0, "0.00 %"), (0.5, "50.00 %")]
)
def test_a_share_is_written_as_a_percentage_with_two_digits(share, said):
    assert results.percent(share) == said


def test_a_figure_is_written_with_its_spread():
    assert results.spread(FIGURE) == "98.86 % (98.00 to 99.96)"


def test_the_table_holds_what_the_card_says_and_a_row_that_was_not_trained_says_so(one_trained):
    head, line, trained, missing = _rows(results.table(list(RECIPES)))
    tested, trained_on = one_trained.figures
    assert head[1:] == [f"strokes test, {tested.count} pictures", f"strokes train, {trained_on.count} pictures"]
    assert line == ["---"] * 3
    assert trained[0] == "Small (`pixel_attention.small`), 2 seeds"
    assert missing == ["Small (`pixel_line.small`)", "*not trained*", "*not trained*"]
    assert len(one_trained.figures) == 2
    for cell, figure in zip(trained[1:], one_trained.figures, strict=True):
        assert cell == f"{100 * figure.mean:.2f} % ({100 * figure.lowest:.2f} to {100 * figure.highest:.2f})"
    assert one_trained.figures[0].count != one_trained.figures[1].count


def test_a_test_that_a_card_does_not_have_is_an_empty_cell(one_trained, monkeypatch):
    other = small.recipe(tests=[{"data": "mnist"}])
    monkeypatch.setitem(RECIPES, other.key, other)
    assert _rows(results.table([other.key]))[2] == ["Small (`pixel_attention.small`), 2 seeds", ""]


def test_a_papers_figure_stands_above_ours_and_the_control(one_trained):
    said, _, table = results.reproduction(PAPER).partition("\n\n")
    assert said == "accuracy, table 1: 97.90 %. Ours:"
    assert table == results.table(["pixel_attention.small", "pixel_line.small"])


def test_everything_names_each_paper_and_holds_its_tables(one_trained):
    assert results.everything().endswith(f"\n\n## A paper\n\nSomebody, 2020.\n\n{results.reproduction(PAPER)}\n")


README = "# Title\n\nbefore\n\n<!-- results -->\nold \\1 table\n<!-- end of results -->\n\nafter\n"


def test_a_renewed_readme_has_the_tables_between_its_marks_and_all_else_as_it_was(one_trained):
    renewed = results.renewed(README)
    before, _, rest = renewed.partition("<!-- results -->")
    between, _, after = rest.partition("<!-- end of results -->")
    assert (before, after) == ("# Title\n\nbefore\n\n", "\n\nafter\n")
    assert between.strip() == results.brief()


def test_to_renew_a_readme_twice_changes_nothing_more(one_trained):
    once = results.renewed(README)
    assert results.renewed(once) == once


@pytest.mark.parametrize(
    "readme",
    ["", "<!-- results -->", "<!-- end of results -->", "<!-- end of results -->\n<!-- results -->"],
    ids=["empty", "no end", "no start", "the wrong way round"],
)
def test_a_readme_without_its_marks_is_refused(readme):
    with pytest.raises(BadInput, match="The README needs the lines <!-- results --> and <!-- end of results -->"):
        results.renewed(readme)


def test_the_readme_is_not_stale():
    readme = results.README.read_text("utf-8")
    assert "<!-- results -->" in readme
    assert results.renewed(readme) == readme, "Run `python -m attnviz results --write`."
    assert results.FULL.read_text("utf-8") == results.everything(), "Run `python -m attnviz results --write`."


def _figure(right: list[bool], draws: int = 1) -> Figure:
    update = {"right": packed(np.array(right)), "count": len(right), "draws": draws}
    return FIGURE.model_copy(update=update)


def test_models_are_compared_picture_by_picture():
    one, other = [True] * 60 + [False] * 40, [True] * 50 + [False] * 30 + [True] * 20  # 10 + 0 against 0 + 20
    value, lowest, highest = results.difference(_figure(one), _figure(other))
    assert value == pytest.approx(-0.1)
    # 10 ones, 20 minus ones, 70 zeros: variance of the mean is (0.3 - 0.01) / 100
    assert (lowest, highest) == pytest.approx((-0.1 - 1.96 * 0.0539, -0.1 + 1.96 * 0.0539), abs=0.012)
    assert results.difference(_figure(one), _figure(one)) == (0, 0, 0)


def test_variants_of_a_picture_are_drawn_together():
    one, other = [True] * 50 + [False] * 50, [False] * 50 + [True] * 50
    value, lowest, highest = results.difference(_figure(one, 2), _figure(other, 2))
    assert (value, lowest, highest) == (0, 0, 0)  # each of 50 pictures: once for the one, once for the other
    _, lowest, highest = results.difference(_figure(one), _figure(other))
    assert lowest < -0.1 < 0.1 < highest


def test_figures_of_other_pictures_cannot_be_compared():
    with pytest.raises(BadInput, match="not the same pictures"):
        results.difference(FIGURE, FIGURE.model_copy(update={"data": "mnist"}))


def test_the_comparison_has_a_row_for_every_other_that_is_trained(one_trained, tmp_path):
    name = one_trained.name
    small.lay(tmp_path, *small.checkpoint("pixel_line")[1:], name="pixel_line.small")
    head, _, row = _rows(results.comparison(name, [name, "pixel_line.small", "ink.small"]))
    assert head == [f"`{name}` minus ..., in points", "strokes test", "strokes train, 20 pictures"]
    other = cards.read("pixel_line.small").figures[0]
    value, lowest, highest = results.difference(one_trained.figures[0], other)
    assert row[:2] == ["`pixel_line.small`", f"{100 * value:+.2f} ({100 * lowest:+.2f} to {100 * highest:+.2f})"]


def test_a_test_is_said_in_words():
    said = [
        results.words(RecipeTest(data="mnist")),
        results.words(RecipeTest(data="mnist", augmentation=Augmentation(rotation=180, sampling=("nearest",)))),
        results.words(RecipeTest(data="mnist", augmentation=Augmentation(noise=0.2))),
    ]
    assert said == ["mnist test", "mnist test, variants, nearest", "mnist test, noise"]


def test_where_the_paper_gives_no_figure_only_ours_stand(one_trained):
    figure = PAPER.figures[0].model_copy(update={"value": None})
    said = results.reproduction(PAPER.model_copy(update={"figures": (figure,)}))
    assert said.startswith("accuracy. Ours:")


def test_each_row_has_its_own_tests(one_trained, monkeypatch):
    other = small.recipe("pixel_line", tests=[{"data": "mnist"}, {"data": "strokes"}], cost="70 core-minutes")
    monkeypatch.setitem(RECIPES, other.key, other)
    head, _, trained, missing = _rows(results.table(list(RECIPES)))
    assert head[1:] == [*head[1:3], "mnist test"]
    assert trained[1:] == [*map(results.spread, one_trained.figures), ""]
    assert missing[1:] == ["*not trained* (70 core-minutes)", "", "*not trained* (70 core-minutes)"]


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.98856, "share", "98.86 %"),
        (33084, "count", "33,084"),
        (7.5913, "nats", "7.591 nats"),
        (0.0, "nats", "0 nats"),
    ],
)
def test_a_number_is_written_in_its_unit(value, unit, said):
    assert results.said(value, unit) == said


def test_a_spread_is_written_in_its_unit():
    figure = FIGURE.model_copy(update={"unit": "nats", "mean": 0.50614, "lowest": 0.4, "highest": 0.6})
    assert results.spread(figure) == "0.5061 nats (0.4 to 0.6)"


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
    title, _, said = results.beside(given).partition("\n\n")
    head, _, trained, missing = _rows(said)
    assert title == "Table 1."
    assert head[1:] == [word for of in ("accuracy", "loss", "parameters") for word in (f"{of}, theirs", "ours")]
    losses = [run.curve["train_loss"][run.epoch - 1] for run in one_trained.runs]
    mean, low, high = sum(losses) / 2, min(losses), max(losses)
    assert trained[1:] == [
        "81.46 %", results.spread(one_trained.figures[0]), "7.591 nats", f"{mean:.4g} nats ({low:.4g} to {high:.4g})",
        "33,084", "793",
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
    assert results.reproduction(paper) == results.beside(given)
    assert paper.checkpoints == (one_trained.name, "pixel_line.small")


def test_a_row_of_a_table_needs_a_value_in_each_column():
    with pytest.raises(ValidationError, match="each row needs a value, or None, in each column"):
        PaperTable(title="", columns=(PaperColumn(title="a"),), rows=(PaperRow(checkpoint="x", values=(1.0, 2.0)),))


def test_a_card_without_weights_says_how_they_are_made(one_trained, tmp_path):
    (tmp_path / one_trained.name / "weights.safetensors").unlink()
    assert _rows(results.table([one_trained.name]))[2][0].endswith(f"2 seeds; no weights here: `{one_trained.command}`")


def test_models_are_compared_in_pairs_of_the_same_seed(one_trained):
    test = one_trained.recipe.tests[0]

    def card(seeds: list[int], values: tuple[float, ...]) -> cards.Card:
        runs = tuple(one_trained.runs[0].model_copy(update={"seed": seed}) for seed in seeds)
        figure = one_trained.figures[0].model_copy(update={"per_seed": values})
        return one_trained.model_copy(update={"runs": runs, "figures": (figure,)})

    found = results.by_seed(card([0, 1, 2], (0.5, 0.7, 0.9)), card([2, 0], (0.6, 0.6)), test)
    assert found == pytest.approx((0.1, -0.1, 0.3, 2))
    with pytest.raises(BadInput, match="have no seed in common"):
        results.by_seed(card([0], (0.5,)), card([1], (0.5,)), test)
    with pytest.raises(BadInput, match="has no loss per seed on strokes test. Train it again"):
        results.by_seed(one_trained, one_trained, test, "loss")


def test_figures_of_no_pictures_are_left_out_of_the_comparison(one_trained, tmp_path):
    card, _, weights = small.checkpoint("pixel_line")
    figures = tuple(figure.model_copy(update={"right": None}) for figure in card.figures)
    small.lay(tmp_path, cards.text(card.model_copy(update={"figures": figures})).encode(), weights, name=card.name)
    assert _rows(results.comparison(one_trained.name, [card.name]))[2] == [f"`{card.name}`", "", ""]


def test_mirrored_and_cropped_pictures_are_said_in_words():
    asked = RecipeTest(data="cifar10", augmentation=Augmentation(mirror=True, crop=4))
    assert results.words(asked) == "cifar10 test, mirror and crop"


def test_a_damaged_card_costs_the_tables_its_own_row_alone(one_trained, tmp_path):
    small.lay(tmp_path, b"{}", b"", name="pixel_line.small")
    _, _, trained, damaged = _rows(results.table(list(RECIPES)))
    assert trained[1:] == [*map(results.spread, one_trained.figures)]
    assert damaged == ["Small (`pixel_line.small`)", "*damaged*", "*damaged*"]
    assert "pixel_line" not in results.comparison(one_trained.name, list(RECIPES))


def test_tests_on_the_first_pictures_and_on_all_stand_beside_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    name = "recurrent_attention.cluttered"
    assert [one.count for one in RECIPES[name].tests] == [1000, None]
    absent = results.table([name]).splitlines()[0]
    assert absent.count("| cluttered_mnist test, 1,000 pictures |") == 1
    assert absent.count("| cluttered_mnist test |") == 1
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS")
    head, _, row = results.table([name]).splitlines()
    cells = dict(zip(head.strip("| ").split(" | "), row.strip("| ").split(" | "), strict=True))
    found = {figure.count: figure for figure in cards.read(name).figures if figure.name == "accuracy"}
    assert len(found) == 2
    for count, figure in found.items():
        assert f"{100 * figure.mean:.2f} %" in cells[f"cluttered_mnist test, {count:,} pictures"]
    [dot] = result_dots.of([name], (), {}, "cluttered_mnist")
    assert dot.mean == 100 * found[10_000].mean
