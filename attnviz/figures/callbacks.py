"""Recording within the training loops of Lightning and transformers, each of which is imported only when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput

if TYPE_CHECKING:
    from attnviz.figures.record import Record


def lightning(record: Record) -> Any:
    """Return a callback for `lightning.Trainer(callbacks=[...])`.

    Args:
        record: the result of `attnviz.record`; it need not be entered.

    Raises:
        BadInput: Lightning is not installed.
    """
    try:
        from lightning.pytorch import Callback
    except ModuleNotFoundError:
        try:
            from pytorch_lightning import Callback
        except ModuleNotFoundError as error:
            raise BadInput("This callback needs Lightning: pip install lightning.") from error

    class Recording(Callback):
        def on_train_start(self, trainer: Any, module: Any) -> None:
            record.__enter__()

        def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, number: int) -> None:
            record.done(trainer.global_step)

        def on_train_end(self, trainer: Any, module: Any) -> None:
            record.__exit__(None, None, None)

    return Recording()


def transformers(record: Record) -> Any:
    """Return a callback for `transformers.Trainer(callbacks=[...])`.

    Args:
        record: the result of `attnviz.record`; it need not be entered.

    Raises:
        BadInput: transformers is not installed.
    """
    try:
        from transformers import TrainerCallback
    except ModuleNotFoundError as error:
        raise BadInput("This callback needs transformers: pip install transformers.") from error

    class Recording(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            record.__enter__()

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            record.done(state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            record.__exit__(None, None, None)

    return Recording()
