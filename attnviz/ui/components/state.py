"""Ownership of a visitor's choices in a component: the browser owns them until Python requests a change.

A choice comes back in the next run's URL. Sending it to the browser again would be redundant, and could undo a later
movement of the hand. So each value that Python requests has a revision. The browser accepts a value only if its
revision is new, and includes the latest revision in every report: a report with an older one is late, and holds a
previous choice. `frontend/core/controlled_state.js` is the browser's side.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attnviz.ui.components.component import reported

UNKNOWN: Any = object()
"""The value of a component that has not reported yet, or has reported nonsense."""


class ControlledState:
    """One choice in a component, by the name under which the component reports it. `read` converts a browser's report
    to the URL's form, or to `UNKNOWN` if it is nonsense.
    """

    def __init__(self, key: str, name: str, read: Callable[[Any], Any] = lambda value: value) -> None:
        self.key, self.name, self.read = key, name, read

    def ask(self, value: Any) -> dict[str, Any]:
        """Return the data for the browser: the last requested value, its revision, and a key to store it by.

        The revision is new if the URL differs from both the last run's and the value shown (a link, *Back*), or if
        Streamlit has forgotten the component because the visitor has been on another page.

        Args:
            value: The value in the URL, as plain JSON.
        """
        memory = self._memory()
        forgotten = self.key not in st.session_state or not memory["revision"]
        if forgotten or (value != memory["asked"] and value != self._shown()):
            memory.update(value=value, revision=memory["revision"] + 1)
        memory["asked"] = value
        return {"value": memory["value"], "revision": memory["revision"], "key": f"{self.key}.{self.name}"}

    def shown(self) -> Any:
        """Return the value shown, as far as Python knows it, or None before the first report and after nonsense."""
        found = self._shown()
        return None if found is UNKNOWN else found

    def reported(self) -> Any:
        """Return the last report unchanged, or `UNKNOWN` if there is none or it is late."""
        found = st.session_state.get(self.key)
        report = found.get(self.name) if isinstance(found, Mapping) else None
        if not isinstance(report, Mapping) or "value" not in report:
            return UNKNOWN
        return UNKNOWN if self._is_late(report) else report["value"]

    def callback(self, act: Callable[[], None] | None) -> Callable[[], None]:
        """Return the function to call after a report: the page's callback, if any, unless the report is late."""

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
