"""Training by several processes, started by `torchrun`: each computes the gradient of its part of every batch.

    torchrun --nproc-per-node 2 -m attnviz train pixel_attention --recipe 1v8

Every process makes the same batches and takes its part of them. The gradients of the parts are added, each weighted by
its share of the batch's pictures: the sum is the gradient of the mean over the whole batch, even if the parts differ in
size. So up to rounding, the weights are those of one process, and they are the same in all processes. Only the first
process reads and writes the run, measures, decides when to stop, and prints; the others follow it.

Differs from torch's DistributedDataParallel. That only works for calls of the wrapped model, but an objective may use
any of its methods. It averages over processes, which is the mean over pictures only if the parts are equal.

If a model draws random numbers in training, each process draws its own. They are reproducible, but not those of one
process.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn, TypeVar

from attnviz.errors import RunError
from attnviz.training.progress import Step
from attnviz.training.stopping import Terminated

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from attnviz.training.examples import Examples

Event = TypeVar("Event")
Kind = TypeVar("Kind")

_PATIENCE = timedelta(hours=2)  # the others wait while the first measures and tests; a dead process is noticed at once


class Alone:
    """A training by one process, which divides and sends nothing."""

    count = 1
    """The number of processes."""

    first = True
    """Whether this process writes, measures and prints."""

    def part(self, batch: Examples) -> Examples:
        """Return this process's part of a batch, which may be empty."""
        return batch

    def draws(self, generator: torch.Generator, epoch: int, step: int) -> torch.Generator:
        """Return the objective's generator for a step of an epoch."""
        return generator

    def add_gradients(self, model: nn.Module) -> None:
        """Replace the gradients by their sum over all processes."""

    def add(self, totals: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the sums of named numbers over all processes; some may be unknown to this process."""
        return totals

    def shared(self, make: Callable[[], Kind]) -> Kind:
        """Return the first process's result of `make`, in all processes."""
        return make()

    def in_step(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        """Pass on the events of a training in all processes, until the first one ends it. If that is early, the others
        raise Terminated.
        """
        return events

    def command(self, command: str) -> str:
        """Return the command for this number of processes, from the command for one process."""
        return command


@dataclass(frozen=True)
class Several(Alone):
    """A training by several processes, perhaps on several machines; this one has a rank, from 0. `joined` makes it."""

    rank: int
    count: int
    nodes: int = 1
    _ending: list[Tensor] = field(default_factory=list, repr=False, compare=False)  # as long as the gradients

    @property
    def first(self) -> bool:  # type: ignore[override]
        """Whether this process writes, measures and prints."""
        return self.rank == 0

    def part(self, batch: Examples) -> Examples:
        """Return the part of a batch. Args and Returns: as in `Alone.part`."""
        size = -(-len(batch) // self.count)
        return batch[slice(self.rank * size, (self.rank + 1) * size)]

    def draws(self, generator: torch.Generator, epoch: int, step: int) -> torch.Generator:
        """Return a generator for this process and step; the training's own stays the same in all processes."""
        import torch

        seed = hashlib.sha256(f"{generator.initial_seed()} {epoch} {step} {self.rank}".encode()).digest()
        return torch.Generator().manual_seed(int.from_bytes(seed[:8]))

    def add_gradients(self, model: nn.Module) -> None:
        """Replace the gradients by their sum; a parameter that no process used still has none."""
        import torch

        learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
        for dtype in dict.fromkeys(parameter.dtype for parameter in learnt):
            of_kind = [parameter for parameter in learnt if parameter.dtype == dtype]
            used = torch.tensor([parameter.grad is not None for parameter in of_kind], dtype=dtype)
            gradients = [
                (torch.zeros_like(parameter) if parameter.grad is None else parameter.grad).flatten()
                for parameter in of_kind
            ]
            ended = used.new_zeros(1)  # whether the first process has ended
            sums = torch.cat([torch.cat(gradients).cpu(), used, ended])
            self._ending[:] = self._ending or [torch.zeros_like(sums)]
            self._add(sums)
            added, used, ended = sums.split([len(sums) - len(used) - 1, len(used), 1])
            if ended:
                raise Terminated
            found = added.to(of_kind[0].device).split([*map(len, gradients)])
            for parameter, gradient, count in zip(of_kind, found, used, strict=True):
                parameter.grad = gradient.view_as(parameter) if count else None

    def add(self, totals: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the sums over all processes. Args and Returns: as in `Alone.add`."""
        import torch
        import torch.distributed as dist

        every: list[dict[str, Tensor]] = [{}] * self.count
        with _peers():
            dist.all_gather_object(every, {name: total.cpu() for name, total in totals.items()})
        names = dict.fromkeys(name for one in every for name in one)
        return {name: torch.stack([one[name] for one in every if name in one]).sum(0) for name in names}

    def shared(self, make: Callable[[], Kind]) -> Kind:
        """Return the first process's result. Args and Returns: as in `Alone.shared`."""
        import torch.distributed as dist

        made = [make() if self.first else None]
        with _peers():
            dist.broadcast_object_list(made, 0)
        found: Kind = made[0]  # type: ignore[assignment]
        return found

    def in_step(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        """Pass on the events of a training. Args, Yields and Raises: as in `Alone.in_step`."""
        return self._led(events) if self.first else self._followed(events)

    def _led(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        for event in events:
            try:
                yield event
            except GeneratorExit:
                with suppress(RunError, Terminated):  # the others have ended too
                    self._end(event)
                raise
            if not _within_epoch(event):
                self._go_on(True)

    def _followed(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        for event in events:
            yield event
            if not _within_epoch(event) and not self._go_on(False):
                raise Terminated

    def _end(self, after: object) -> None:
        """Signal the end of the training to the others: within an epoch, in place of the next gradients."""
        if _within_epoch(after):
            (told,) = self._ending
            told[-1] = 1
            self._add(told)
        else:
            self._go_on(False)

    def _go_on(self, said: bool) -> bool:
        """Return whether the training continues, as decided by the first process."""
        import torch

        told = torch.tensor([said and self.first], dtype=torch.int64)
        self._add(told)
        return bool(told)

    @staticmethod
    def _add(numbers: Tensor) -> None:
        import torch.distributed as dist

        with _peers():
            dist.all_reduce(numbers)

    def command(self, command: str) -> str:
        """Return the command. Args and Returns: as in `Alone.command`."""
        nodes = ["--nnodes", str(self.nodes)] if self.nodes > 1 else []
        words = ["torchrun", *nodes, "--nproc-per-node", str(self.count // self.nodes)]
        return f"{shlex.join(words)} {command.removeprefix('python ')}"


def _within_epoch(event: object) -> bool:
    """Return whether the processes will exchange gradients next."""
    return isinstance(event, Step) and event.done < event.total


ALONE = Alone()


@contextmanager
def joined() -> Iterator[Alone]:
    """Join the processes started by `torchrun`, if it started this one."""
    if rank() is None:
        yield ALONE
        return
    import torch
    import torch.distributed as dist

    here, local = int(os.environ["LOCAL_WORLD_SIZE"]), int(os.environ["LOCAL_RANK"])
    several = Several(rank() or 0, _count(), _count() // here)
    if several.nodes == 1 and os.path.exists("/sys/class/net/lo"):  # noqa: PTH110 (no folder of ours)
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # their traffic does not leave this machine
    if torch.cuda.is_available():
        torch.cuda.set_device(local % torch.cuda.device_count())
    with _peers():
        dist.init_process_group("gloo", timeout=_PATIENCE)
    try:
        yield several
    finally:
        dist.destroy_process_group()


@contextmanager
def following() -> Iterator[None]:
    """Inside the block, leave reacting to a request to stop to the first process."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def rank() -> int | None:
    """Return the rank of this process among those started by `torchrun`, from 0, or None if it is the only one."""
    return int(os.environ["RANK"]) if "TORCHELASTIC_RUN_ID" in os.environ and _count() > 1 else None


def leave(status: int) -> NoReturn:
    """End this process with a status.

    One of several processes exits without finalising Python: a thread of gloo that frees its last tensor meanwhile
    would abort it.
    """
    if rank() is None:
        sys.exit(status)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _count() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


@contextmanager
def _peers() -> Iterator[None]:
    """Convert the error of a lost process: RunError in the first process, Terminated in the others."""
    try:
        yield
    except RuntimeError as error:
        if rank():
            raise Terminated from error
        raise RunError(
            "Another process of this training has ended, so this one ends too. "
            "The same command resumes after the last epoch."
        ) from error
