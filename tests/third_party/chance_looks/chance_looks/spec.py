"""The row of `attnviz.models.MODELS`."""

from attnviz.models.spec import Input, ModelSpec, imported

SPEC = ModelSpec(
    "Chance looks",
    imported("chance_looks.model", "ChanceLooks"),
    "A third party",
    lambda config: Input(1, 60, 60, "strayed"),
    takes=("generator",),
)
