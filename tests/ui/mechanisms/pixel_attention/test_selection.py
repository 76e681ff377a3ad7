"""What an experiment shares with the viewer: tokens by place, and the example where none is locked."""

from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

from attnviz.ui.mechanisms.pixel_attention import selection
from attnviz.views.attention import AttentionView

PICTURE = np.array([[0, 0, 0, 0], [0, 0.9, 0.8, 0.9], [0, 0, 0.1, 0]])


def view(picture: np.ndarray = PICTURE, prefix: int = 1) -> AttentionView:
    rows, columns = picture.shape
    tokens = prefix + rows * columns
    vectors, numbers = np.zeros((1, tokens, 1)), np.zeros((1, tokens))
    return AttentionView(
        picture=picture.astype(float), query=vectors, key=vectors, value=vectors, log_normaliser=numbers,
        carried=numbers, carried_signed=True, received=numbers, output=np.zeros((tokens, 1)), rows=rows,
        columns=columns, prefix=prefix, classes=("8", "1"), probabilities=np.array([0.5, 0.5]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("2,3", selection.Token(7, "row 2, column 3", 0.8)),
        ("0,1", selection.Token(0, "token 1, which has no position", None)),
        ("0,2", None), ("4,1", None), ("1,5", None), ("x", None), (None, None),
    ],
)  # fmt: skip
def test_a_token_is_found_by_its_place(
    monkeypatch: pytest.MonkeyPatch, word: str | None, expected: selection.Token | None
) -> None:
    class Words:
        def to_dict(self) -> dict[str, str]:
            return {} if word is None else {"key": word}

    monkeypatch.setattr(st, "query_params", Words())
    assert selection.token(view(), "key") == expected


def test_the_example_has_much_ink_and_is_near_the_centre_or_not_alone_there() -> None:
    assert selection.middle_of_the_ink(view()).place == "row 2, column 3"
    assert selection.middle_of_the_ink(view(), company=True).ink == 0.9
    alone = np.where(PICTURE == 0.9, 0.0, PICTURE)
    assert selection.middle_of_the_ink(view(alone), company=True).place == "row 2, column 3"
    assert selection.middle_of_the_ink(view(np.zeros((3, 4)))).number == 1
    assert selection.middle_of_the_ink(replace(view(prefix=0))).number == 6
