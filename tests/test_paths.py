"""Where files lie, attnviz/paths.py: a folder that nobody has named is told when it is first written into."""

import logging
from pathlib import Path

import pytest

from attnviz import paths
from attnviz.__main__ import main
from attnviz.training import runs
from attnviz.training.run import Run
from tests.training import small


def test_the_first_write_says_where_it_is_and_the_next_does_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATTNVIZ_RUNS")
    monkeypatch.chdir(tmp_path)
    for seed in (0, 1):
        Run(small.run_file(small.recipe(), seed=seed))
    (said,) = caplog.messages
    assert said.startswith(f"Writing runs to {tmp_path / 'runs'}; ATTNVIZ_RUNS names another folder.")
    assert len(runs.ids()) == 2


def test_a_folder_that_its_user_has_named_is_not_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "mine"))
    assert runs.made().is_dir()
    paths.made(tmp_path / "cache" / "places", "places of tokens")
    assert [one.split("; ")[0] for one in caplog.messages] == [
        f"Writing places of tokens to {tmp_path / 'cache' / 'places'}. `attnviz paths` lists all folders."
    ]


def test_the_command_line_is_told_on_standard_error_unless_it_is_quiet(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(paths.__name__), "propagate", False)  # past pytest's own handlers
    for more, count in ((["--quiet"], 0), ([], 1)):
        assert main(["search", *more]) == 0
        paths.made(tmp_path / str(count), "searches")
        assert capfd.readouterr().err.count(f"Writing searches to {tmp_path}") == count
