"""What a component whose view stands in the URL is told, and what of its reports counts as settled."""

from typing import Any

import pytest

from attnviz.ui.components import url_view
from attnviz.views.payload import pack, unpack
from attnviz.views.url_fields import Field, Fields

FIELDS = Fields(Field("head", "head", 0), Field("show", "choice", "weights", ("weights", "scores")))


class Mounted:
    """What was drawn last, and a session that a browser reports into."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.session: dict[str, Any] = {}
        patch.setattr("attnviz.ui.components.state.st.session_state", self.session)
        patch.setattr(url_view, "component", self.component)

    def component(self, name: str) -> Any:
        self.name = name
        return self.mount

    def mount(self, *, key: str, data: bytes, on_view_change: Any) -> None:
        self.key, (self.header, _), self.callback = key, unpack(data), on_view_change
        self.session.setdefault(key, {})

    def report(self, value: Any) -> None:
        self.session[self.key] = {"view": {"value": value, "revision": 99}}


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    return Mounted(monkeypatch)


def draw(state: dict[str, Any] | None, **more: Any) -> dict[str, Any] | None:
    given: dict[str, Any] = {"key": "viewer", "on_change": None, **more}
    return url_view.draw("some.viewer", pack({"title": "Weights"}, {}), FIELDS, state=state, **given)


def test_a_component_is_told_its_fields_and_the_whole_view_that_the_url_asks_for(mounted: Mounted) -> None:
    assert draw({"head": 2}, plain=True) is None
    assert (mounted.name, mounted.key) == ("some.viewer", "viewer")
    assert (mounted.header["title"], mounted.header["plain"]) == ("Weights", True)
    assert mounted.header["fields"] == FIELDS.declared()
    asked = mounted.header["state"]["view"]
    assert (asked["value"], asked["revision"]) == ({"head": 2, "show": "weights"}, 1)


def test_without_a_view_in_the_url_the_visitor_s_own_stays(mounted: Mounted) -> None:
    draw(None)
    mounted.report({"head": 3, "show": "scores"})
    assert draw(None) == {"head": 3, "show": "scores"}
    assert mounted.header["state"]["view"]["value"] is None
    assert mounted.header["state"]["view"]["revision"] == 1


@pytest.mark.parametrize("nonsense", [None, "view", [1, 2], 3])
def test_a_report_that_is_no_view_has_not_settled(mounted: Mounted, nonsense: Any) -> None:
    draw({})
    mounted.report(nonsense)
    assert url_view.settled_view("viewer") is None


def test_the_page_hears_of_a_view_that_has_settled(mounted: Mounted) -> None:
    heard: list[Any] = []
    draw({}, on_change=lambda: heard.append(url_view.settled_view("viewer")))
    mounted.callback()
    assert heard == [], "nothing has been reported"
    mounted.report({"head": 1, "show": "weights"})
    mounted.callback()
    assert heard == [{"head": 1, "show": "weights"}]
