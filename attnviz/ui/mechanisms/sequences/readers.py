"""The models that read strips, and those of them that are controls."""

from collections.abc import Mapping
from typing import Any

MODELS = ("encoder_decoder", "transformer")


def is_control(config: Mapping[str, Any]) -> bool:
    """Return whether a model with this config is a control: it cannot choose where to attend, or has no positions."""
    return config.get("attention", "additive") != "additive" or not config.get("positions", True)
