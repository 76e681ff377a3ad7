"""With a finger, on a phone: what it opens and hits, what it is told, and what stays in view beside it."""

import pytest
from playwright.sync_api import Page, expect

from attnviz.ui.mechanisms import MECHANISMS
from tests.sweeps import sweep

from .conftest import Serve, Visit, wait_until_ready
from .laid_out import find_small_targets

PHONE = {
    "viewport": {"width": 375, "height": 667},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
SWITCHED = "element_wise?v=2&model=element_wise.fashion-b&data=fashion_mnist&number=0&pixel=16,12&skip=no"
PAGES = ["", "draw", "lessons", "explorer", "results", "train", *MECHANISMS, "paper", SWITCHED]
LOCKED = {  # page -> what stands in its URL where something is locked, and the picture that it is locked on
    "pixel_attention": ("query=9,12&key=3,3", ".viewer .board.picture"),
    "element_wise": ("pixel=16,12", ".stage-grid .board.picture"),
    "cnn_attention": ("query=3,4", ".viewer .board.picture"),
}

# A component that is drawn while targets are measured moves them.
ALL_DRAWN = """() => [...document.querySelectorAll('[data-testid^="stBidiComponent"]')]
  .filter((host) => host.checkVisibility() && host.shadowRoot?.querySelector("[data-component]"))
  .every((host) => host.shadowRoot.querySelector("[data-drawn]"))"""


def read_words(page: Page) -> str:
    """Return what can be read in the head of the page and in its components, and what stands in their titles."""
    return str(
        page.evaluate(
            """() => {
              const found = [];
              const read = (root, ours) => root.querySelectorAll("*").forEach((one) => {
                if (one.shadowRoot) read(one.shadowRoot, true);
                if (!one.checkVisibility() || !(ours || one.closest(".st-key-page_head"))) return;
                found.push(one.getAttribute("title") ?? "");
                for (const node of one.childNodes) if (node.nodeType === 3) found.push(node.data);
              });
              read(document, false);
              return found.join(" ");
            }"""
        )
    )


def test_the_menu_closes_over_the_page_that_it_has_opened(visit: Visit, serve: Serve) -> None:
    page = visit(serve(), **PHONE)
    page.get_by_test_id("stExpandSidebarButton").tap()
    menu = page.get_by_test_id("stSidebar")
    expect(menu).to_have_attribute("data-collapsed", "false")
    link = menu.get_by_role("link", name="Explorer")
    link.scroll_into_view_if_needed()
    expect(link).to_be_in_viewport(ratio=1)
    assert [line for line in find_small_targets(page) if "SidebarNav" in line] == []
    link.tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Explorer")
    expect(menu).to_have_attribute("data-collapsed", "true")


@pytest.mark.parametrize("path", sweep(PAGES, lambda path: path in ("draw", "pixel_attention")))
def test_a_finger_hits_whatever_can_be_hit(visit: Visit, serve: Serve, path: str) -> None:
    page = visit(f"{serve()}/{path}", **PHONE)
    drawer = page.locator(".st-key-page_drawer label")
    if drawer.count():
        drawer.tap()
        expect(page.locator(".st-key-page_choices")).to_be_visible()
    page.wait_for_function(ALL_DRAWN)
    wait_until_ready(page)
    assert find_small_targets(page) == []


@pytest.mark.parametrize("path", LOCKED)
def test_what_is_locked_is_let_go_where_it_is_seen_and_no_key_is_spoken_of(
    visit: Visit, serve: Serve, path: str
) -> None:
    words, picture = LOCKED[path]
    page = visit(f"{serve()}/{path}?{words}", f"{picture} canvas", **PHONE)
    release = page.get_by_role("button", name="release", exact=True)
    expect(release).to_have_count(1)
    said = read_words(page)
    assert "release" in said
    assert "Escape" not in said
    assert "move over" not in said.lower()
    page.locator(picture).scroll_into_view_if_needed()
    expect(release).to_be_in_viewport(ratio=1)
    above = page.locator(picture).bounding_box()
    release.tap()
    expect(release).to_be_hidden()
    assert page.locator(picture).bounding_box() == above


def test_the_first_answers_and_their_legend_stand_by_the_pad(visit: Visit, serve: Serve) -> None:
    page = visit(f"{serve()}/draw", ".drawing-pad[data-drawn]", **PHONE)
    for part in (page.locator(".sheet"), page.locator(".card .digits").nth(0), page.locator(".card .digits").nth(1)):
        box = part.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 667
    boxes = [page.locator(one).bounding_box() for one in (".card >> nth=1", ".draw-cards .legend", ".card >> nth=2")]
    second, legend, third = (box["y"] for box in boxes if box)
    assert second < legend < third
