"""Start the app from the command line: `attnviz app`, and `attnviz lessons play`."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from attnviz import paths
from attnviz.errors import BadInput


def app(options: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run the app as `streamlit run app.py` does, until it is stopped; where the system allows it, in place of this
    process, so that signals reach it.

    Args:
        options: of Streamlit, such as --server.port=8600.
        variables: of the environment, beside those that are set.

    Returns:
        The exit status.

    Raises:
        BadInput: what the app needs is not installed.
    """
    for needed in ("streamlit", "plotly"):
        if find_spec(needed) is None:
            raise BadInput(f'The app needs {needed}, which is missing: pip install "attnviz[app]"')
    command = [sys.executable, "-m", "streamlit", "run", str(paths.shipped("app.py")), *options]
    environment = {**os.environ, **variables}
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    return subprocess.run(command, env=environment, check=False).returncode
