"""The row of `attnviz.models.MODELS`."""

from attnviz.models.spec import Input, ModelSpec, imported

SPEC = ModelSpec(
    "Colour stages",
    imported("colour_stages.model", "ColourStages"),
    "A third party",
    lambda config: Input(3, 32, 32, "resized"),
)
