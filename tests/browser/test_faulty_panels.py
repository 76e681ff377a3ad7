"""A panel in which something is wrong says so, and takes no other panel and no other page with it."""

import pytest
from playwright.sync_api import Page, expect

from tests.third_party.faulty_panels.faulty_panels import FAULTS
from tests.third_party.installed import environment

from .cards import find_card, wait_for_answers
from .conftest import Problems, Serve, walk
from .pads import draw_stroke, open_pad

SAID = {
    "histogram_mlp.digits": "The answer for this panel cannot be read",
    "pixel_attention.digits": "The module that draws this panel has failed",
    "pixel_line.digits": "The module that draws this panel has failed",
}
SLOW, TOO_SLOW = "plain_conv.digits", "takes so long that the page cannot follow; this is what the model saw"
UNLOADED = "The module that draws this panel could not be loaded"
EXPECTED = ("faulty_panels", "attnviz:", "preload")


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of the app with the package of faulty panels."""
    env = environment(tmp_path_factory.mktemp("faulty"), ["faulty_panels"])
    return serve(env={"PYTHONPATH": env["PYTHONPATH"]})


def test_each_faulty_panel_says_so_and_all_models_answer(page: Page, address: str, problems: Problems) -> None:
    problems.expected += EXPECTED
    names = [*FAULTS, "ink.digits"]
    open_pad(page, f"{address}/draw?models={','.join(names)}")
    shown = wait_for_answers(page)
    assert set(shown) == set(names)
    for name in names:
        says = find_card(page, name).locator(".says p").last
        if name == "histogram_mlp.digits":
            expect(says).to_contain_text(SAID[name])
            continue
        assert shown[name]["answer"] in "0123456789"
        if name == "ink.digits":
            expect(says).not_to_contain_text("module")
        elif name != SLOW:
            expect(says).to_contain_text(SAID.get(name, UNLOADED))
    for place in (100, 140, 180):  # it is switched off after three drawings
        draw_stroke(page, (place, 60), (place, 200), steps=1)
        wait_for_answers(page)
    expect(find_card(page, SLOW).locator(".says p").last).to_contain_text(TOO_SLOW)
    for word in ("", "/pixel_attention", "/recurrent_attention", "/results"):
        walk(page, f"{address}{word}")
        expect(page.get_by_text("did not expect")).to_have_count(0)
        expect(page.locator("h1")).to_be_visible()
    page.goto(f"{address}/faulty_panels")
    expect(page.get_by_text("could not give its page. The server's log says why")).to_be_visible()
