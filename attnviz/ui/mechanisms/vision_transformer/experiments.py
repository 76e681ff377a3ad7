"""The experiments of the page, each a question."""

from attnviz.ui.shared.experiments import Experiment

EXPERIMENTS: dict[str, Experiment] = {}
