"""The row of `attnviz.models.MODELS`."""

from attnviz.models.spec import Input, ModelSpec, imported

SPEC = ModelSpec(
    "Strip reader",
    imported("strip_reader.model", "StripReader"),
    "A third party",
    lambda config: Input(1, 28, 84),
    per_step=True,
)
