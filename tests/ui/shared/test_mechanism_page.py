"""What the pages of mechanisms share: which models are shown, and what a settled view does to the URL."""

import json
from functools import partial
from typing import Any

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from attnviz import cards
from attnviz.ui.shared import mechanism_page, url_state
from attnviz.views.url_fields import Field, Fields


def script() -> None:
    from dataclasses import replace

    import streamlit as st

    from attnviz.errors import BadInput
    from attnviz.subjects import Net
    from attnviz.ui.mechanisms import MECHANISMS
    from attnviz.ui.shared import mechanism_page

    def see(names: list[str]) -> Net:
        st.json(names)
        raise BadInput("Say this")

    row = MECHANISMS["cnn_attention"]
    if "nobody" in st.query_params:
        row = replace(row, models=("nobody",))
    mechanism_page.draw(row, "Who attends to whom?", "No model.", see, tries=[("an 8", {"number": "23"})])


def test_a_page_shows_the_checkpoints_of_its_own_models_that_are_no_controls() -> None:
    found = AppTest.from_function(script, default_timeout=120).run()
    seen = json.loads(found.json[0].value)
    assert "cnn_attention.digits" in seen
    assert {name.split(".")[0] for name in seen} == {"cnn_attention"}
    assert not {"cnn_attention.cluttered-zero", "cnn_attention.cluttered-narrow"} & set(seen)
    assert {"cnn_attention.cluttered-zero", "cnn_attention.cluttered-narrow"} <= set(cards.names())
    assert [error.value for error in found.error] == ["Say this"]
    assert [button.label for button in found.button] == [":primary-badge[an 8]"]


def test_without_a_model_it_says_so() -> None:
    page = AppTest.from_function(script, default_timeout=120)
    page.query_params["nobody"] = "1"
    page.run()
    assert not page.json
    assert [one.value for one in page.markdown][-1] == "No model."


def in_two_parts() -> None:
    import streamlit as st

    from attnviz import subjects
    from attnviz.errors import BadInput
    from attnviz.subjects import Net
    from attnviz.ui.shared import mechanism_page

    def see() -> tuple[Net, str]:
        model = st.query_params["model"]
        st.session_state["drawn"].append(f"above {model}")
        if model == "none":
            raise BadInput("There is none.")
        return subjects.net(model), "strokes"

    def below(net: Net, source: str) -> None:
        st.session_state["drawn"].append(f"below {net.key} {source}")

    mechanism_page.follow(see, below)


def click(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Run the first fragment of a page alone, as a click inside it does; `AppTest` runs whole pages only."""
    parents = page._fragment_storage._parent_by_id
    first = next(one for one, parent in parents.items() if parent is None)
    with monkeypatch.context() as patch:
        patch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id_queue=[first]))
        return page.run()


def test_what_only_another_net_changes_is_drawn_again_for_another_net_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = "pixel_attention.1v8", "pixel_attention.digits"
    page = AppTest.from_function(in_two_parts, default_timeout=120)

    def drawn(model: str) -> list[str]:
        page.query_params["model"] = model
        page.session_state["drawn"] = []
        (click(page, monkeypatch) if page._fragment_storage._parent_by_id else page.run())
        assert not page.exception
        return [*page.session_state["drawn"]]

    assert drawn(one) == [f"above {one}", f"below {one} strokes"]
    assert drawn(one) == [f"above {one}"]
    assert drawn(other) == [f"above {other}", f"above {other}", f"below {other} strokes"]
    assert drawn(other) == [f"above {other}"]
    assert drawn("none") == ["above none", "above none"], "nothing stands below a sentence"
    assert [error.value for error in page.error] == ["There is none\\."]


def test_a_settled_view_goes_into_the_url_and_none_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[dict[str, Any]] = []
    monkeypatch.setattr(url_state, "set_value", lambda **words: written.append(words))
    views: dict[str, dict[str, Any] | None] = {"here": {"head": 2}, "before": None}
    fields = Fields(Field("head", "head", 0))
    mechanism_page.keep(fields, views.get, "before")()
    mechanism_page.keep(fields, views.get, "here")()
    assert written == [{"head": "3"}]
