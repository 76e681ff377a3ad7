"""Which models read strips, and which of them are controls."""

from collections.abc import Mapping
from typing import Any

MODELS = ("encoder_decoder", "transformer")


def is_control(config: Mapping[str, Any]) -> bool:
    """Return whether a model of such a config is a control: one that cannot choose where it looks, or has no order."""
    return config.get("attention", "additive") != "additive" or not config.get("positions", True)
