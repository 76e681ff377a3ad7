"""Runs `ray start` for a node of a cluster that keeps to loopback. test_ray.py starts two of these.

Ray replaces 127.0.0.1 by an address that others can reach, or, with RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0, keeps it and
refuses a second node. Here it does neither.
"""

import sys
import time
from typing import Any

from ray._private import ray_constants, services
from ray.scripts.scripts import main

_ask = services.get_node


def patient(*arguments: Any) -> Any:
    """Return what the head knows of a node; Ray gives up after 30 seconds, in which a busy machine starts none."""
    for _ in range(200):
        try:
            return _ask(*arguments)
        except RuntimeError:
            time.sleep(0.5)
    return _ask(*arguments)


if __name__ == "__main__":
    services.get_node = patient
    services.get_node_ip_address = lambda address=None: "127.0.0.1"
    ray_constants.ENABLE_RAY_CLUSTER = True
    sys.exit(main())
