"""The stages of a block with a gate: what stands above their maps, and how the URL names them. Loads no torch."""

from attnviz.ui.components.stage_maps import fields_of

TITLES = {
    "input": "input",
    "conv": "after conv",
    "norm": "after norm",
    "relu": "after ReLU",
    "branch": "second conv, norm",
    "gate": "after the gate",
    "output": "plus skip, ReLU",
}
IN_BLOCK = tuple(TITLES)
BEHIND_BLOCK = ("input", "conv", "norm", "relu", "branch", "output", "gate")  # where BAM has its gate
FIELDS = fields_of(TITLES, "gate")
"""The view of the maps in the URL; layer and channel are those of the gates, so that both show the same."""
