"""The view of a net's attention with its answer in words, cached by subject. Loads torch."""

from dataclasses import replace

from attnviz.subjects import Example, Loaded, Subject
from attnviz.ui.shared import cache
from attnviz.ui.shared.inference import in_words
from attnviz.views import attending
from attnviz.views.attention import AttentionView


def attention(loaded: Loaded, example: Example, *, unit: str | None = None) -> AttentionView:
    """Return the viewer's contents for the first attention layer, with the answer in their origin."""
    if not attending.layers(loaded.model):
        return attending.attention(loaded, example, unit=unit)  # raises a message about the net
    shared = attending.convolutions(loaded.model)  # another view of the same page shows the convolutions
    run = cache.of_subject(attending.passed, Subject(loaded.net, example)) if shared else None
    run = run or attending.passed(loaded, example)
    view = attending.attention(loaded, example, unit=unit, run=run)
    return replace(view, origin={**view.origin, "answer": in_words(loaded.net, run[1])})
