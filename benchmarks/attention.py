"""What does it cost to look? Fused attention against the spelled-out path of a trace, and against PyTorch's own.

python -m benchmarks.attention
"""

import re
import subprocess
import sys
from pathlib import Path

import torch
from torch import nn

from attnviz.layers.attention import Attention
from attnviz.tracing import trace
from benchmarks.clock import in_turn, table

TOKENS, FEATURES, HEADS, SIZE = 784, 144, 24, 6


def layer() -> tuple[Attention, torch.Tensor]:
    """Return a layer of 24 heads, and the tokens of one picture."""
    generator = torch.Generator().manual_seed(0)
    made = Attention(features=FEATURES, heads=HEADS, head_size=SIZE).eval().requires_grad_(False)
    return made, torch.randn(1, TOKENS, FEATURES, generator=generator)


def traced(attention: Attention, tokens: torch.Tensor) -> None:
    with trace(attention, "weights"):
        attention(tokens)


def theirs(attention: nn.MultiheadAttention, tokens: torch.Tensor) -> None:
    attention(tokens, tokens, tokens, need_weights=True, average_attn_weights=False)


def memory(way: str) -> float:
    """Return by how many MB the memory of a fresh process grows when it takes this way once."""
    code = f"from benchmarks import attention; attention.grow({way!r})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


def grow(way: str) -> None:
    """Print by how many MB the highest memory grows when this process takes a way."""
    attention, tokens = layer()
    attention(tokens[:, :8])
    before = highest()
    attention(tokens) if way == "fused" else traced(attention, tokens)
    print(highest() - before)


def highest() -> float:
    """Return the most memory that this process ever held, in MB; known on Linux only."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found, "Linux says so in /proc/self/status"
    return int(found[1]) / 1024


def main() -> None:
    attention, tokens = layer()
    own = nn.MultiheadAttention(FEATURES, HEADS, batch_first=True).eval().requires_grad_(False)
    with torch.inference_mode():
        seconds = in_turn(
            {
                "fused, nobody listens": lambda: attention(tokens),
                "spelled out, weights kept": lambda: traced(attention, tokens),
                "nn.MultiheadAttention, its weights": lambda: theirs(own, tokens),
            }
        )
    print(f"{HEADS} heads x {TOKENS} tokens x {SIZE}, one picture, {torch.get_num_threads()} threads\n")
    print(table(seconds, "fused, nobody listens"))
    print(f"\nMemory grows by {memory('fused'):.0f} MB fused, by {memory('spelled out'):.0f} MB spelled out.")


if __name__ == "__main__":
    main()
