"""Who owns what a visitor chooses in a component: the browser, until Python asks for something else.

What is chosen comes back as the next run's URL. Sending it on would carry data to a browser that has them, and could
undo what the hand has done since. So what Python asks for has a revision. The browser takes a value only when its
revision is new, and names with every report the revision that it knew: a report of an older one is late, and says what
was chosen before. `frontend/core/controlled_state.js` is the browser's side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attnviz.ui.components.component import reported

UNKNOWN: Any = object()
"""What a component shows that has not reported yet, or nonsense."""


class ControlledState:
    """One thing that can be chosen in a component, by the name under which the component reports it; `read` turns what
    a browser reports into what a URL would say, or `UNKNOWN` for nonsense.
    """

    def __init__(self, key: str, name: str, read: Callable[[Any], Any] = lambda value: value) -> None:
        self.key, self.name, self.read = key, name, read

    def ask(self, value: Any) -> dict[str, Any]:
        """Return what the browser receives: the last requested value, its revision, and a key to keep it by.

        The revision is new where the URL says something else than in the last run and than what is shown (a link,
        *Back*), and where Streamlit has forgotten the component: the visitor has been on another page meanwhile.

        Args:
            value: what the URL says; JSON can say it.
        """
        memory = self._memory()
        forgotten = self.key not in st.session_state or not memory["revision"]
        if forgotten or (value != memory["asked"] and value != self._shown()):
            memory.update(value=value, revision=memory["revision"] + 1)
        memory["asked"] = value
        return {"value": memory["value"], "revision": memory["revision"], "key": f"{self.key}.{self.name}"}

    def shown(self) -> Any:
        """Return what is shown, as far as Python knows it; None before the first report, and after nonsense."""
        found = self._shown()
        return None if found is UNKNOWN else found

    def reported(self) -> Any:
        """Return what was reported, unchanged; `UNKNOWN` before the first report and where the last one is late."""
        found = st.session_state.get(self.key)
        report = found.get(self.name) if isinstance(found, Mapping) else None
        if not isinstance(report, Mapping) or "value" not in report:
            return UNKNOWN
        return UNKNOWN if self._is_late(report) else report["value"]

    def callback(self, act: Callable[[], None] | None) -> Callable[[], None]:
        """Return what Streamlit calls after a report: the page's callback, if it has one, unless the report is late."""

        def hear() -> None:
            late = self.reported() is UNKNOWN
            (reported if late or act is None else act)()

        return hear

    def _shown(self) -> Any:
        reported = self.reported()
        if reported is not UNKNOWN:
            return self.read(reported)
        found = st.session_state.get(self.key)
        report = found.get(self.name) if isinstance(found, Mapping) else None
        return self._memory()["value"] if isinstance(report, Mapping) and self._is_late(report) else UNKNOWN

    def _is_late(self, report: Mapping[str, Any]) -> bool:
        revision = report.get("revision")
        return isinstance(revision, int) and revision < self._memory()["revision"]

    def _memory(self) -> dict[str, Any]:
        nothing = {"asked": UNKNOWN, "value": None, "revision": 0}
        found: dict[str, Any] = st.session_state.setdefault(f"{self.key}.{self.name}", nothing)
        return found
