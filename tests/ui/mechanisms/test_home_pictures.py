"""The pictures of the home page, which are made in advance, are what the models compute."""

import numpy as np
import pytest
from PIL import Image

from attnviz import cards
from attnviz.ui import home_pictures
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import home_picture

TRAINED = [name for name, row in MECHANISMS.items() if row.home and row.home.view["model"] in cards.names()]


@pytest.mark.parametrize("name", TRAINED)
def test_it_shows_what_the_model_computes(name: str) -> None:
    row = MECHANISMS[name]
    assert row.home
    made = home_picture.pair(*home_pictures.tiles(name))
    with Image.open(row.home.file) as found:
        again = f"made from other weights: run python -m attnviz.ui.home_pictures {name}"
        np.testing.assert_allclose(np.asarray(found, int), np.asarray(made, int), atol=2, err_msg=again)
