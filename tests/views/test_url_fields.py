"""Every kind of URL field: the examples that the browser's side is tested by too, and nonsense."""

import json
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from attnviz.ui import components
from attnviz.ui.components import drawn, glimpse_player, pixel_viewer, sampling_grid, stage_grid, stage_maps
from attnviz.ui.shared.url_state import STAYS
from attnviz.views.url_fields import Field, Fields, place

WORDS = json.loads((Path(__file__).parents[1] / "javascript" / "url_words.json").read_text())


@pytest.mark.parametrize("example", WORDS, ids=lambda example: f"{example['kind']} {example['word']}")
def test_a_value_becomes_its_word_and_comes_back(example: dict[str, Any]) -> None:
    field = Field("it", example["kind"], default=object())
    assert field.write(example["value"]) == example["word"]
    assert field.read(example["word"]) == example["value"]


def test_there_is_an_example_of_every_kind_in_use() -> None:
    views = (pixel_viewer, stage_grid, stage_maps, glimpse_player, sampling_grid)
    several = (*(component.FIELDS for component in views), drawn.LINK)
    assert {field.kind for fields in several for field in fields.fields} <= {example["kind"] for example in WORDS}


def test_no_component_takes_a_word_that_lessons_have_in_every_url() -> None:
    modules = [import_module(f"{components.__name__}.{found.name}") for found in iter_modules(components.__path__)]
    tables = [value for module in modules for value in vars(module).values() if isinstance(value, Fields)]
    assert len(tables) >= 8
    assert not {field.name for fields in tables for field in fields.fields} & {*STAYS}


def test_defaults_are_left_out_and_other_fields_left_alone() -> None:
    fields = Fields(Field("head", "head", 0), Field("query", "place"))
    assert fields.write({"head": 0}) == {"head": None, "query": None}
    assert fields.read({"query": "1,2", "model": "a"}) == {"query": [0, 1]}
    assert fields.complete({"query": [0, 1]}) == {"head": 0, "query": [0, 1]}
    assert json.loads(json.dumps(fields.declared()))[0] == {"name": "head", "kind": "head", "default": 0, "options": []}


@pytest.mark.parametrize("word", ["", "x", "5", "5,8,9", "5;8", "-5,8", "\u0665,8", "1e3,2", "9999999,1"])
def test_nonsense_stays_as_it_is(word: str) -> None:
    assert place(word) is None
    assert Field("query", "place").read(word) == word


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("number", "-1"),
        ("head", "first"),
        ("heads", "1.2.3"),
        ("moves", "1.2"),
        ("moves", "1.2.3,"),
        ("yes_no", "maybe"),
        ("float", "1e"),
        ("float", "nan"),
    ],
)
def test_nonsense_of_other_kinds_too(kind: Any, word: str) -> None:
    assert Field("it", kind).read(word) == word
