"""What the viewer's page says of a model: what a token of it is, and what its maps do not show."""

from dataclasses import replace

import pytest

from attnviz import models
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.mechanisms.pixel_attention import explorer


@pytest.mark.parametrize(
    ("config", "token", "unsaid"),
    [
        ({}, "Each pixel", "This model does not receive the position of a pixel."),
        ({"patch": 4}, "Each box of 4 × 4 pixels", "This model does not receive the position of a pixel."),
        ({"pool": 2, "patch": 2}, "Each box of 4 × 4 pixels", "This model does not receive the position of a pixel."),
        ({"positions": "learnt"}, "Each pixel", "This model receives where a token is:"),
        ({"patch": 28}, "The whole picture", "With one token there is nothing to choose:"),
    ],
    ids=str,
)
def test_a_token_is_named_and_what_is_not_shown_is_said(config: dict[str, object], token: str, unsaid: str) -> None:
    trained = net("pixel_attention.1v8")
    bare = {name: value for name, value in trained.config.items() if name not in ("pool", "patch", "positions")}
    whole = {**bare, **config}
    changed = replace(trained, config=whole, grid=models.spec(trained.architecture).grid(whole))
    assert explorer._token_of(changed) == token
    assert explorer._unsaid(Subject(changed, Picture("strokes", 23))).startswith(unsaid)


def test_formulas_stand_on_lines_of_their_own() -> None:
    assert explorer._formulas(("a", "b")) == "$$\na\n$$\n\n$$\nb\n$$\n\n"
