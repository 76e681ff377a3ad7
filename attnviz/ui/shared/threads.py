"""How many threads torch computes with: one for whatever visitors ask, all of them for a training.

Visitors compute side by side, each on one core: the parts of a small model would wait for one another, and for the
browser on the same machine, longer than they take. A training has the machine for itself, in a process of its own.
"""

import os

VARIABLE = "OMP_NUM_THREADS"
_OURS = "ATTNVIZ_ONE_THREAD"  # in the environment: the limit is of this module, and nobody has asked for it


def one_each() -> None:
    """Let torch, which reads the limit when it is loaded, use one thread; the environment can set another number."""
    if VARIABLE not in os.environ:
        os.environ.update({VARIABLE: "1", _OURS: "1"})


def all_of_them() -> None:
    """Let torch use all cores in this thread: for a model of somebody's own, which is large and asked one at a time."""
    if os.environ.get(_OURS):
        import torch

        torch.set_num_threads(os.cpu_count() or 1)


def environment() -> dict[str, str]:
    """Return the environment for a process that may use the whole machine: a training that the app starts."""
    found = dict(os.environ)
    if found.pop(_OURS, None):
        found.pop(VARIABLE, None)
    return found
