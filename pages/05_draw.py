"""Draw: a digit drawn by hand, and every model looks at it while it is being drawn."""

import re

import streamlit as st

from attnviz import data
from attnviz.errors import AttnvizError, BadInput, UnknownName
from attnviz.ui import address, cache, draw_cards, draw_erase, other_inputs, page, warm
from attnviz.ui.drawing_pad import (
    Base,
    Drawn,
    drawing_pad,
    drawn_from_address,
    drawn_to_address,
    on_pad,
    seen_on_pad,
    wished_way,
)

PAD = "pad"
SAMPLES = 64  # pictures at the beginning of the strokes' test split, among which there is one of each digit

FOUR_OR_NINE = (
    "ARcV8AeQAzUwNzA1MCE8DUgLSA1GEEYWRhZGFkY8FkgISgpICkIRQCM-I0AlPiMXFIgLkAMITAhKBkwISghMCEoDTAdKB0wJSgdKB0wJSgdMCUoH"
    "TAlKB0wJSk9L"
)
SMALL_THREE = "AQkS6AKsAjopPBtCHDokB0YFSD0oOyZCIEAgGjoISB02Oyg9FkEZQxm2og"  # in a corner
TRIES = [
    ("a 4, or a 9?", {"strokes": FOUR_OR_NINE}),
    ("a small 3, as it is", {"strokes": SMALL_THREE, "centred": "no"}),
    ("the same, centred", {"strokes": SMALL_THREE}),
]


def main() -> None:
    page.start("Draw", "Draw a digit. Every model looks at it while you draw, each in its own way.", tries=TRIES)
    draw()
    warm.soon()


@st.fragment
def draw() -> None:
    """Draw the pad and the cards: all that a stroke changes, so that no more runs again."""
    with page.sentences():
        drawn, sentences = drawn_from_address(st.query_params.to_dict())
        base = None
        try:
            base = named(drawn.base) if drawn.base else None
        except AttnvizError as error:
            sentences.append(f"{error} The pad begins without that picture.")
        for sentence in sentences:
            st.warning(page.verbatim(sentence))
        known = Drawn(drawn.drawing, base.name if base else None, drawn.centred)
        outside = other_inputs.given(PAD)
        if outside:
            known, base = Drawn("", outside.name, drawn.centred), outside
        names = draw_cards.shown()
        shown = draw_cards.on_cards(names, settled=draw_erase.is_open())
        with st.container(key="other_inputs"):  # always there, so that the pad keeps its place below it
            way = other_inputs.show(wished_way(PAD))
        drawing_pad(
            known, key=PAD, samples=samples(), base=base, ways=other_inputs.WAYS, way=way, on_change=keep, cards=shown
        )
        draw_cards.choose(names)
        draw_erase.show(names, seen_on_pad(PAD))


def keep() -> None:
    """Put what is drawn into the address."""
    drawn = on_pad(PAD)
    if drawn:
        address.put(**drawn_to_address(drawn))


def samples() -> list[Base]:
    """Return a picture of each digit to start from."""
    images, labels = data.load("strokes", "test", count=SAMPLES)
    first = [int((labels == digit).nonzero()[0][0]) for digit in range(10)]
    return [Base(f"strokes.{number}", images[number, :, :, 0], str(labels[number])) for number in first]


def named(name: str) -> Base:
    """Return the test picture of that name, such as "strokes.12".

    Raises:
        BadInput, UnknownName: there is no such picture; says what there is.
        DataError: its data set is not here.
    """
    source, _, number = name.partition(".")
    fitting = [known for known, spec in data.DATASETS.items() if spec.shape == (28, 28, 1)]
    if source not in fitting:
        raise UnknownName("data set of digits or clothes", source, fitting)
    count = data.DATASETS[source].counts["test"]
    if not re.fullmatch("[0-9]{1,9}", number) or int(number) >= count:
        raise BadInput(f"The address wants to start from {name!r}; {source} has pictures 0 to {count - 1:,}.")
    picture, label = cache.picture(source, int(number))
    return Base(f"{source}.{int(number)}", picture[:, :, 0], label)


main()
