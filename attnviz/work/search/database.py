"""Trials of a search in PostgreSQL, shared by workers on many machines.

Optuna itself does not guarantee the exact number of finished trials, nor does its gRPC proxy, which has neither
heartbeats nor locks. So the gate is a lock of the database session, which ends with its worker, and a worker writes a
heartbeat every few seconds, by the database's clock.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import parse_qs, urlsplit

from attnviz.errors import AttnvizError, BadInput, RunError

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial
    from sqlalchemy.engine import Connection

BEAT = 10
"""Seconds between a worker's heartbeats."""

GRACE = 60
"""Seconds without a heartbeat after which another worker repeats its trial."""

_PATIENCE = 60  # seconds to wait for the gate, which is held for at most a second
_LONGEST = 1000  # maximum length of a URL

_SILENT = """
SELECT trial_id FROM trial_heartbeats JOIN trials USING (trial_id)
WHERE study_id = :study AND heartbeat < LOCALTIMESTAMP - make_interval(secs => :grace)
"""

# Sessions end soon after their machine has gone, and a change of the server's time zone makes no worker look dead.
_OPTIONS = (
    f"-c timezone=UTC -c client_encoding=UTF8 -c lock_timeout={_PATIENCE}s "
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
)


def checked(url: str) -> str:
    """Check and return the URL of a search's database."""
    expected = "It must look like postgresql://USER@HOST:5432/DATABASE."
    try:
        parts = urlsplit(url)
        named = parse_qs(parts.query, keep_blank_values=True)
        has_password = parts.password is not None or "password" in named
        _ = parts.port
    except ValueError as error:
        raise BadInput(f"The storage cannot be read: {error}. {expected}") from error
    if parts.scheme in ("grpc", "grpcs"):
        raise BadInput(
            "Optuna's gRPC proxy does not say which workers live, and has no locks. Give the PostgreSQL behind it."
        )
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/") or len(url) > _LONGEST:
        raise BadInput(f"The storage of a search is a database of PostgreSQL, not {url[:100]!r}. {expected}")
    if has_password:
        raise BadInput("The storage must not hold a password. Put it into PGPASSWORD or ~/.pgpass.")
    return f"postgresql{url.removeprefix(parts.scheme)}"


class Database:
    """A `Store` of the trials of a search in a database, whose URL comes from `checked`."""

    def __init__(self, url: str, name: str) -> None:
        self._url, self._name = url, name

    @contextmanager
    def gate(self) -> Iterator[None]:
        """Hold the lock of the search in the only session of this process, which also does all its other work: if the
        process dies, the lock is released after its last change, not before."""
        with self.safe():
            engine = _storage(self._url, True)._backend.engine
            with engine.connect() as session:
                _execute(session, "SELECT pg_advisory_lock(:key)", _key(self._name))
        try:
            yield
        finally:
            with suppress(RunError), self.safe(), engine.connect() as session:  # a lost session releases its lock
                _execute(session, "SELECT pg_advisory_unlock(:key)", _key(self._name))

    def created(self, direction: Literal["maximize", "minimize"]) -> Study:
        """Return the study for a worker."""
        with self.safe():
            import optuna

            storage = _storage(self._url, True)
            return optuna.create_study(study_name=self._name, storage=storage, load_if_exists=True, direction=direction)

    def opened(self) -> Study | None:
        """Return the study for reading only."""
        with self.safe():
            import optuna

            with suppress(KeyError):
                return optuna.load_study(study_name=self._name, storage=_storage(self._url, False))
        return None

    def dead(self, study: Study, running: list[FrozenTrial]) -> list[FrozenTrial]:
        """Return the running trials whose workers have sent no heartbeat for `GRACE` seconds."""
        from sqlalchemy import text

        with self.safe(), _backend(study).engine.connect() as session:
            silent = {row[0] for row in session.execute(text(_SILENT), {"grace": GRACE, "study": study._study_id})}
        return [one for one in running if one._trial_id in silent or "owner" not in one.user_attrs]

    def began(self, study: Study, trial_id: int) -> None:
        """Send the first heartbeat."""
        with self.safe():
            _backend(study).record_heartbeat(trial_id)

    @contextmanager
    def beating(self, study: Study, trial_id: int) -> Iterator[None]:
        """Send a heartbeat every `BEAT` seconds."""
        over = threading.Event()

        def beat() -> None:
            while not over.wait(BEAT):
                with suppress(AttnvizError), self.safe():  # the next one may succeed; a lost database ends the trial
                    _backend(study).record_heartbeat(trial_id)  # when it writes its value

        thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    @contextmanager
    def safe(self) -> Iterator[None]:
        """Convert errors of the database in the block into one sentence."""
        try:
            from sqlalchemy.exc import ArgumentError, SQLAlchemyError
        except ImportError as error:
            raise BadInput('A search needs Optuna. Install it: pip install "attnviz[search]"') from error
        from optuna.exceptions import StorageInternalError

        try:
            yield
        except ImportError as error:
            raise BadInput('PostgreSQL needs psycopg. Install it: pip install "attnviz[postgresql]"') from error
        except ArgumentError as error:
            raise BadInput(f"The storage {self._url} cannot be read as the URL of a database.") from error
        except (SQLAlchemyError, StorageInternalError) as error:
            raise RunError(f"The storage {self._url} cannot be used: {_why(error)}") from error

    def remove(self) -> None:
        """Remove the study from the database."""
        import optuna

        with self.gate(), self.safe():
            if (study := self.opened()) is None:
                return
            running = [one for one in study.get_trials(deepcopy=False) if one.state.name == "RUNNING"]
            if len(self.dead(study, running)) < len(running):
                raise BadInput("A worker on another machine is training a trial of this search. Stop it first.")
            optuna.delete_study(study_name=self._name, storage=_storage(self._url, False))


_making = threading.Lock()  # two threads would create two storages, and one would be lost with its session


def _storage(url: str, works: bool) -> Any:
    """Return Optuna's storage in a database, one per process, which caches the finished trials.

    A worker's session must stay the same while it holds the gate; a reader's session is replaced when it has ended.
    """
    with _making:
        return _made(url, works)


@lru_cache(8)
def _made(url: str, works: bool) -> Any:
    import optuna
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.pool import NullPool

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    full = make_url(url).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    connect = {"connect_timeout": 10, "options": _OPTIONS, "application_name": "attnviz search"}
    many = {"connect_args": connect, "poolclass": NullPool}
    with create_engine(full, **many).connect() as session:
        _execute(session, "SELECT pg_advisory_lock(:key)", _key("tables"))  # two processes cannot create them at once
        try:
            optuna.storages.RDBStorage(full, many)  # creates or checks them, for which it needs two sessions
        except RuntimeError as error:  # the base class of all Optuna errors, so database errors are separated below
            if isinstance(error, optuna.exceptions.StorageInternalError):
                raise
            raise RunError(f"The tables in {url} are those of another version of Optuna. {error}") from error
    one = {"connect_args": connect, "pool_size": 1, "max_overflow": 0, "pool_pre_ping": not works}
    return optuna.storages.get_storage(optuna.storages.RDBStorage(full, one, True, skip_table_creation=True))


def _backend(study: Study) -> Any:
    """Return Optuna's storage without its cache: its heartbeat functions are not public."""
    return cast(Any, study._storage)._backend


def _execute(session: Connection, what: str, key: int) -> None:
    from sqlalchemy import text

    session.execute(text(what), {"key": key})


def _key(name: str) -> int:
    """Return the number of a lock, which is so large that it does not collide with other programs' locks."""
    return int.from_bytes(hashlib.sha256(f"attnviz {name}".encode()).digest()[:8], "big", signed=True)


def _why(error: BaseException) -> str:
    """Return the database's message in one line."""
    while (cause := getattr(error, "orig", None) or error.__cause__) is not None:
        error = cause
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__
