"""The command line, attnviz/__main__.py."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import attnviz
from attnviz import __main__ as command
from attnviz import cards, data, files, formatting, result_tables, results
from attnviz.data import store
from attnviz.models import MODELS
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.paper import Paper
from attnviz.training import measuring, seeds
from attnviz.training.loop import Training
from attnviz.training.objectives import Measured
from attnviz.training.progress import Step
from attnviz.training.run import Run
from tests.training import small


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    """A place of its own with one checkpoint, of the one recipe that there is."""
    with small.place(tmp_path):
        small.lay(tmp_path / "checkpoints", *small.checkpoint()[1:])
        yield tmp_path


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "attnviz", *words], capture_output=True, text=True, check=False)


def test_as_a_program_it_lists_the_models_and_their_recipes():
    done = _run("models")
    assert (done.returncode, done.stderr) == (0, "")
    for name, spec in MODELS.items():
        assert f"{name} " in done.stdout
        assert spec.title in done.stdout
    assert "Recipes: 1v8, 1v8-augmented, 1v8-augmented-nearest, digits, digits-augmented." in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["evaluate", "nonsense"], "There is no checkpoint 'nonsense'."),
        (["modles"], "invalid choice: 'modles'"),
        ([], "the following arguments are required: COMMAND"),
    ],
    ids=str,
)
def test_as_a_program_a_wrong_word_ends_it_with_2_and_no_traceback(words, sentence):
    done = _run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def _fails(capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    """Run a command that must fail with one sentence; return it."""
    assert command.main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "pixel_atention", "--recipe", "small"], "no model 'pixel_atention'. Did you mean 'pixel_attention'"),
        (
            ["train", "pixel_attention", "--recipe", "smal"],
            "no recipe for pixel_attention 'smal'. Did you mean 'small'",
        ),
        (["train", "pixel_attention", "--recipe", "small", "--device", "gpu"], "must be auto, cpu or cuda, not 'gpu'"),
        (["train", "pixel_attention", "--recipe", "small", "--threads", "0"], "at least one thread, not 0"),
        (["train", "pixel_attention", "--recipe", "small", "--threads", "-2"], "at least one thread, not -2"),
        (["evaluate", "pixel_attention.smal"], "Did you mean 'pixel_attention.small'"),
        (["reproduce", "smal"], "no paper 'smal'. Did you mean 'small'"),
        (["data", "mnits"], "no data set 'mnits'. Did you mean 'mnist'"),
    ],
    ids=" ".join,
)
def test_a_wrong_word_is_answered_with_one_sentence(here, capsys, words, sentence):
    assert command.main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert sentence in told.err
    assert told.err.count("\n") == 1


def test_checkpoints_are_listed_with_their_figures(here, capsys):
    assert command.main(["checkpoints"]) == 0
    card = small.checkpoint()[0]
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("pixel_attention.small ")
    assert (
        f"793 parameters, seed {card.seed} of 2: accuracy {formatting.percent(card.figures[0].value)} on strokes test"
        in line
    )


LISTS = {
    "models": {"title", "source", "recipes"},
    "checkpoints": {"parameters", "seed", "seeds", "figures"},
    "data": {"title", "megabytes", "here"},
    "recipes": {"title", "model", "data", "trained"},
    "reproduce": {"title", "source", "checkpoints"},
    "lessons list": {"title", "steps"},
    "paths": {"path", "variable"},
    "runs": set(),
    "jobs list": set(),
    "search": set(),
}


@pytest.mark.parametrize("words", LISTS)
def test_each_list_is_json_for_a_program_with_the_lines_of_the_text(here, capsys, words):
    assert command.main([*words.split(), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert bool(rows) == bool(LISTS[words])
    assert all(set(row) == {"name", "line"} | LISTS[words] for row in rows)
    assert command.main(words.split()) == 0
    said = capsys.readouterr().out.splitlines()
    assert not rows or [line.split(maxsplit=1)[0] for line in said] == [row["name"].split()[0] for row in rows]
    assert all(line.endswith(row["line"]) for line, row in zip(said, rows, strict=False))


@pytest.mark.parametrize("words", [["checkpoints"], ["runs"], ["jobs", "list"], ["search"]], ids=" ".join)
def test_an_empty_list_says_what_to_do(tmp_path, capsys, words):
    with small.place(tmp_path):
        assert command.main(words) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("There are no ") and "`attnviz " in line


def test_runs_are_listed_with_how_far_they_are(here, capsys):
    run = Run(small.run_file(small.recipe()))
    assert command.main(["runs", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row == {
        "name": run.info.id, "line": "pixel_attention.small, seed 0: 0 of at most 4 epochs",
        "recipe": "pixel_attention.small", "seed": 0, "epochs": 0, "at_most": 4,
    }  # fmt: skip


def test_what_cannot_be_read_has_an_error_in_json(here, capsys):
    (here / "checkpoints" / "pixel_attention.small" / "card.json").write_text("{")
    assert command.main(["checkpoints", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["error"] == row["line"] != ""


@pytest.mark.parametrize(
    "words",
    [["data", "mnist"], ["search", "pixel_attention", "--recipe", "small"], ["reproduce", "schwarz"]],
    ids=" ".join,
)
def test_json_belongs_to_lists(here, capsys, words):
    assert "--json lists all" in _fails(capsys, [*words, "--json"])


def test_a_recipe_is_trained_and_its_card_written_and_its_figures_told(tmp_path, capsys):
    with small.place(tmp_path):
        words = ["train", "pixel_attention", "--recipe", "small", "--seeds", "0-1", "--device", "cpu", "--threads", "1"]
        assert command.main(words) == 0
        card = cards.read("pixel_attention.small")
    told = capsys.readouterr()
    assert [run.seed for run in card.runs] == [0, 1]
    assert card.weights_digest == small.checkpoint()[0].weights_digest
    where, *lines = told.out.splitlines()
    assert str(tmp_path / "checkpoints" / "pixel_attention.small") in where
    assert len(lines) == 2
    assert lines[0].endswith(formatting.spread(card.figures[0]))
    assert told.err.count("seed 1, epoch ") == told.err.count("\n") / 2 == 4  # no terminal: a line for each epoch
    assert "validation loss" in told.err and "\r" not in told.err


def test_a_checkpoint_is_tested_again_and_agrees_with_its_card(here, capsys):
    assert command.main(["evaluate", "pixel_attention.small"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line, figure in zip(lines, small.checkpoint()[0].figures, strict=True):
        said = formatting.percent(figure.value)
        assert line.startswith(
            f"pixel_attention.small: accuracy on strokes {figure.split}, {figure.count}: {said}; its card records "
        )
    assert lines[0].endswith(f"its card records {formatting.percent(small.checkpoint()[0].figures[0].value)}")


def test_each_figure_is_told_with_its_name_and_on_how_many_it_was_measured(here, capsys, monkeypatch):
    def measures(*_: object) -> dict[str, Measured]:
        return {"accuracy": Measured(0.25), "loss": Measured(0.5, count=7)}

    monkeypatch.setattr(measuring, "evaluate", measures)
    assert command.main(["evaluate", "pixel_attention.small"]) == 0
    first, second = capsys.readouterr().out.splitlines()[:2]
    whole = small.checkpoint()[0].figures[0].count
    assert first.startswith(f"pixel_attention.small: accuracy on strokes test, {whole}: 25.00 %; its card records ")
    assert second == "pixel_attention.small: loss on strokes test, 7: 0.5 nats; its card does not record it"


def test_evaluating_without_the_data_says_how_to_get_them(here, capsys, monkeypatch):
    def missing(*_: object, **__: object) -> None:
        store.read("mnist", "test")

    monkeypatch.setattr(data, "load", missing)
    assert "MNIST has not been downloaded" in _fails(capsys, ["evaluate", "pixel_attention.small"])


def test_the_tables_are_printed(here, capsys):
    assert command.main(["results"]) == 0
    assert capsys.readouterr().out == results.everything()


def test_the_tables_are_written(here, capsys, monkeypatch):
    monkeypatch.setattr(results, "FULL", here / "results.md")
    assert command.main(["results", "--write"]) == 0
    assert (here / "results.md").read_text("utf-8") == results.everything()
    assert (here / "results.csv").read_text("utf-8") == result_tables.every_figure()
    assert str(here / "results.md") in capsys.readouterr().out


def test_tables_that_cannot_be_written_are_one_sentence(here, capsys, monkeypatch):
    monkeypatch.setattr(results, "FULL", here / "nowhere" / "results.md")
    assert "cannot be written: no such file or directory" in _fails(capsys, ["results", "--write"])
    monkeypatch.setattr(results, "FULL", here / "results.md")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "cannot be written: no space left on device" in _fails(capsys, ["results", "--write"])
    assert not (here / "results.md").exists()


@pytest.fixture
def with_control(here: Path, monkeypatch: pytest.MonkeyPatch) -> Paper:
    """A second recipe of the paper, that was not trained."""
    control = small.recipe("pixel_line")
    monkeypatch.setitem(RECIPES, control.key, control)
    paper = small.paper("pixel_attention.small", "pixel_line.small")
    monkeypatch.setitem(PAPERS, "small", paper)
    return paper


def test_a_papers_figures_are_printed_from_the_cards_alone(with_control, capsys):
    assert command.main(["reproduce", "small"]) == 0
    assert capsys.readouterr().out == f"A paper (Somebody, 2020)\n\n{result_tables.reproduction(with_control)}\n"
    assert "*not trained*" in result_tables.reproduction(with_control)


def test_what_is_missing_of_a_paper_is_trained_with_five_seeds(with_control, capsys, monkeypatch):
    before = (cards.folder() / "pixel_attention.small" / "card.json").read_bytes()
    assert command.main(["reproduce", "small", "--train", "--device", "cpu"]) == 0
    assert "*not trained*" not in capsys.readouterr().out
    assert [run.seed for run in cards.read("pixel_line.small").runs] == [0, 1, 2, 3, 4]
    assert (cards.folder() / "pixel_attention.small" / "card.json").read_bytes() == before


def test_a_data_set_is_fetched_and_its_place_told(capsys, monkeypatch):
    def fetch(name: str, progress: data.store.Progress) -> None:
        progress(0.5, "half")
        progress(1.0, f"{name} is here")

    monkeypatch.setattr(data, "fetch", fetch)
    for terminal, words in ((False, []), (True, ["--quiet"]), (True, [])):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        assert command.main(["data", "mnist", *words]) == 0
        told = capsys.readouterr()
        assert str(data.folder() / "mnist") in told.out
        assert ("100 %" in told.err) == (terminal and not words)


def test_a_full_disk_while_training_is_one_sentence(tmp_path, capsys, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write", full)
    with small.place(tmp_path):
        assert command.main(["train", "pixel_attention", "--recipe", "small", "--device", "cpu"]) == 2
    told = capsys.readouterr().err
    assert "cannot be written: no space left on device. Fix that and start the same command again" in told
    assert "Traceback" not in told


@pytest.mark.parametrize("option", ["--more", "--minutes"])
def test_no_epochs_and_no_time_are_refused(here, capsys, option):
    assert command.main(["train", "pixel_attention", "--recipe", "small", "--run-only", option, "0"]) == 2
    assert capsys.readouterr().err.endswith(f"{option} must be above 0, not 0.\n")


def test_stopped_from_the_keyboard_it_says_how_to_go_on(here, capsys, monkeypatch):
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(seeds, "train", stopped)
    assert command.main(["train", "pixel_attention", "--recipe", "small"]) == 130
    assert capsys.readouterr().err == "Stopped before the training began. What was saved earlier is still there.\n"


@pytest.mark.parametrize(
    ("seed", "epoch", "sentence"),
    [
        (0, 1, "Stopped in the first epoch of seed 0: nothing of it was saved.\n"),
        (0, 3, "Stopped. The same command resumes seed 0 after epoch 2.\n"),
        (1, 1, "of seed 1: nothing of it was saved. Seed 0 is saved: the same command resumes after it.\n"),
    ],
)
def test_stopped_in_an_epoch_it_says_what_was_saved_and_going_on_says_so(
    tmp_path, capsys, monkeypatch, seed, epoch, sentence
):
    def stop(self: Training, values: object) -> Iterator[Step]:
        found = train_epoch(self, values)
        yield next(found)
        if (self.generator.initial_seed(), self.epoch + 1) == (seed, epoch):
            raise KeyboardInterrupt
        return (yield from found)

    train_epoch = Training._train_epoch
    words = ["train", "pixel_line", "--recipe", "small", "--seeds", "0-1", "--device", "cpu", "--threads", "1"]
    with small.place(tmp_path, small.recipe("pixel_line")):
        with monkeypatch.context() as patch:
            patch.setattr(Training, "_train_epoch", stop)
            assert command.main(words) == 130
        told = capsys.readouterr().err
        assert told.endswith(sentence)
        assert "Traceback" not in told
        assert command.main(words) == 0
    again = capsys.readouterr().err
    assert ("seed 0 resumes after 2 epochs." in again) == (epoch == 3)
    assert ("seed 0 is already trained: 4 epochs." in again) == (seed == 1)


def test_the_bar_counts_epochs_of_seeds_and_tells_no_remaining_time(tmp_path, capsys):
    words = ["train", "pixel_line", "--recipe", "small", "--seeds", "0-1", "--device", "cpu", "--threads", "1"]
    with small.place(tmp_path, small.recipe("pixel_line")):
        assert command.main(words) == 0
    told = capsys.readouterr().err
    assert "pixel_line.small: seed 1, epoch 4 of at most 4, train loss 0." in told
    assert "?" not in told
    assert "<" not in told
    assert "...." not in told


@pytest.mark.parametrize(
    "words",
    [
        ["train", "pixel_attention", "--recipe", "small", "--device", "cpu", "--threads", "0"],
        ["data", "mnits"],
        ["train", "pixel_line", "--recipe", "small", "--device", "cpu"],
    ],
    ids=["threads", "name", "data"],
)
def test_no_bar_stands_before_an_error(here, capsys, monkeypatch, words):
    known = small.recipe("pixel_line", data="mnist")
    monkeypatch.setitem(RECIPES, known.key, known)
    assert _fails(capsys, words)


def test_an_extra_is_named_where_what_it_installs_is_missing():
    code = (
        "import sys; sys.modules['psutil'] = None; from attnviz.__main__ import main; sys.exit(main(['jobs', 'list']))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'This command needs psutil, which is missing: pip install "attnviz[train]"\n'


def test_as_a_program_it_says_its_version():
    assert _run("--version").stdout == f"attnviz {attnviz.__version__}\n"


@pytest.mark.parametrize("words", [["checkpoints"], ["results"], ["models"]], ids=str)
def test_a_pipe_that_nobody_reads_any_more_is_no_traceback(words):
    words = [sys.executable, "-m", "attnviz", *words]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141
