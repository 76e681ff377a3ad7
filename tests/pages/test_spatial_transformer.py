"""The page of spatial transformers, run without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.spatial_transformer.placed import SHOWN, place

from .reading import headers, run, text
from .tried import tried

PAGE = "60_spatial_transformer.py"
STILL = {"drag": "picture", "rotate": 0, "scale": 1, "across": 0, "down": 0, "grid": "own", "theta": None}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


def grid(page: AppTest) -> dict:
    """Return the header of the picture with its grid."""
    [found] = headers(page, "tap")
    return found


@pytest.mark.parametrize("name", SHOWN)
def test_every_model_with_a_transformer_is_shown(page: AppTest, name: str) -> None:
    data = {} if name == "wide" else {"data": "rotated_strokes", "number": "23"}
    run(page, model=f"spatial_transformer.{name}", **data)
    assert not page.error
    assert grid(page)["state"]["view"]["value"] == STILL
    assert "On this picture the grid is rotated by" in text(page)


def test_what_is_moved_stands_in_the_url(page: AppTest) -> None:
    run(page, rotate="-30", scale="1.2", across="2.5", drag="grid", theta="0.5,-0.4,0,0.4,0.5,0.125")
    asked = grid(page)["state"]["view"]["value"]
    assert asked == {
        **STILL, "drag": "grid", "rotate": -30, "scale": 1.2, "across": 2.5, "theta": [0.5, -0.4, 0, 0.4, 0.5, 0.125],
    }  # fmt: skip


def test_the_slope_is_said_with_the_plot_of_angles(page: AppTest) -> None:
    run(page, experiment="undone")
    assert page.session_state[key_of("undone")]
    said = text(page)
    assert f"{grid(page)['angles']['slope']:.2f}\u00b0 for each degree" in said
    assert "1,000 test pictures of Rotated strokes" in said
    assert len(page.get("plotly_chart")) == 1


def test_where_the_angles_are_not_known_the_page_says_so(page: AppTest) -> None:
    run(page, experiment="undone", model="spatial_transformer.wide")
    assert "are not known" in text(page)


def test_accuracy_with_theta_replaced_is_that_of_the_card(page: AppTest) -> None:
    run(page, experiment="trap")
    said = text(page)
    for row in ("at its mean", "of another picture", "the identity"):
        assert row in said
    assert "<b>60.00</b>" in said
    assert "\u221230.00" in said
    assert "Not decided" in said


def test_a_network_that_only_rotates_is_compared_with_the_identity_and_not_with_a_mean_that_enlarges(
    page: AppTest,
) -> None:
    run(page, experiment="trap", model="spatial_transformer.rotated-only", data="rotated_strokes", number="23")
    said = text(page)
    assert "with theta at the identity the model loses 50.00 points" in said
    assert "at the mean of each number, which also enlarges" in said
    assert "trained on enlarged pictures" not in said


def test_a_model_without_such_tests_says_so(page: AppTest) -> None:
    run(page, experiment="trap", model="spatial_transformer.wide")
    assert "no test with another theta" in text(page)


def test_errors_by_angle_stand_beside_those_of_the_control_and_what_is_not_trained_is_said(page: AppTest) -> None:
    run(page, experiment="gains")
    said = text(page)
    assert "Compared with rotated digits, no transformer, widened" in said
    assert "errors without, %" in said
    absent = "Rotated digits, no transformer; Rotated digits, no transformer, widened, 9 epochs"
    assert f"*Not trained* yet: {absent}." in said


def test_a_task_without_a_control_says_so(page: AppTest) -> None:
    run(page, experiment="gains", model="spatial_transformer.wide")
    assert "No control of this task" in text(page)


def test_every_try_shows_a_view_of_its_own(page: AppTest) -> None:
    for _, words in tried(page):
        assert {"model", "data", "number"} <= set(words)
        assert grid(page)["state"]["view"]["value"] != STILL
