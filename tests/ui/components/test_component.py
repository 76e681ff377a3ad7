"""How components are named, found and registered, attnviz/ui/components/component.py."""

from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from attnviz.ui.components import component as module
from attnviz.ui.components.component import component, full_name, module_of, reported


def test_a_name_without_a_package_belongs_to_attnviz() -> None:
    assert full_name("map_grid") == "attnviz.map_grid"
    assert full_name("elsewhere.wheel") == "elsewhere.wheel"


def test_files_lie_in_a_folder_of_the_components_name_if_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "wheel").mkdir()
    assert module_of("wheel", tmp_path) == "wheel/wheel"
    assert module_of("cube", tmp_path) == "cube"


def test_a_component_is_registered_once_and_under_its_full_name(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: list[tuple[str, str, str]] = []

    def register(name: str, *, js: str, css: str) -> Any:
        registered.append((name, js, css))
        return lambda **_: name

    monkeypatch.setattr(module, "_registered", {})
    monkeypatch.setattr(st.components.v2, "component", register)
    assert component("map_grid") is component("map_grid")
    assert component("elsewhere.wheel")(key="a") == "elsewhere.wheel"
    assert registered == [
        ("attnviz.map_grid", "map_grid/map_grid.js", "map_grid/map_grid.css"),
        ("elsewhere.wheel", "wheel.js", "wheel.css"),
    ]


def test_a_report_without_a_callback_of_its_page_does_what_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    monkeypatch.setattr(module, "when_reported", [lambda: done.append(1), lambda: done.append(2)])
    reported()
    assert done == [1, 2]
