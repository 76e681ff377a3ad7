"""The URL and the pixel viewer say the same."""

from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import expect

from ..conftest import listen, wait_until_ready
from .viewers import Open, choose, click, read_viewer


def test_the_url_and_the_view_are_one(loaded: Open) -> None:
    page = loaded("query=2,3&key=4,5&head=2&show=scores&direction=to&scale=map")
    found = read_viewer(page)
    assert (found["query"], found["key"], found["head"]) == ([1, 2], [3, 4], 1)
    assert (found["show"], found["direction"]) == ("scores", "to")
    choose(page, "Weights")
    page.wait_for_url(lambda url: "show=" not in url and "scale=map" in url)
    words = parse_qs(urlsplit(page.url).query)
    assert words == {"query": ["2,3"], "key": ["4,5"], "head": ["2"], "direction": ["to"], "scale": ["map"]}


def test_back_brings_the_view_back(loaded: Open) -> None:
    page = loaded("query=2,3")
    click(page, 4, 4)
    page.wait_for_url("**key=5*")
    wait_until_ready(page)  # Python has heard of it
    page.go_back()
    page.wait_for_url(lambda url: "key=" not in url)
    expect(page.locator(".pair")).to_contain_text("query locked")
    assert read_viewer(page)["query"] == [1, 2]


def test_nonsense_in_the_url_is_said_and_dropped(opened: Open) -> None:
    nonsense = {"query": "9,1", "key": "now", "head": "99", "show": "colours", "direction": "up", "scale": "5"}
    page = opened(urlencode(nonsense))
    for name, word in nonsense.items():
        expect(page.locator(".complaint")).to_contain_text(f"{name} \u201c{word}\u201d")
    found = read_viewer(page)
    assert (found["head"], found["show"], found["direction"]) == (0, "weights", "from")
    page.get_by_role("button", name="close").click()
    expect(page.locator(".complaint")).to_be_hidden()


def test_link_holds_the_view_also_without_a_clipboard(loaded: Open) -> None:
    page = loaded("query=3,3&head=2")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    heard = listen(page.get_by_role("button", name="link", exact=True))
    page.get_by_role("button", name="link", exact=True).click()
    heard("selected: copy it")
    field = page.get_by_role("textbox", name="Copy this text")
    expect(field).to_be_focused()
    assert parse_qs(urlsplit(field.input_value()).query) == {"query": ["3,3"], "head": ["2"]}
