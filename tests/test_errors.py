"""The tree of errors, attnviz/errors.py."""

import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import errors
from attnviz.errors import AttnvizError, UnknownName, closest

CLASSES = [thing for thing in vars(errors).values() if inspect.isclass(thing) and thing.__module__ == errors.__name__]


def test_every_error_is_an_attnviz_error_and_stands_in_the_tree():
    assert len(CLASSES) == 7
    for kind in CLASSES:
        assert issubclass(kind, AttnvizError)
        assert f" {kind.__name__} " in errors.__doc__.replace("\n", " ")


def test_an_unknown_name_says_what_it_was_and_which_is_closest():
    with pytest.raises(AttnvizError, match="^There is no model 'pixel_atention'. Did you mean 'pixel_attention'"):
        raise UnknownName("model", "pixel_atention", ["pixel_line", "pixel_attention"])


@pytest.mark.parametrize(
    ("name", "known", "sentence"),
    [
        ("wieghts", ["query", "weights"], "Did you mean 'weights'? There are: query, weights."),
        ("zzz", ["query", "weights"], "There are: query, weights."),
        ("zzz", [], "There are none."),
        ("zzz", (name for name in ("query", "key")), "There are: query, key."),
        ("zzz", [f"a{i}" for i in range(20)], f"There are: {', '.join(f'a{i}' for i in range(20))}."),
        ("zzz", [f"a{i}" for i in range(21)], f"There are: {', '.join(f'a{i}' for i in range(20))} and 1 more."),
    ],
)
def test_the_closest_name_comes_first_and_then_those_there_are(name, known, sentence):
    assert closest(name, known) == sentence


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=9), st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=20))
def test_whatever_is_asked_for_all_names_are_listed(name, known):
    assert closest(name, known).endswith(f"There are: {', '.join(known)}.")


def test_a_list_of_long_names_is_cut() -> None:
    known = [f"pixel_attention.a-long-name-of-a-checkpoint-{number}" for number in range(140)]
    said = closest("zzz", known)
    assert len(said) < 400
    assert said.startswith(f"There are: {known[0]}, {known[1]}, ") and said.endswith(" and 134 more.")


def test_a_name_of_any_length_is_cut() -> None:
    said = str(UnknownName("model", "x" * 6000, ["y"]))
    assert said.startswith(f"There is no model '{'x' * 100}…'. ")
    assert len(said) < 200
