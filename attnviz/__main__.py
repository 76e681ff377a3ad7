"""The command line: `python -m attnviz --help`. Wrong arguments end the program with one sentence and exit status 2.

It can be interrupted at any moment, even during slow imports, so `main` imports everything heavy.
"""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

# optional package -> the extra that installs it
_EXTRAS = {
    **dict.fromkeys(("streamlit", "plotly", "markdown_it", "mdit_py_plugins", "yaml"), "app"),
    **dict.fromkeys(("psutil", "torchvision"), "train"),
    "matplotlib": "figures",
    "optuna": "search",
}


def program() -> NoReturn:
    """Run the command given on the command line, and exit with its status."""
    _open_streams()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise interrupts are meant to be ignored
        signal.signal(signal.SIGINT, _interrupted)
    sys.unraisablehook = _unraisable
    try:
        status = main()
    except SystemExit as ended:  # raised by argparse or the app
        status = _flushed(ended.code) if isinstance(ended.code, int) else _failed(str(ended.code))
    except KeyboardInterrupt:
        status = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done
    from attnviz.training import together

    together.leave(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; by default, those in `sys.argv`.

    Returns:
        The exit status: 0; 2 for wrong arguments, something missing, or an output that cannot be written; 130 if
        stopped from the keyboard; 141 if the output is no longer read; 143 if a training was stopped by SIGTERM.
    """
    from attnviz import command_line, commands, paths
    from attnviz.errors import AttnvizError, BadInput
    from attnviz.files import reason
    from attnviz.training import together

    try:
        options = command_line.parser(commands.COMMANDS).parse_args(arguments)
        if together.rank() is not None and options.run is not commands.COMMANDS["train"]:
            raise BadInput("torchrun starts several processes for one training: torchrun ... -m attnviz train ...")
        paths.say(not getattr(options, "quiet", False))
        options.run(options)
    except AttnvizError as error:
        rank = together.rank()
        return _failed(f"Process {rank}: {error}" if rank else str(error))
    except (MemoryError, RuntimeError) as error:
        if not _is_memory(error):
            raise
        return _failed("The memory here is not enough. Take smaller batches, or a smaller model.")
    except ModuleNotFoundError as error:
        if (extra := _EXTRAS.get(error.name or "")) is None:
            raise
        return _failed(f'This command needs {error.name}, which is missing: pip install "attnviz[{extra}]"')
    except KeyboardInterrupt as stopped:
        if not together.rank():
            _failed(str(stopped) or "Stopped.")
        return 130 if type(stopped.__cause__ or stopped) is KeyboardInterrupt else 143
    except OSError as error:
        if error.filename is not None:
            return _failed(f"{error.filename} cannot be used: {reason(error)}.")
        return _flushed(0, error)
    return _flushed(0)


def _flushed(status: int, error: OSError | None = None) -> int:
    """Flush the output and return the exit status, or another status if the output cannot be written."""
    try:
        if error is not None:
            raise error
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python complains at exit
        if isinstance(error, BrokenPipeError):
            return 141
        return _failed(f"The output cannot be written: {(error.strerror or str(error)).lower()}.")
    return status


def _failed(sentence: str) -> int:
    """Print why a command failed, if stderr can be written, and return the exit status."""
    try:
        print(sentence, file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return 2


def _is_memory(error: Exception) -> bool:
    """Return whether an error means that memory ran out: torch has no exception type for this on the CPU."""
    return isinstance(error, MemoryError) or "out of memory" in str(error) or "can't allocate memory" in str(error)


def _open_streams() -> None:
    """Make sure that the standard streams exist and take any character. A closed one would be None, and the next file
    opened would get its number and receive library output."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Exit at once during an import, which Ctrl-C would leave half done, and inside Streamlit, which would print its
    own message."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib") or frame.f_globals.get("__name__") == "click.core":
            _end_at_once()
        frame = frame.f_back
    raise KeyboardInterrupt


def _unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """Exit if Ctrl-C arrived in a destructor: otherwise Python would ignore it."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _end_at_once()
    sys.__unraisablehook__(unraisable)


def _end_at_once() -> NoReturn:
    if os.environ.get("RANK", "0") == "0":  # only one of torchrun's processes prints it
        os.write(2, b"Stopped.\n")
    os._exit(130)


if __name__ == "__main__":
    program()
