"""The experiments of the page on which models are trained, by their names in the URL, in the order of the page."""

from attnviz.ui.training.experiments import appear, same, what_if

EXPERIMENTS = {"appear": appear.EXPERIMENT, "same_heads": same.EXPERIMENT, "what_if": what_if.EXPERIMENT}
