"""The nets whose heads can be measured: checkpoints with attention heads that classify a single picture."""

from attnviz import cards
from attnviz.subjects import Net, kinds
from attnviz.ui.shared import cache


def names() -> list[str]:
    """Return the names of the checkpoints with attention heads, sorted."""
    return cache.of_checkpoints(_names)


def first() -> str:
    """Return the checkpoint shown first: that with most classes, then the smallest pictures, then most heads."""
    return cache.of_checkpoints(_first)


def _first() -> str:
    def order(name: str) -> tuple[int, ...]:
        net = kinds.net(name)
        heads = net.config.get("layers", 1) * net.config["heads"]
        return len(net.classes), -net.input.rows * net.input.columns * net.input.channels, heads

    return max(names(), key=order, default="")


def _names() -> list[str]:
    several = [name for name, card in cards.usable(cards.names()).items() if "heads" in card.config]
    known: dict[tuple[str, ...], bool] = {}
    found = []
    for name in several:
        net = kinds.net(name)
        # Whether a model has heads depends on its architecture and its config's strings, such as "even", not on sizes.
        kind = (net.architecture, *sorted(str(word) for word in net.config.values() if isinstance(word, str)))
        if kind not in known:
            known[kind] = _has_heads(net)
        if known[kind]:
            found.append(name)
    return found


def _has_heads(net: Net) -> bool:
    import torch

    from attnviz.errors import AttnvizError
    from attnviz.head_table.calls import calls_of

    taken = net.input
    try:
        calls_of(net.load().model, torch.zeros(2, taken.channels, taken.rows, taken.columns))
    except AttnvizError:
        return False
    return True
