"""Nothing is cut off and nothing lies on something else: all words can be read, on a laptop and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.sweeps import sweep

from .conftest import Serve, Visit, wait_until_ready
from .laid_out import find_cut_words, find_overprinted_words, find_words_hidden_sideways

DRAWING = (
    "ARcV8AeQAzUwNzA1MCE8DUgLSA1GEEYWRhZGFkY8FkgISgpICkIRQCM-I0AlPiMXFIgLkAMITAhKBkwISghMCEoDTAdKB0wJSgdKB0wJSgdMCUoH"
    "TAlKB0wJSk9L"
)
PIXELS = "pixel_attention?v=2&data=strokes&number="
SHOWN = [  # pages as they come, and with what makes their words long: a lock, a wrong answer, a switch, something moved
    "",
    "draw",
    f"draw?v=2&strokes={DRAWING}",
    "explorer",
    "explorer?v=2&model=pixel_attention.1v8&data=strokes&number=23&address=attention.weights&query=12,13",
    "results",
    "paper",
    f"{PIXELS}23",
    f"{PIXELS}6&model=pixel_attention.1v8&query=14,16&key=3,3",
    f"{PIXELS}4&model=pixel_attention.digits&query=9,8",
    f"{PIXELS}3&model=pixel_attention.digits-no-positions&query=9,8&key=14,16&head=5&show=scores",
    f"{PIXELS}57&model=pixel_attention.digits-no-positions&direction=received&head=mean",
    "element_wise",
    "element_wise?v=2&model=element_wise.fashion-b&data=fashion_mnist&number=0&pixel=16,12&skip=no",
    "element_wise?v=2&model=element_wise.fashion-b&data=fashion_mnist&number=1&relevance=off",
    "recurrent_attention",
    "recurrent_attention?v=2&model=recurrent_attention.digits&data=strokes&number=23&moved=3.10.10&glimpse=3",
    "cnn_attention",
    "channel_attention",
    "spatial_transformer",
    "sequences",
    "sequences?v=2&model=transformer.strips-15&strip=strokes.15.3&layer=decoder-1&told=right",
    "cnn_attention?v=2&query=3,4&key=1,1&head=2",
    "train",
]


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("path", sweep(SHOWN, lambda path: path in (SHOWN[0], SHOWN[10], SHOWN[13])))
def test_all_words_can_be_read(visit: Visit, serve: Serve, path: str, width: int) -> None:
    finger = {"has_touch": True, "is_mobile": True} if width < 500 else {}
    page = visit(f"{serve()}/{path}", viewport={"width": width, "height": 720}, **finger)
    assert find_cut_words(page) == []
    assert find_overprinted_words(page) == []


@pytest.mark.parametrize("width", [375, 1280])
def test_the_equation_of_a_locked_pair_fits_with_long_negative_numbers(visit: Visit, serve: Serve, width: int) -> None:
    words = "4&model=pixel_attention.digits&query=9,8&key=5,5&head=3"
    page = visit(f"{serve()}/{PIXELS}{words}", viewport={"width": width, "height": 720})
    expect(page.locator(".katex-display").filter(has_text="2.382")).to_be_visible()
    wait_until_ready(page)
    assert find_words_hidden_sideways(page) == []


def test_the_sentence_above_a_layer_can_be_read_on_a_tablet(visit: Visit, serve: Serve) -> None:
    words = "v=2&model=element_wise.fashion-b&data=fashion_mnist&number=0"
    page = visit(f"{serve()}/element_wise?{words}", viewport={"width": 1024, "height": 720})
    expect(page.locator(".stage-wall .layer").first).to_contain_text("of the values to 0")
    wait_until_ready(page)
    assert find_cut_words(page) == []
