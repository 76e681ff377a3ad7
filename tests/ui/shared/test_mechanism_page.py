"""What the pages of mechanisms share: which models are shown, and what a settled view does to the URL."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards
from attnviz.ui.components.url_fields import Field, Fields
from attnviz.ui.shared import mechanism_page, url_state


def script() -> None:
    from dataclasses import replace

    import streamlit as st

    from attnviz.errors import BadInput
    from attnviz.ui.mechanisms import MECHANISMS
    from attnviz.ui.shared import mechanism_page

    def see(names: list[str]) -> None:
        st.json(names)
        raise BadInput("Say this")

    row = MECHANISMS["cnn_attention"]
    if "nobody" in st.query_params:
        row = replace(row, models=("nobody",))
    mechanism_page.draw(row, "Who attends to whom?", "No model.", see, tries=[("an 8", {"number": "23"})])


def test_a_page_shows_the_checkpoints_of_its_own_models_that_are_no_controls() -> None:
    found = AppTest.from_function(script, default_timeout=60).run()
    seen = json.loads(found.json[0].value)
    assert "cnn_attention.digits" in seen
    assert {name.split(".")[0] for name in seen} == {"cnn_attention"}
    assert not {"cnn_attention.cluttered-zero", "cnn_attention.cluttered-narrow"} & set(seen)
    assert {"cnn_attention.cluttered-zero", "cnn_attention.cluttered-narrow"} <= set(cards.names())
    assert [error.value for error in found.error] == ["Say this"]
    assert [button.label for button in found.button] == [":primary-badge[an 8]"]


def test_without_a_model_it_says_so() -> None:
    page = AppTest.from_function(script, default_timeout=60)
    page.query_params["nobody"] = "1"
    page.run()
    assert not page.json
    assert [one.value for one in page.markdown][-1] == "No model."


def test_a_settled_view_goes_into_the_url_and_none_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[dict[str, Any]] = []
    monkeypatch.setattr(url_state, "set_value", lambda **words: written.append(words))
    views: dict[str, dict[str, Any] | None] = {"here": {"head": 2}, "before": None}
    fields = Fields(Field("head", "head", 0))
    mechanism_page.keep(fields, views.get, "before")()
    mechanism_page.keep(fields, views.get, "here")()
    assert written == [{"head": "3"}]
