"""Terms explain themselves by pointer, tap and keyboard: in the text of a page, and in a component."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.ui.shared import glossary
from tests.sweeps import sweep

from .conftest import COMPONENTS, Serve, Visit, find_violations
from .models import ONE_OR_EIGHT

PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}


def open_page(serve: Serve, visit: Visit, **options: object) -> Page:
    return visit(f"{serve(COMPONENTS)}/terms", ".viewer[data-drawn]", **options)


def find_tip(page: Page, words: str) -> Locator:
    """Return what explains a term, by the beginning of its sentence."""
    return page.get_by_role("tooltip").filter(has_text=re.compile(re.escape(words)))


TERMS = [
    pytest.param(lambda page: page.get_by_role("link", name="head"), "attention head", id="text"),
    pytest.param(
        lambda page: page.locator(".pair").get_by_role("button", name="Softmax", exact=True), "softmax", id="component"
    ),
]


@pytest.mark.parametrize(("find", "name"), TERMS)
def test_pointer_and_keyboard_show_and_hide_the_sentence(serve: Serve, visit: Visit, find, name: str) -> None:
    page = open_page(serve, visit)
    term, shown = find(page), find_tip(page, glossary.sentences()[name])
    term.hover()
    expect(shown).to_be_visible()
    expect(shown.locator("svg")).to_be_visible()
    box = shown.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 1280
    page.mouse.move(640, 5)
    expect(shown).to_have_count(0)  # hidden ones have no role
    term.focus()
    expect(shown).to_be_visible()
    expect(term).to_have_accessible_description(glossary.sentences()[name])
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(term).to_be_focused()
    page.keyboard.press("Tab")
    expect(term).not_to_be_focused()


@pytest.mark.parametrize(("find", "name"), TERMS)
def test_a_tap_shows_the_sentence_and_the_next_one_hides_it(serve: Serve, visit: Visit, find, name: str) -> None:
    page = open_page(serve, visit, **PHONE)
    term, shown = find(page), find_tip(page, glossary.sentences()[name])
    term.tap()
    expect(shown).to_be_visible()
    box = shown.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 375
    assert page.url == f"{serve(COMPONENTS)}/terms"  # the link led nowhere
    term.tap()
    expect(shown).to_have_count(0)


@pytest.mark.parametrize(
    "name",
    sweep(
        ["attention head", "query", "key", "value", "score", "softmax", "even share", "logit"],
        lambda name: name in ("attention head", "logit"),
    ),
)
def test_the_viewer_explains_its_words(serve: Serve, visit: Visit, name: str) -> None:
    page = open_page(serve, visit)
    words = {"attention head": "Head"}.get(name, name)
    viewer = page.locator(".viewer")
    term = viewer.locator("button.term").filter(has_text=re.compile(f"^{words}$", re.IGNORECASE)).first
    term.focus()
    expect(find_tip(page, glossary.sentences()[name])).to_be_visible()
    expect(page.get_by_role("tooltip")).to_have_count(1)


def test_a_term_in_a_step_lights_the_step_and_escape_does_not_release_the_lock(serve: Serve, visit: Visit) -> None:
    page = open_page(serve, visit)
    page.locator(".pair").get_by_role("button", name="Softmax", exact=True).click()
    expect(page.locator(".step.softmax")).to_have_class(re.compile("lit"))
    expect(page.get_by_role("tooltip")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_have_count(0)
    expect(page.locator(".pair")).to_contain_text("query locked")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing_beside_an_open_term(serve: Serve, visit: Visit, scheme: str) -> None:
    page = open_page(serve, visit, color_scheme=scheme)
    for term in (
        page.get_by_role("link", name="head"),
        page.locator(".pair").get_by_role("button", name="Softmax", exact=True),
    ):
        term.focus()
        expect(page.get_by_role("tooltip")).to_have_count(1)
        assert [line for line in find_violations(page) if "term" in line or "stBidiComponent" in line] == []


OF_PAGES = {
    "explorer": ["tap", "tap path"],
    "element_wise": [
        "attention head", "relevance map", "skip connection", "softmax", "even share", "batch normalisation",
        "convolution", "relu",
    ],
    "paper": ["attention head", "query", "key", "value", "token", "histogram", "softmax", "position code", "log-odds"],
    "draw": ["even share", "attention head", "attention"],
    "results": ["control"],
    "pixel_attention": ["even share", "attention head", "logit", "token"],
}  # fmt: skip


@pytest.mark.parametrize("path", sweep(OF_PAGES, lambda path: path == "element_wise"))
def test_every_page_explains_its_words_where_they_first_stand(serve: Serve, visit: Visit, path: str) -> None:
    page = visit(f"{serve()}/{path}", "h1:not([data-old])")
    for name in OF_PAGES[path]:
        # A term of the page is a link; one of a component is a button whose sentence is made with it.
        sentence = glossary.sentences()[name]
        link = page.locator(f'a[href="#term-{glossary.anchor(name)}"]:visible')
        button = page.locator(".term-holder:visible").filter(has=page.locator(".term-tip", has_text=sentence))
        found = link.or_(button.locator(".term")).first
        found.focus()
        expect(find_tip(page, sentence)).to_be_visible()
        page.keyboard.press("Escape")


def test_the_share_says_log_odds_where_there_are_two_classes(serve: Serve, visit: Visit) -> None:
    page = visit(f"{serve()}/pixel_attention?model={ONE_OR_EIGHT}", ".viewer[data-drawn]")
    share = page.locator(".step.share")
    expect(share.get_by_role("button", name="log-odds", exact=True)).to_be_visible()
    expect(share.get_by_role("button", name="logit", exact=True)).to_be_hidden()
    expect(share).to_contain_text(re.compile("log-odds of [18]"), use_inner_text=True)
