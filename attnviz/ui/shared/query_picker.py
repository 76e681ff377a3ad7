"""The query picker: it chooses the query token, which is in the URL as `query` on every page."""

import re

import streamlit as st

from attnviz.grids import Grid
from attnviz.ui.shared import url_state

QUERY = "query"


def choose(count: int, grid: Grid | None) -> int:
    """Draw the choice of one query, and return its index among the tokens.

    The URL field is "row,column", counted from 1, as on the other pages, or "token", counted from 1, for tokens without
    a grid. A whole number alone counts from 0, as in older links.
    """
    middle = _middle(count, grid)
    word = st.query_params.get(QUERY)
    found = middle if word is None else _token_of(word, count, grid)
    if found is None:
        known = f"rows 1 to {grid.rows} and columns 1 to {grid.columns}" if grid else f"tokens 1 to {count}"
        url_state.complain(f"The URL asks for query {word!r}; there are {known}. You see the middle one instead.")
        found = middle
    if grid is None or found < grid.prefix:
        st.session_state["query_token"] = found + 1
        st.number_input(f"Query: token, of {count}", 1, count, key="query_token", width=160, on_change=_keep_token)
        return found
    row, column = divmod(found - grid.prefix, grid.columns)
    st.session_state.update(query_row=row + 1, query_column=column + 1)
    st.number_input("Query: row", 1, grid.rows, key="query_row", width=128, on_change=_keep_place)
    st.number_input("Column", 1, grid.columns, key="query_column", width=128, on_change=_keep_place)
    return found


def in_url(count: int, grid: Grid | None) -> int:
    """Return the index of the query that the URL names, or else of the middle token, without drawing the picker."""
    found = _token_of(st.query_params.get(QUERY, ""), count, grid)
    return _middle(count, grid) if found is None else found


def _middle(count: int, grid: Grid | None) -> int:
    return grid.prefix + (grid.rows // 2) * grid.columns + grid.columns // 2 if grid else count // 2


def _token_of(word: str, count: int, grid: Grid | None) -> int | None:
    """Return the index of the token that a URL field names, or None if it names none."""
    found = re.fullmatch(r"([0-9]{1,6}),([0-9]{1,6})|token([0-9]{1,6})|([0-9]{1,6})", word)
    if found is None:
        return None
    if found[1]:
        row, column = int(found[1]), int(found[2])
        inside = grid is not None and 1 <= row <= grid.rows and 1 <= column <= grid.columns
        return grid.prefix + (row - 1) * grid.columns + column - 1 if grid and inside else None
    token = int(found[3]) - 1 if found[3] else int(found[4])
    return token if 0 <= token < count else None


def _keep_place() -> None:
    url_state.set_value(**{QUERY: f"{st.session_state['query_row']},{st.session_state['query_column']}"})


def _keep_token() -> None:
    url_state.set_value(**{QUERY: f"token{st.session_state['query_token']}"})
