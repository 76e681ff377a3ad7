"""What if one setting had been different: attnviz/ui/training/experiments/what_if.py."""

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.training import runs
from attnviz.ui.training.experiments import what_if
from attnviz.work.jobs import seen
from attnviz.work.jobs.order import Order
from attnviz.work.jobs.seen import Seen
from attnviz.work.jobs.table import State
from tests.training import small


def test_the_words_are_those_of_the_interval():
    worse = what_if.compared(0.9, 0.5, 100, "heads 1")
    assert worse.startswith("**With heads 1 it answers worse**: at its best epoch 50.0 % of 100 validation pictures")
    assert "right, instead of 90.0 % (95 % interval of the difference \u221251.43 to \u221228.57 points)" in worse
    assert "answers better" in what_if.compared(0.5, 0.9, 100, "heads 1")
    assert "about as well, as far as these pictures can show" in what_if.compared(0.9, 0.88, 100, "heads 1")


def test_one_setting_is_changed_and_all_else_is_asked_for_as_before(files, there):
    (one,) = there
    asked = what_if._asked(one, 1, "learning_rate", "0.1")
    assert (asked.changes, asked.seeds, asked.model) == ({"learning_rate": "0.1"}, (1,), "pixel_attention")
    made = asked.made()
    assert made.learning_rate == 0.1
    assert what_if._run_of(there, made, 1) is None
    assert what_if._run_of(there, one.recipe, 1) == files[1].id
    second = Seen("other", State("running", ""), (), asked, made)
    assert what_if._job([*there, second], made, 1) is second
    assert what_if._job([*there, second], made, 0) is None
    again = Seen("again", State("stopped", ""), (), asked.model_copy(update={"seeds": (0,)}), made)
    assert what_if._job([*there, second, again], made, 0) is again


@pytest.mark.parametrize("changes", [{"epochs": "1"}, {"heads": "1"}])
def test_a_training_with_other_settings_is_not_taken_for_it(there, changes):
    made = Order(model="pixel_attention", recipe="small", changes=changes).made()
    assert what_if._job(there, made, 1) is None
    assert small.recipe().key == "pixel_attention.small"


def both(key, made, seed, words):
    from attnviz.ui.training.experiments import what_if

    what_if._curves(key, made, seed, words, False)


@pytest.mark.parametrize(("state", "judged"), [("finished", 1), ("paused", 0)])
def test_only_a_finished_training_is_judged(files, there, monkeypatch, state, judged):
    first, second = files
    monkeypatch.setattr(seen, "look", lambda: there)
    monkeypatch.setattr(runs, "status", lambda run: {"state": state})
    page = AppTest.from_function(
        both, default_timeout=120, args=(f"run:{first.id}", there[0].recipe, 1, "seed 1")
    ).run()
    assert not page.exception
    assert sum("it answers" in one.value for one in page.markdown) == judged
    assert sum("<svg" in one.value for one in page.markdown) == 2
    assert runs.read(second.id).seed == 1
