"""The page of element-wise attention in a browser: live answers against numpy, links, two models, a phone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.data import samples
from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms.element_wise import stages

from .apps.element_wise_nets import Switches
from .apps.element_wise_nets import compute_stages as spelled_out
from .conftest import Visit, find_violations, read_state, wait_for_state, walk
from .test_stage_grid import save_words

SMALL = "element_wise.small"
NUMBER = int(samples.read("fashion_mnist").numbers[3])
Open = Callable[..., Page]


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; words of the URL, and options of the browser's page."""

    def open_page(words: str = "", **options: Any) -> Page:
        address = f"{alone}/element_wise?data=fashion_mnist&number={NUMBER}{words or f'&model={SMALL}'}"
        return visit(address, ".st-key-stages .stage-grid[data-drawn]", **options)

    return open_page


def find_grid(page: Page) -> Locator:
    return page.locator(".st-key-stages .stage-grid")


def expect_answer(page: Page, wanted: np.ndarray) -> None:
    """Expect the answer on the screen, once it is there."""
    wait_for_state(page, ".stage-grid", "({ answer }) => !answer.pending")
    found = read_state(find_grid(page))["answer"]["logits"]
    np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def compute_logits(switches: Switches) -> np.ndarray:
    """Return the logits of the small model, from its arrays."""
    loaded = net(SMALL).load(double=True)
    view = stages.view(loaded, Picture("fashion_mnist", NUMBER))
    line = loaded.model.classifier
    return line.weight.numpy() @ spelled_out(view, switches)[-1]["output"].ravel() + line.bias.numpy()


def test_what_is_switched_is_answered_live(opened: Open) -> None:
    page = opened()
    expect_answer(page, compute_logits(Switches()))
    switches = find_grid(page).locator(".what-if")
    switches.get_by_text("Off", exact=True).click()
    find_grid(page).and_(page.locator(".switched")).wait_for()
    expect_answer(page, compute_logits(Switches(skip=False)))
    first = find_grid(page).locator(".answer .class.first")
    name, chance = first.locator("span").first.get_attribute("title"), first.locator(".percent").inner_text()
    lines = save_words(page)
    assert f"element_wise answers {name}, {chance}" in lines
    assert any(line.endswith("skip off") for line in lines)
    switches.locator(".chip").nth(1).click()
    expect_answer(page, compute_logits(Switches(skip=False, off=[(0, 1)])))
    page.wait_for_url("**off=1.2**")
    link = page.url
    switches.get_by_role("button", name="as trained").click()
    expect_answer(page, compute_logits(Switches()))
    walk(page, link)
    find_grid(page).and_(page.locator(".switched")).wait_for()
    expect_answer(page, compute_logits(Switches(skip=False, off=[(0, 1)])))


def test_a_pixel_that_is_locked_in_one_model_is_locked_in_the_other(opened: Open) -> None:
    page = opened(f"&model={SMALL}&beside=element_wise.normed")
    other = page.locator(".st-key-stages_beside .stage-grid")
    other.and_(page.locator("[data-drawn]")).wait_for()
    box = find_grid(page).locator(".stage-wall .frame").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 9.5 / 28, box["y"] + box["height"] * 6.5 / 28)
    expect(other.locator(".pixel-steps .how")).to_contain_text("row 7, column 10")
    expect(other.locator(".picture-part .how")).to_contain_text("locked")


def test_of_what_the_first_model_has_the_second_shows_what_it_has_too(opened: Open) -> None:
    page = opened(f"&model={SMALL}&beside=element_wise.normed&head=3&off=1.3,2.1")
    other = page.locator(".st-key-stages_beside .stage-grid")
    other.and_(page.locator("[data-drawn]")).wait_for()
    expect(other.locator(".complaint")).to_be_hidden()
    expect(other.get_by_role("button", name="Head 1 of layer 2, off")).to_be_visible()
    expect(find_grid(page).get_by_role("button", name="Head 3 of layer 1, off")).to_be_visible()


def test_the_heads_of_every_layer_can_be_switched_wherever_the_pointer_was(opened: Open) -> None:
    page = opened()
    box = find_grid(page).locator(".stage-wall .frame").last.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert read_state(find_grid(page))["layer"] == 1
    find_grid(page).get_by_role("button", name="Head 2 of layer 1, on").click()
    expect_answer(page, compute_logits(Switches(off=[(0, 1)])))


def test_attention_can_be_switched_off(opened: Open) -> None:
    page = opened()
    find_grid(page).get_by_text("0 (off)").click()
    layers = stages.view(net(SMALL).load(double=True), Picture("fashion_mnist", NUMBER)).layers
    zeros = [np.zeros_like(layer.x_weights) for layer in layers]
    find_grid(page).and_(page.locator(".switched")).wait_for()
    expect_answer(page, compute_logits(Switches(relevance=zeros)))
    expect(find_grid(page).locator(".stage-wall")).to_contain_text("all 0")
    page.wait_for_url("**relevance=zero**")


def test_an_eps_that_a_model_does_not_have_switches_nothing(opened: Open) -> None:
    page = opened("&model=element_wise.blocks&eps=1e-7")
    assert not read_state(find_grid(page))["switched"]
    assert read_state(find_grid(page))["answer"]["pending"] is False


@pytest.mark.parametrize("width", [1280, 375])
def test_what_is_wrong_with_a_link_stands_above_the_choices(opened: Open, width: int) -> None:
    page = opened("&model=nonsense&beside=strange", viewport={"width": width, "height": 800})
    warned = page.locator("[data-testid=stAlert]")
    expect(warned.filter(has_text="There is no model to compare with 'strange'.")).to_be_visible()
    box = warned.filter(has_text="There is no model 'nonsense'.").bounding_box()
    shown = page.locator(".st-key-page_choices, .st-key-page_drawer").locator("visible=true").last.bounding_box()
    assert box
    assert shown
    assert box["y"] + box["height"] <= shown["y"]
    assert shown["x"] + shown["width"] <= width


def test_an_experiment_has_stages_of_its_own(opened: Open) -> None:
    page = opened(f"&model={SMALL}&experiment=norm")
    own = page.locator(".st-key-norm_stages .stage-grid")
    own.and_(page.locator("[data-drawn]")).wait_for()
    before = read_state(own)["gain"]
    slider = own.get_by_role("slider")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    after = read_state(own)["gain"]
    assert after[0] > 2 * before[0], "a hundredth of eps lets the relevance come alive"
    main = read_state(find_grid(page))["gain"]
    assert main == before, "the stages above keep the trained eps"


def test_a_phone_shows_the_picture_first_and_nothing_wider_than_itself(opened: Open) -> None:
    page = opened(f"&model={SMALL}&inside=no", viewport={"width": 375, "height": 812}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 3600
    tops = [
        find_grid(page).locator(part).bounding_box()
        for part in (".picture-part", ".stages-part", ".pixel-steps", ".controls")
    ]
    assert all(tops)
    heights = [box["y"] for box in tops if box]
    assert heights == sorted(heights)
    # No caption begins left of its own map, however wide its words are.
    before = find_grid(page).evaluate("""(root) => [...root.querySelectorAll(".stage-wall .caption")].map((one) => {
      const words = document.createRange();
      words.selectNodeContents(one);
      const frame = one.closest(".tile").querySelector(".frame");
      return one.closest(".tile").matches(":first-child") && words.getBoundingClientRect().width
        ? frame.getBoundingClientRect().left - words.getBoundingClientRect().left : 0;
    })""")
    assert before and max(before) < 1


def test_in_a_window_of_1280_by_720_the_stages_stand_above_the_fold(opened: Open) -> None:
    page = opened(f"&model={SMALL}&inside=no")
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 1900
    find_grid(page).get_by_text("Inside head 1 of layer 1").click()
    expect(find_grid(page).locator(".inside-part .caption").first).to_be_visible()
    page.wait_for_url(lambda url: "inside=" not in url)
    # What is missing is offered in a second row of choices, which a server with the data sets does not have.
    offered = page.locator(".st-key-get_fashion_mnist").bounding_box()
    last = find_grid(page).locator(".stage-wall .frame").last.bounding_box()
    assert offered
    assert last
    assert last["y"] + last["height"] <= 720 + offered["height"] + 40


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    assert find_violations(opened(color_scheme=scheme)) == []
