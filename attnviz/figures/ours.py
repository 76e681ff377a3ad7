"""Views of one of our subjects: a net on an example. Importing this loads torch."""

from collections.abc import Mapping, Sequence

from attnviz.errors import BadInput
from attnviz.figures.shown import chosen
from attnviz.subjects import Subject, example, net
from attnviz.views import attending
from attnviz.views.attention import LayerView


def views_of(subject: Subject, layers: Sequence[int | str] | None) -> dict[str, LayerView]:
    """Return path -> view of a subject's attention layers, as chosen by `layers.chosen`; empty if no token attends."""
    loaded = subject.net.load(double=True)
    paths = [*attending.layers(loaded.model)]
    chosen_paths = chosen(paths, layers) if paths else []
    return {path: attending.attention(loaded, subject.example, path=path) for path in chosen_paths}


def subject_of(name: str, picture: str) -> Subject:
    """Return the subject of two words: a checkpoint, such as "pixel_attention.1v8", or the key of another net, and
    DATASET:NUMBER in the test split, such as "strokes:23".
    """
    if not isinstance(picture, str):
        raise BadInput(
            f"A checkpoint looks at a picture of a data set, such as strokes:23, not at a {type(picture).__name__}. "
            f"For your own pictures, make the figure from attnviz.watch(attnviz.load({name!r}).model)(batch)."
        )
    source, _, number = picture.partition(":")
    if not source or not number.isdigit():
        raise BadInput(f"A picture of a data set is DATASET:NUMBER, such as strokes:23, not {picture!r}.")
    return Subject(net(name), example(source, int(number)))


def origin_of(subject: Subject) -> Mapping[str, str | int | float]:
    """Return the origin of a subject."""
    return subject.origin()
