"""What a recipe and a paper can be asked, and what neither can be."""

import pytest
from pydantic import ValidationError

from attnviz.recipes.paper import Paper, PaperColumn, PaperFigure, PaperRow, PaperTable
from attnviz.recipes.recipe import Probe, Recipe, Test, changed

PLAIN = Recipe(
    model="ink", name="plain", why="A test needs one.", title="Plain", config={}, data="strokes", classes=(1, 8),
    validation=0.1, learning_rate=0.1, batch=8, epochs=1, tests=(Test(data="strokes"),),
)  # fmt: skip


def test_the_key_is_the_name_of_the_checkpoint() -> None:
    assert PLAIN.key == "ink.plain"


def test_a_changed_recipe_differs_in_that_alone_and_is_checked() -> None:
    other = changed(PLAIN, batch=16)
    assert other.batch == 16 and PLAIN.batch == 8
    assert other.model_dump(exclude={"batch"}) == PLAIN.model_dump(exclude={"batch"})
    with pytest.raises(ValidationError, match="batch"):
        changed(PLAIN, batch=0)


@pytest.mark.parametrize("words", [{"title": "Another"}, {"why": "For no reason."}, {"cost": "1 core-minute"}], ids=str)
def test_texts_change_nothing_of_the_training(words: dict[str, str]) -> None:
    assert PLAIN.trains_like(changed(PLAIN, **words))


@pytest.mark.parametrize(
    "setting", [{"batch": 16}, {"config": {"mean": 0.5}}, {"classes": (8, 1)}, {"tests": ()}], ids=str
)
def test_all_else_does(setting: dict[str, object]) -> None:
    assert not PLAIN.trains_like(changed(PLAIN, **setting))


def test_a_probe_names_its_column_and_what_it_is_measured_on() -> None:
    assert Probe(name="seconds").column == "seconds"
    assert Probe(name="gradient_mean", of="conv1.weight").column == "gradient_mean of conv1.weight"


def test_a_paper_names_each_of_its_checkpoints_once_figures_first() -> None:
    def figure(*names: str) -> PaperFigure:
        return PaperFigure(what="accuracy", where="the test part", value=0.9, checkpoints=names)

    columns = (PaperColumn(title="Accuracy"),)
    table = PaperTable(
        title="1", columns=columns, rows=tuple(PaperRow(checkpoint=name, values=(None,)) for name in "cad")
    )
    paper = Paper(name="p", title="P", source="here", figures=(figure("b", "a"), figure("a", "c")), tables=(table,))
    assert paper.checkpoints == ("b", "a", "c", "d")


def test_a_table_has_a_value_in_each_column_of_each_row() -> None:
    columns = (PaperColumn(title="Accuracy"), PaperColumn(title="Parameters", of="parameters", unit="count"))
    for values in ((0.5,), (0.5, 1.0, 2.0)):
        with pytest.raises(ValidationError, match="each row needs a value, or None, in each column"):
            PaperTable(title="1", columns=columns, rows=(PaperRow(checkpoint="a", values=values),))
    assert PaperTable(title="1", columns=columns, rows=(PaperRow(checkpoint="a", values=(0.5, None)),)).rows
