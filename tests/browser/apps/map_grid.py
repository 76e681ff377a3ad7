"""A grid of maps alone on a page; the parameter `kind` chooses which.

They are signed, share, unit, table, strip, ink, nan; colours (pictures in colour); and photo (maps of a photograph,
whose cells overlap on it).
"""

import json

import numpy as np
import streamlit as st

from attnviz.grids import Grid
from attnviz.ui.components.map_grid import Table, map_grid

PLACES = Grid(5, 7, offset=(1.0, 2.0), stride=3, field=5)  # on a photograph of 20 x 24


def make_maps(kind: str) -> np.ndarray:
    """Make maps of random numbers (map, row, column)."""
    random = np.random.default_rng(3)
    if kind == "table":
        return random.normal(size=(144, 14, 14))
    if kind == "strip":
        return random.normal(size=(4, 1, 96))
    maps = random.normal(size=(8, 5, 7)) * np.arange(1, 9)[:, None, None]
    if kind == "colours":
        return make_photos().mean(3) / 255
    if kind in ("unit", "ink"):
        return random.random((8, 5, 7))
    if kind == "share":
        maps = np.exp(maps / 3)
        maps /= maps.sum(axis=(1, 2), keepdims=True)
    if kind == "nan":
        maps[0, 0, :3] = np.nan, np.inf, -np.inf
    return maps


def make_photos() -> np.ndarray:
    """Make pictures in colour, uint8 (picture, row, column, channel)."""
    return np.random.default_rng(4).integers(0, 256, (8, 5, 7, 3), np.uint8)


def make_background() -> np.ndarray:
    """Make a photograph, uint8 (row, column, channel)."""
    return np.random.default_rng(5).integers(0, 256, (20, 24, 3), np.uint8)


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
        role=kind if kind in ("unit", "share", "ink") else "ink" if kind == "colours" else "signed",
        picture=((row > 1) & (column > 2)).astype(float) if kind not in ("ink", "photo") else None,
        colours=make_photos() if kind == "colours" else None,
        background=make_background() if kind == "photo" else None,
        ink=kind != "photo",
        grid=PLACES if kind == "photo" else None,
        outlined=[9] * len(maps) if kind == "photo" else None,
        table=table,
        bounds=(-40.0, 30.0) if kind == "signed" else None,
        origin={"model": "random", "image": "none", "answer": "8, 98.3 %"},
    )
    st.code(json.dumps(result, separators=(",", ":")))


if __name__ == "__main__":
    main()
