"""When a component is asked to take what the address says, and when it is left alone.

What a visitor chooses in a component comes back as the next run's address. Sending it on would carry data to a browser
that has them, and could undo what the hand has done since. So a component gets a wish with a number, and follows it
only when the number is new to it.
"""

from typing import Any

import streamlit as st


def wish(key: str, asked: Any, shown: Any) -> tuple[Any, int]:
    """Return what a component is asked to show, and the number of that wish.

    The wish changes only where `asked` is another than in the last run and not what is shown already (a link, *Back*),
    or where nothing is shown yet, or no longer: the visitor has been on another page.

    Args:
        key: of the component in this page.
        asked: what the address says.
        shown: what the component has reported last, or None.
    """
    memory = _memory(key)
    unseen = shown is None and (asked != memory["value"] or memory["shown"] is not None)
    if asked != shown and (asked != memory["asked"] or unseen):
        memory.update(value=asked, number=memory["number"] + 1)
    memory.update(asked=asked, shown=shown)
    return memory["value"], memory["number"]


def last_wish(key: str) -> tuple[Any, int]:
    """Return what a component was asked to show last, and the number of that wish; None and 0 before the first."""
    memory = _memory(key)
    return memory["value"], memory["number"]


def _memory(key: str) -> dict[str, Any]:
    nothing = {"asked": None, "shown": None, "value": None, "number": 0}
    found: dict[str, Any] = st.session_state.setdefault(f"{key}.wish", nothing)
    return found
