"""The tables of README and pages, attnviz/results.py."""

from pathlib import Path

import pytest

from attnviz import cards, results
from attnviz.cards import Figure
from attnviz.errors import BadInput
from attnviz.recipes import PAPERS, RECIPES
from tests.training import small

FIGURE = Figure(
    name="accuracy",
    data="strokes",
    split="test",
    count=2109,
    value=0.5,
    mean=0.98856,
    lowest=0.98,
    highest=0.9996,
    seeds=5,
)
PAPER = small.paper("pixel_attention.small", "pixel_line.small")


@pytest.fixture
def one_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cards.Card:
    """There are two recipes, and one of them is trained."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    card, *content = small.checkpoint()
    small.lay(tmp_path, *content)
    for key in list(RECIPES):
        monkeypatch.delitem(RECIPES, key)
    for recipe in (small.recipe(), small.recipe("pixel_line")):
        monkeypatch.setitem(RECIPES, recipe.key, recipe)
    for name in list(PAPERS):
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
    assert results.everything() == f"**A paper** (Somebody, 2020): {results.reproduction(PAPER)}"


README = "# Title\n\nbefore\n\n<!-- results -->\nold \\1 table\n<!-- end of results -->\n\nafter\n"


def test_a_renewed_readme_has_the_tables_between_its_marks_and_all_else_as_it_was(one_trained):
    renewed = results.renewed(README)
    before, _, rest = renewed.partition("<!-- results -->")
    between, _, after = rest.partition("<!-- end of results -->")
    assert (before, after) == ("# Title\n\nbefore\n\n", "\n\nafter\n")
    assert between.strip() == results.everything()


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
