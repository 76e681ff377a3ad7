"""Packages of third parties in the app: home, navigation, their pages, explorer, draw page, live channel."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from attnviz.ui.draw import panels
from attnviz.views.payload import pack, unpack

from .cards import find_card, wait_for_answers
from .conftest import Serve, walk
from .pads import open_pad

NAMES = ("colour_stages.digits", "chance_looks.digits")
READER = "strip_reader.digits"


@pytest.fixture(scope="module")
def address(serve: Serve, third_parties: dict[str, str]) -> str:
    """Return the URL of the app with both packages installed and trained."""
    return serve(env=third_parties)


def ask(address: str, arrays: dict[str, np.ndarray] | None = None, **request: object) -> tuple[dict, dict]:
    """Ask over the live channel, and return header and arrays of the first answer."""
    host = urlsplit(address).netloc
    with connect(f"ws://{host}/live", origin=address, max_size=None) as socket:
        socket.send(pack({"number": 1, **request}, arrays or {}))
        answer = socket.recv(timeout=120)
    assert isinstance(answer, bytes)
    return unpack(answer)


def test_home_and_navigation_lead_to_their_pages(page: Page, address: str) -> None:
    walk(page, address)
    cards = page.locator(".st-key-home_mechanisms").get_by_role("link")
    expect(cards.filter(has_text="Colour stages")).to_be_visible()
    cards.filter(has_text="Chance looks").click()
    expect(page.get_by_role("heading", name="Chance looks")).to_be_visible()
    page.get_by_text("The numbers").click()  # its results come last, and torch is loaded first
    page.get_by_text("Looks by Chance, Somebody, 2026:").wait_for()
    expect(page.get_by_text("By a third party.")).to_be_visible()


def test_a_component_of_theirs_draws_a_view_and_its_choice_is_in_the_url(page: Page, address: str) -> None:
    walk(page, f"{address}/colour_stages?data=coloured_digits&number=3&stage=2")
    expect(page.get_by_text("By a third party.")).to_be_visible()
    part = page.locator(".energies").and_(page.locator("[data-drawn]"))
    part.wait_for()
    named = {"pictures": [{"data": "coloured_digits", "number": 3}]}
    wanted = {"view": {"derived": "stage_energies"}}
    header, arrays = ask(address, **named, asks=[{"checkpoint": NAMES[0], "wanted": wanted}])
    assert header["axes"] == {"view": ["byte"]}
    _, sent = unpack(arrays["view"].tobytes())
    for stage in (1, 0):
        expect(part).to_contain_text(f"Stage {stage + 1} of")
        expect(part).to_contain_text(f"at most {sent['energies'][stage].max():.3f}")
        part.get_by_role("button", name="Stage 1").click()
    page.wait_for_url(lambda url: "stage=" not in url)
    expect(page.get_by_role("link", name="All taps of this model")).to_have_attribute(
        "href", re.compile("model=colour_stages.digits.*data=coloured_digits.*number=3")
    )


def test_the_explorer_lists_taps_of_names_that_no_table_has(page: Page, address: str) -> None:
    walk(page, f"{address}/explorer?model=colour_stages.digits&address=stages.0.warmth")
    expect(page.get_by_text("stages.1.after_norm").first).to_be_visible()
    page.locator("[data-component=map_grid]").and_(page.locator("[data-drawn]")).wait_for()


@pytest.mark.parametrize(
    ("net", "tap", "words", "count"),
    [("ink_columns:84", "columns", "left|right", 84), (READER, "reader.seen", "[0-9]{3}", 96)],
)
def test_a_net_without_a_card_and_a_reader_are_shown_an_example_that_is_no_picture(
    page: Page, address: str, net: str, tap: str, words: str, count: int
) -> None:
    walk(page, f"{address}/explorer?model={net}&row=314&address={tap}")
    part = page.locator("[data-component=map_grid], [data-component=value_bars]").and_(page.locator("[data-drawn]"))
    part.wait_for()
    expect(page.get_by_role("radio", name="Your strip")).to_be_checked()
    with page.expect_download() as saved:
        part.get_by_role("button", name="CSV").click()
    exported = Path(saved.value.path()).read_text()
    assert "row/314" in exported
    assert re.search(f"answer.*({words}), ", exported)
    row = {"data": "row:314", "number": 0}
    _, arrays = ask(address, pictures=[row], asks=[{"checkpoint": net, "wanted": {"tap": {"address": tap}}}])
    assert arrays["tap"].size == count


def test_the_live_channel_takes_a_parameter_and_a_seed_of_theirs(address: str) -> None:
    image = {"pictures": [{"data": "coloured_digits", "number": 5}]}
    energies = {}
    for eps in (None, 100.0):
        wanted = {"map": {"derived": "stage_energy", "parameters": {"stage": 1, "eps": eps}}}
        _, arrays = ask(address, **image, asks=[{"checkpoint": NAMES[0], "wanted": wanted}])
        energies[eps] = arrays["map"]
    assert energies[None].shape == (1, 32, 32)
    assert 0 < energies[100.0].max() < energies[None].max()
    looks = []
    for seed in (1, 1, 2):
        asks = [{"checkpoint": NAMES[1], "seed": seed, "wanted": {"map": {"derived": "places"}}}]
        _, arrays = ask(address, pictures=[{"data": "strayed_digits", "number": 5}], asks=asks)
        looks.append(arrays["map"])
    assert looks[0].shape == (1, 4, 2)
    assert (looks[0] == looks[1]).all()
    assert (looks[0] != looks[2]).any()


def test_each_model_sees_the_drawing_as_its_own_input(address: str) -> None:
    canvas = np.zeros((280, 280, 1), np.uint8)
    canvas[60:220, 130:150] = 255
    for name, shape in zip(NAMES, ((32, 32, 3), (60, 60, 1)), strict=True):
        header, arrays = ask(address, {"pictures": canvas}, prepare={"centred": True}, asks=[{"checkpoint": name}])
        assert arrays["seen"].shape == shape
        assert header["prepared"]["words"]
    assert "upper left corner" in header["prepared"]["words"]
    assert not arrays["seen"][28:].any()


def test_their_panels_are_on_the_draw_page_and_their_own_modules_draw_them(page: Page, address: str) -> None:
    open_pad(page, f"{address}/draw")
    shown = wait_for_answers(page)
    assert set(NAMES) <= set(shown)
    assert find_card(page, NAMES[1]).get_by_role("link").get_attribute("href").split("?")[0].endswith("chance_looks")
    wanted = {"map": {"derived": "stage_energy", "parameters": {"stage": 0}}}
    _, arrays = ask(
        address,
        {"pictures": panels.first_task().sample()[..., None]},
        prepare={"centred": False},
        asks=[{"checkpoint": NAMES[0], "wanted": wanted}],
    )
    energy = arrays["map"][0]
    painted = np.asarray(
        find_card(page, NAMES[0])
        .locator("canvas")
        .first.evaluate(
            "(canvas) => [canvas.height, canvas.width, "
            "...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data]"
        )
    )
    assert painted[:2].tolist() == [32, 32]
    grey = painted[2:].reshape(32, 32, 4)[:, :, 0]
    assert np.abs(grey - (255 - np.rint(255 * energy / energy.max()))).max() <= 1
