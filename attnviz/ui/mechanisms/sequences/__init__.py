"""Sequences: a strip of handwritten digits is read through one vector, with additive attention, or by a Transformer."""

from pathlib import Path

from attnviz.ui.mechanisms.mechanism import Height, HomePicture, Mechanism, OnDrawing, gathered, later
from attnviz.ui.mechanisms.sequences.readers import MODELS, is_control

# The view that opens on its page and is shown on the home page.
MODEL, SOURCE, LENGTH, NUMBER = "encoder_decoder.strips-15", "strokes", 8, 3

LAST_DIGITS = "strip"
"""The URL field of the draw page while the last digits are read there as a strip."""

MECHANISM = Mechanism(
    name="sequences",
    title="Sequences",
    question="How does a network read a strip of digits, and where does it look for each of them?",
    page="70_sequences.py",
    url="sequences",
    models=MODELS,
    is_control=is_control,
    panel=later(f"{__name__}.view", "panel_of"),
    papers=("bahdanau", "vaswani"),
    home=HomePicture(
        Path(__file__).parent / "home.png",
        "A strip of digits, and for each step of the answer the columns of the strip that it looks at",
        {"model": MODEL},
        later(f"{__name__}.choose", "home_tiles"),
    ),
    on_drawing=OnDrawing(LAST_DIGITS, later(f"{__name__}.last_digits", "show")),
    derived=gathered(__name__, "view.ALIGNMENT_VIEW", "view.READ"),
    components=("alignment", "strip_pad"),
    preload=("alignment",),
    heights={"alignment": Height(660, phone=1300), "strip_pad": Height(168)},
    imports=("attnviz.ui.components.alignment",),
)
