"""A grid of maps alone on a page; the parameter `kind` chooses which: signed, share, unit, table, strip, ink, nan."""

import json

import numpy as np
import streamlit as st

from attnviz.ui.map_grid import Table, map_grid


def make_maps(kind: str) -> np.ndarray:
    """Make maps of random numbers (map, row, column)."""
    random = np.random.default_rng(3)
    if kind == "table":
        return random.normal(size=(144, 14, 14))
    if kind == "strip":
        return random.normal(size=(4, 1, 96))
    maps = random.normal(size=(8, 5, 7)) * np.arange(1, 9)[:, None, None]
    if kind in ("unit", "ink"):
        return random.random((8, 5, 7))
    if kind == "share":
        maps = np.exp(maps / 3)
        maps /= maps.sum(axis=(1, 2), keepdims=True)
    if kind == "nan":
        maps[0, 0, :3] = np.nan, np.inf, -np.inf
    return maps


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    kind = st.query_params.get("kind", "signed")
    maps = make_maps(kind)
    table = Table([f"k{i + 1}" for i in range(6)], [str(i + 1) for i in range(24)]) if kind == "table" else None
    row, column = np.mgrid[0 : maps.shape[1], 0 : maps.shape[2]]
    result = map_grid(
        maps,
        [f"map {number + 1}" for number in range(len(maps))],
        key="maps",
        role=kind if kind in ("unit", "share", "ink") else "signed",
        picture=((row > 1) & (column > 2)).astype(float) if kind != "ink" else None,
        table=table,
        bounds=(-40.0, 30.0) if kind == "signed" else None,
        origin={"model": "random", "image": "none"},
    )
    st.code(json.dumps(result, separators=(",", ":")))


if __name__ == "__main__":
    main()
