"""Where the parts of the pixel viewer stand, in windows of several sizes."""

import pytest
from playwright.sync_api import Route, expect

from tests.sweeps import sweep

from ..conftest import COMPONENTS, NewPage, Serve
from .viewers import PHONE, Open, find_viewer


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["heads=24", "heads=1&size=1", "heads=2&size=20&features=9&show=scores", "rows=64&columns=64&heads=1"]
)
def test_nothing_is_wider_than_a_phone(opened: Open, words: str) -> None:
    page = opened(words, viewport={"width": 375, "height": 667})
    widest = find_viewer(page).evaluate(
        "(root) => Math.max(...[root, ...root.querySelectorAll('*')].filter((e) => !e.closest('.hidden'))"
        ".map((e) => e.getBoundingClientRect().right))"
    )
    assert widest <= 375
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_on_a_phone_the_picture_stays_while_the_heads_scroll(opened: Open) -> None:
    page = opened("heads=24", **PHONE)
    page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTo(0, 420)")
    expect(page.locator(".board.picture")).to_be_in_viewport(ratio=1)


def test_in_a_window_of_720_the_first_row_of_heads_is_visible(opened: Open) -> None:
    page = opened("heads=24&size=6&rows=28&columns=28")
    top = find_viewer(page).bounding_box()
    tile = page.locator(".wall-part .frame").first.bounding_box()
    assert top and tile
    assert tile["y"] + tile["height"] - top["y"] <= 720 - 215


@pytest.mark.parametrize(("heads", "width"), sweep([(8, 1280), (24, 1280), (8, 375)], lambda case: case != (8, 1280)))
def test_neither_name_nor_value_below_a_map_is_cut(opened: Open, heads: int, width: int) -> None:
    page = opened(f"heads={heads}&rows=14&columns=14", viewport={"width": width, "height": 720})
    names = page.locator(".wall-part .caption b")
    expect(names.last).to_have_text("mean")
    cut = names.evaluate_all(
        """(all) => all.filter((name) => {
          const [box, room] = [name, name.parentElement].map((part) => part.getBoundingClientRect());
          const value = name.nextElementSibling.getBoundingClientRect(); // whole, or below what is seen
          if (value.right > room.right + 0.5 && value.top < room.bottom - 1) return true;
          return name.scrollWidth > name.clientWidth || box.right > room.right + 0.5 || box.top > room.top + 4;
        }).map((name) => name.textContent)"""
    )
    assert cut == []


def test_nothing_is_shown_before_its_style_sheet_has_come(serve: Serve, new_page: NewPage) -> None:
    page, held = new_page(), list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/pixel_viewer.css*", hold)
    page.goto(f"{serve(COMPONENTS)}/pixel_viewer")
    find_viewer(page).and_(page.locator("[data-drawn]")).wait_for(state="attached")
    expect(find_viewer(page)).to_be_hidden()
    for one in held:
        one.continue_()
    expect(find_viewer(page)).to_be_visible()


def test_one_head_shows_no_wall(opened: Open) -> None:
    page = opened("heads=1&size=1")
    expect(page.locator(".wall-part .tile")).to_have_count(0)
    expect(page.locator(".pair")).to_contain_text("product = score")
    expect(page.get_by_role("combobox")).to_be_hidden()
