"""Rows of the results' picture: from the cards that are there, beside what a paper gives."""

import shutil
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, comparisons, data, result_tables
from attnviz.charts.dots import Dot
from attnviz.recipes import PAPERS, RECIPES
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import cache
from attnviz.ui.shared.results import result_dots
from attnviz.work.kept import Kept
from attnviz.work.queue import QUEUE
from tests.ui.mechanisms.element_wise.placed import place


def test_a_paper_s_accuracies_stand_by_the_checkpoint_that_answers_to_them() -> None:
    said = result_dots.claimed(("bacochina", "no such paper"))
    assert said["element_wise.fashion-b"] == 0.8146
    assert said["vgg_control.cifar"] == 0.6712


def test_what_a_paper_measured_on_other_pictures_stands_beside_no_test_of_ours() -> None:
    claims = result_dots.claimed([*PAPERS])
    assert not [name for name in claims if name.startswith("pixel_attention.")]  # validation pictures, some turned
    for source in data.DATASETS:
        rows = [row for row in result_dots.of([*claims], (), claims, source) if row.claimed]
        assert bool(rows) == (source in ("fashion_mnist", "cifar10")), "drawn anew, these are not the paper's pictures"


def test_each_figure_of_a_paper_beside_a_dot_was_measured_on_the_same_test() -> None:
    for name in result_dots.claimed([*PAPERS]):
        test = comparisons.main_test(RECIPES[name])
        assert (test.split, test.count, test.augmentation, test.draws) == ("test", None, None, 1)
        assert data.DATASETS[test.data].made_from is None and test.data == RECIPES[name].data


def test_rows_are_those_that_are_trained_and_measured_on_these_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path)))
    names = ["element_wise.small", "element_wise.colour", "element_wise.absent"]
    (row,) = result_dots.of(names, ("element_wise",), {"element_wise.small": 0.7}, "fashion_mnist")
    assert (row.name, row.control, row.claimed, row.seeds) == ("Small, small", True, pytest.approx(70), 1)
    assert (row.lowest, row.mean, row.highest) == pytest.approx((50, 50, 50))
    (row,) = result_dots.of(names, (), {}, "cifar10")
    assert (row.control, row.claimed) == (False, None)


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("pixel_attention.digits", "pixel_attention?v=2&model=pixel_attention.digits"),
        ("element_wise.fashion-repaired-one", "element_wise?v=2&model=element_wise.fashion-repaired-one"),
        ("pixel_line.digits", "explorer?v=2&model=pixel_line.digits"),
        ("cnn_attention.fashion-within", None),  # its weights are not here
        ("no.such", None),
    ],
)
def test_a_row_leads_to_the_page_that_shows_its_model(name: str, link: str | None) -> None:
    assert result_dots.leads_to(name) == link


def test_a_verdict_without_a_trained_control_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "recurrent_attention.cluttered"
    shutil.copytree(cards.folder() / name, tmp_path / name)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    (line,) = result_dots.verdicts(MECHANISMS["recurrent_attention"])
    assert (line.one.figure, line.other, line.verdict) == ("95.09 %", None, "no control yet")
    assert result_dots.verdicts(MECHANISMS["element_wise"]) == []


def test_names_lose_the_words_that_all_of_them_begin_with() -> None:
    def names(*several: str) -> list[str]:
        return [row.name for row in result_dots.shortened([Dot(name, 1, 1, 1, 1) for name in several])]

    assert names("Ten digits with positions", "Ten digits, rotated: the ink", "Ten digits: the ink") == [
        "With positions",
        "Rotated: the ink",
        "The ink",
    ]
    assert names("Model A: 8 heads", "Softmax regression") == ["Model A: 8 heads", "Softmax regression"]
    assert names("Ten digits", "Ten digits, rotated") == ["Ten digits", "Ten digits, rotated"]
    assert names("Ten digits alone") == ["Ten digits alone"]


def test_a_task_is_shown_with_the_mechanism_s_models_and_everybody_s_controls() -> None:
    row = MECHANISMS["element_wise"]
    tasks = result_dots.groups(row)
    assert [task.title for task in tasks] == ["Fashion-MNIST", "CIFAR-10", "MNIST", "Strokes"]
    fashion = next(names for task, names in tasks.items() if task.source == "fashion_mnist")
    assert "element_wise.fashion-b" in fashion
    assert "pixel_line.fashion" in fashion, "a control of another mechanism, on the same pictures"
    assert "recurrent_attention.fashion" not in fashion, "a model of another mechanism"
    one, eight = (result_dots.Task("mnist", classes).title for classes in ((8, 1), tuple(range(10))))
    assert (one, eight) == ("MNIST, 1 and 8", "MNIST")


def test_beside_a_model_stand_controls_that_learnt_from_the_same_variants_or_from_plain_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[list[str]] = []
    monkeypatch.setattr(result_dots, "show", lambda names, *_, key, like: drawn.append([*names]))
    row = MECHANISMS["pixel_attention"]
    for name, classes in (("1v8-augmented", (8, 1)), ("digits", tuple(range(10)))):
        task = result_dots.Task("mnist", classes)
        result_dots.of_mechanism(row, task, key="x", like=f"pixel_attention.{name}")
    rotated, plain = ([name for name in names if not name.startswith("pixel_attention.")] for names in drawn)
    assert rotated == [f"{one}.1v8-augmented" for one in ("ink", "histogram_line", "histogram_mlp", "pixel_line")]
    assert plain == ["pixel_mlp.digits-moved", "pixel_line.digits-moved", "plain_conv.digits"]


def test_beside_the_numbers_stands_which_models_had_another_budget() -> None:
    row, task = MECHANISMS["recurrent_attention"], result_dots.Task("cluttered_mnist", tuple(range(10)))
    names = [name for name in result_dots.groups(row)[task] if RECIPES[name].data == task.source]
    otherwise, table, *_ = result_dots.numbers(names, row.papers, "recurrent_attention.cluttered")
    assert otherwise.startswith("Not trained like *Cluttered digits, ours*: ")
    for name in filter(cards.is_there, names):
        epochs = RECIPES[name].epochs
        assert (f"*{RECIPES[name].title}*" in otherwise.partition(": ")[2]) >= (epochs != 150)
        assert epochs == 150 or f"epochs 150 against {epochs}" in otherwise
    assert table == result_tables.table(names)
    assert result_dots.numbers(names, row.papers, None)[0] == table


def script() -> None:
    from attnviz.ui.mechanisms import MECHANISMS
    from attnviz.ui.shared.results import result_dots

    row, task = MECHANISMS["recurrent_attention"], result_dots.Task("cluttered_mnist", tuple(range(10)))
    result_dots.of_mechanism(row, task, key="x", like="recurrent_attention.cluttered")


def test_the_numbers_are_computed_once_they_are_opened_and_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[str] = []
    for name in ("numbers", "drawn"):
        function = getattr(result_dots, name)

        @wraps(function)
        def counted(*given: Any, name: str = name, function: Callable[..., Any] = function) -> Any:
            computed.append(name)
            return function(*given)

        monkeypatch.setattr(result_dots, name, counted)
    monkeypatch.setattr(cache, "_rendered", Kept(1 << 24, QUEUE))
    everything = ["drawn", "drawn", "numbers"]  # the best, all, and their numbers
    for opened, expected in ((False, ["drawn"]), (True, everything), (True, everything)):
        page = AppTest.from_function(script, default_timeout=120)
        page.session_state["numbers_of_x"] = opened
        page.run()
        assert not page.exception
        assert computed == expected
        assert any("| Mean over the seeds" in one.value for one in page.markdown) is opened


def test_below_the_chart_stands_which_models_had_no_validation_part_and_renewed_statistics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    monkeypatch.setattr("streamlit.caption", lambda text, **_: said.append(text))
    row = MECHANISMS["element_wise"]
    task = next(task for task in result_dots.groups(row) if task.source == "fashion_mnist")
    names = result_dots._beside(row.models, task, "element_wise.fashion-b", None)
    everything = result_dots.drawn(names, (), row.papers, task.source, None)
    first, second = everything.caveats.split(" had a validation part. ")
    assert first == "Only *Fashion-MNIST: a small network on the pixels*"  # a control of another paper
    shown = [name for name in result_dots.groups(row)[task] if name in cards.names()]
    trained = [RECIPES[name] for name in shown if RECIPES[name].augmentation is None]
    assert [one.key for one in trained if one.validation is not None] == ["pixel_mlp.fashion"]
    renewed = {one.title.partition(": ")[0] for one in trained if one.keep == "renewed"}
    assert {"Model A", "Model C", "Model E", "Model G"} <= renewed
    start, end = "The running statistics of ", " were renewed after training, unlike the paper's."
    assert second.startswith(start) and second.endswith(end)
    assert set(second.removeprefix(start).removesuffix(end).split("*")) - {"", ", "} == renewed
    said.clear()
    digits = result_dots.Task("mnist", tuple(range(10)))
    result_dots.of_mechanism(MECHANISMS["recurrent_attention"], digits, key="x", like="recurrent_attention.digits")
    assert not any("statistics" in one for one in said)


def test_of_many_models_the_one_looked_at_and_the_best_are_drawn_and_all_one_click_away() -> None:
    rows = [Dot(name, mean, mean, mean, 1, control=name > "f") for mean, name in enumerate("abcdefghi")]
    assert [row.name for row in result_dots.best_of(rows, "b")] == ["b", "e", "f", "h", "i"]
    assert [row.name for row in result_dots.best_of(rows[:5], "b")] == [*"abcde"]
    row, like = MECHANISMS["element_wise"], "element_wise.fashion-b"
    names = result_dots._beside(row.models, result_dots.Task("fashion_mnist", tuple(range(10))), like, None)
    few, everything = (result_dots.drawn(names, row.controls, row.papers, "fashion_mnist", one) for one in (like, None))
    assert RECIPES[like].title.partition(": ")[0] in few.picture
    assert few.rows <= result_dots.MOST_SHOWN < few.among == everything.rows


def test_without_a_trained_model_of_the_mechanism_controls_alone_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("streamlit.caption", said.append)
    monkeypatch.setattr(result_dots, "show", lambda *_, **__: said.append("shown"))
    for folder in (cards.folder(), tmp_path):
        monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
        task = result_dots.Task("mnist", tuple(range(10)))
        result_dots.of_mechanism(MECHANISMS["pixel_attention"], task, key="x")
    assert said == ["shown", "No model with this mechanism has been trained on MNIST yet."]


def test_what_a_paper_says_stands_below_its_title_and_only_for_its_own_models() -> None:
    paper = PAPERS["bacochina"]
    first, *rest = result_dots.from_paper(paper, ["element_wise.fashion-b"])
    assert first == f"**{paper.title}**, {paper.source}:"
    assert any("81.46 %" in part for part in rest)
    assert result_dots.from_paper(paper, ["pixel_attention.digits"]) == []


def test_beside_a_net_stand_those_trained_on_the_same_data(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[list[str]] = []
    monkeypatch.setattr(result_dots, "show", lambda names, *_, key, like: drawn.append([*names]))
    row, like = MECHANISMS["sequences"], "encoder_decoder.strips-15"
    task = result_dots.Task("strips_mnist_15", RECIPES[like].classes)
    for one in (like, None):
        result_dots.of_mechanism(row, task, key="x", like=one)
    beside, everywhere = drawn
    assert {RECIPES[name].data for name in beside} == {"strips_mnist_15"}
    assert {RECIPES[name].data for name in everywhere} == {"strips_mnist_15", "strips_mnist_30"}
    result_dots.of_mechanism(row, task, key="x", like=like, compared=lambda recipe: recipe.epochs <= 12)
    assert {*beside} - {*drawn[-1]} == {name for name in beside if name.endswith("-patient")}


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["Cluttered digits, 4 glimpses", "Cluttered digits, 6 glimpses"], ["4 glimpses", "6 glimpses"]),
        (["CIFAR-10: 8 heads", "CIFAR-10, repaired"], ["8 heads", "Repaired"]),
        (["Strips up to 15, sums", "Strips up to 30, sums"], ["Strips up to 15, sums", "Strips up to 30, sums"]),
        (["CIFAR-10", "CIFAR-100"], ["CIFAR-10", "CIFAR-100"]),
        (["Set a", "Set A"], ["Set a", "Set A"]),
        (["Rotated MNIST", "Rotated strokes"], ["MNIST", "Strokes"]),
        (["Ten digits", "Ten digits, moved"], ["Ten digits", "Ten digits, moved"]),
    ],
)
def test_what_all_names_begin_with_is_left_out_unless_a_number_needs_it(names: list[str], short: list[str]) -> None:
    rows = [Dot(name, 90.0, 90.0, 90.0, 1) for name in names]
    assert [row.name for row in result_dots.shortened(rows)] == short
