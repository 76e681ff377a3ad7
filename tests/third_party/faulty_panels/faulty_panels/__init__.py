"""A third party that breaks the panels of mechanisms that are there, each in another way; see tests/browser."""

FAULTS = {
    "pixel_attention.digits": {"renderer": "faulty_panels.panels/throws.js"},
    "element_wise.digits": {"renderer": "faulty_panels.panels/nothing.js"},
    "recurrent_attention.digits": {"renderer": "faulty_panels.panels/no_javascript.js"},
    "cnn_attention.digits": {"renderer": "faulty_panels.panels/not_there.js"},
    "pixel_line.digits": {"renderer": "faulty_panels.panels/words.js"},
    "histogram_line.digits": {"renderer": "no renderer"},
    "histogram_mlp.digits": {"heads": 3},
    "plain_conv.digits": {"renderer": "faulty_panels.panels/slow.js"},
}
"""Checkpoint -> what is wrong with its panel; the page opens with no others but `ink.digits`."""
