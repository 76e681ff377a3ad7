"""Trials that are shipped, attnviz/work/search/trials.py."""

import subprocess
import sys
from importlib import resources

import pytest

from attnviz.errors import RunError, UnknownName
from attnviz.work.search import trials
from attnviz.work.search.trials import Found, Trial


def test_the_33_trials_of_the_paper_are_there_with_their_origin():
    paper = trials.shipped("schwarz-paper")
    assert len(paper.trials) == len(paper.complete) == 33
    assert "Schwarz, 2021" in paper.source
    assert paper.best.described == "heads 25, skip no, learning rate 0.001, dropout 0.8"
    assert paper.best.value == 0.991
    by_heads = {heads: sum(t.params["heads"] == heads for t in paper.trials) for heads in (1, 8, 15, 25)}
    assert by_heads == {1: 8, 8: 1, 15: 1, 25: 23}


@pytest.mark.parametrize("name", trials.names())
def test_what_is_shipped_lies_on_its_axes_and_is_named_after_its_file(name):
    found = trials.shipped(name)
    assert found.name == name
    assert [trial.number for trial in found.trials] == list(range(len(found.trials)))
    for trial in found.finished:
        assert set(trial.params) == {axis.name for axis in found.axes}
        assert all(0 <= axis.place(trial.params[axis.name]) <= 1 for axis in found.axes)


def test_a_name_from_anywhere_leads_nowhere():
    for name in ("", "../trials", "schwarz-paper.json", "/etc/passwd"):
        with pytest.raises(UnknownName):
            trials.shipped(name)


def test_a_damaged_file_is_one_sentence(monkeypatch, tmp_path):
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "broken.json").write_text("{")
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    with pytest.raises(RunError, match="is damaged"):
        trials.shipped("broken")


def test_only_finished_trials_count_and_only_complete_ones_have_a_value():
    states = ("complete", "pruned", "failed", "running", "waiting")
    all_states = tuple(Trial(number=at, state=state, value=0.5 if at == 0 else None) for at, state in enumerate(states))
    axes = trials.shipped("schwarz-paper").axes
    found = Found(name="a", title="A", source="", axes=axes, trials=all_states)
    assert [trial.state for trial in found.finished] == ["complete", "pruned"]
    assert found.best == all_states[0]
    assert Found(name="a", title="A", source="", axes=axes, trials=()).best is None


def test_shipped_trials_cost_neither_optuna_nor_torch():
    code = (
        "from attnviz.work.search import trials; trials.shipped('schwarz-paper'); import sys; "
        "assert not {'optuna', 'ray', 'torch', 'sqlalchemy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
