"""What the home page and the pixel page show first, computed in advance.

`python -m attnviz.ui.mechanisms.pixel_attention.first_look` computes it again, after the checkpoint has been trained
again. A test holds it equal to what the model computes.
"""

from attnviz import data

NAME, SOURCE, NUMBER = "pixel_attention.digits", "strokes", 23


def renew() -> None:
    """Compute the first look again and write it beside the weights."""
    from attnviz.ui.shared import first_look, inference

    image, label = data.load(SOURCE, "test", count=NUMBER + 1).images[NUMBER], data.labels(SOURCE, "test")[NUMBER]
    name = data.DATASETS[SOURCE].classes[label]
    view = inference.attention(inference.exactly(NAME), image, name, f"{SOURCE}/test/{NUMBER}")
    first_look.keep(NAME, view)


if __name__ == "__main__":
    renew()
