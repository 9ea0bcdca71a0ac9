"""Data that is spread over a Ray cluster: the same selectors, and the same answers, as on one machine.

Needs Ray: ``pip install "featherank[ray]"``. Rows never move: each shard is an actor that reads its own rows of a
Parquet dataset with the library's reader, and answers small questions about them. A shard that is lost is started anew by Ray,
reads its rows again and is asked again.

>>> import featherank.ray                                         # doctest: +SKIP
>>> from featherank import TopK
>>> with featherank.ray.open("s3://bucket/clicks/*.parquet") as data:      # doctest: +SKIP
...     selector = TopK(k=20).fit(data)
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from featherank import _core
from featherank._progress import progress_bar
from featherank.exceptions import FileError, InvalidParameterError, ShardError, UnsupportedError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ShardedData", "open"]

# How often a shard may be lost before the work is given up.
_RESTARTS = 3

# What rows may take on each shard where nothing is said: what is there is not known before a shard runs.
_MEMORY = 4 << 30

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def open(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    shards: int | None = None,
    memory: int | str | None = None,
    label: str | None = None,
    query: str | None = None,
    document: str | None = None,
    ignore: Sequence[str] = (),
    missing: str = "error",
    unjudged: str = "error",
    clip: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    address: str | None = None,
    restarts: int = _RESTARTS,
    verbose: int = 0,
) -> ShardedData:
    """Open Parquet files as one data set whose rows lie with the shards of a Ray cluster.

    Parameters
    ----------
    files : path, URL, pattern, or several of them
        Local paths that all nodes see, or URLs that pyarrow or fsspec open (``s3://``, ``gs://``, ``abfs://``, …). Rows of one
        query stand together.
    shards : int, optional
        Number of actors; by default one for each core of the cluster.
    memory : int or str, optional
        What rows may take with each shard, about: bytes, or such as ``"2GiB"``; 4 GiB by default. What is beyond is read anew for
        every pass.
    label, query, document : str, optional
        Columns; guessed by the usual names.
    ignore : sequence of str
        Columns that are no features.
    missing : {"error", "zero"}
        What missing values mean.
    unjudged : {"error", "drop", "zero"}
        What documents without a label mean.
    clip : bool
        Cut infinities and numbers beyond 32 bits.
    storage_options : mapping, optional
        What fsspec is told besides the URL, such as credentials. It is sent to the shards and written nowhere.
    address : str, optional
        Of the cluster, where Ray is not started yet; by default the one that ``ray start`` or the environment names, else one on
        this machine.
    restarts : int
        How often a shard may be lost before the work is given up.
    verbose : int
        Show progress.
    """
    options = {
        "format": "parquet",
        "missing": missing,
        "unjudged": unjudged,
        "clip": clip,
        "label_column": label,
        "query_column": query,
        "document_column": document,
        "ignore": list(ignore),
    }
    listed = [os.fspath(files)] if isinstance(files, (str, os.PathLike)) else [os.fspath(path) for path in files]
    carrier, count, limit = _start(listed, json.dumps(options), address, shards, _bytes_of(memory), storage_options, restarts)
    with progress_bar(verbose) as progress:
        try:
            core = _core.Cluster(carrier, count, limit, progress)
        except BaseException:
            carrier.close()
            raise
    return ShardedData(core, carrier)


class ShardedData:
    """Rows that lie with shards.

    Give it to ``fit`` of a selector instead of ``X`` and ``y``; close it, or use ``with``, when done.
    """

    def __init__(self, core: _core.Cluster, carrier: _Carrier) -> None:
        self._core = core
        self._carrier = carrier

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and of features."""
        return self._core.shape()[0], len(self._core.feature_ids())

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self._core.shape()[1]

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self._carrier.actors)

    @property
    def feature_names(self) -> list[str]:
        """The names of the features, or their ids."""
        return self._core.feature_names()

    @property
    def bytes_moved(self) -> tuple[int, int]:
        """Bytes that went to the shards, and that came back, so far."""
        return self._core.moved()

    def close(self) -> None:
        """Stop the shards."""
        self._carrier.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        documents, features = self.shape
        return f"<{documents} documents × {features} features of {self.n_queries} queries with {self.n_shards} shards>"


class _Shard:
    """An actor. It opens its files when it is first asked, so that what is wrong with them is an answer and not a death."""

    def __init__(self, files: list[str], options: str, memory: int, threads: int, storage: Mapping[str, Any] | None) -> None:
        self._make: Callable[[], _core.Shard] = lambda: _core.Shard(
            [_opened(file, storage) for file in files], options, memory, threads
        )
        self._shard: _core.Shard | None = None

    def reply(self, request: bytes) -> tuple[bytes | None, str]:
        """The reply, or what went wrong before there could be one."""
        try:
            if self._shard is None:
                self._shard = self._make()
            return self._shard.reply(request), ""
        except Exception as error:
            return None, _without_secrets(str(error))


class _Carrier:
    """Carries messages to actors and back, for the library."""

    def __init__(self, ray: Any, actors: list[Any], restarts: int) -> None:
        self.actors = actors
        self._ray = ray
        self._restarts = restarts

    def start(self, requests: list[bytes]) -> list[Any]:
        """Send one request to each of the first actors."""
        if not self.actors:
            raise ShardError("the data was closed")
        return [actor.reply.remote(request) for actor, request in zip(self.actors, requests, strict=False)]

    def poll(self, sent: list[Any], seconds: float) -> tuple[int, list[bytes] | None]:
        """Wait a little; how many were answered, and the answers when all are."""
        done, waiting = self._ray.wait(sent, num_returns=len(sent), timeout=seconds)
        if waiting:
            # A shard that is lost for good is said at once, whatever the others do.
            for reference in done:
                self._answer(sent.index(reference), reference)
            return len(done), None
        return len(done), [self._answer(place, reference) for place, reference in enumerate(sent)]

    def _answer(self, place: int, reference: Any) -> bytes:
        try:
            reply, error = self._ray.get(reference)
        except self._ray.exceptions.RayError as lost:
            kind = type(lost).__name__
            message = f"it was lost more often than {self._restarts} times ({kind})"
            raise ShardError(message, place + 1) from None
        if reply is None:
            raise ShardError(error, place + 1)
        return bytes(reply)

    def close(self) -> None:
        """Stop the actors."""
        actors, self.actors = self.actors, []
        if self._ray.is_initialized():
            for actor in actors:
                self._ray.kill(actor)


def _start(
    files: list[str],
    options: str,
    address: str | None,
    shards: int | None,
    memory: int | None,
    storage_options: Mapping[str, Any] | None = None,
    restarts: int = _RESTARTS,
) -> tuple[_Carrier, int, int]:
    """Start actors; what carries messages to them, how many there are and what rows may take with each."""
    try:
        import ray
    except ImportError:
        raise UnsupportedError('Ray is not installed: pip install "featherank[ray]"') from None
    if shards is not None and (not isinstance(shards, int) or shards < 1):
        raise InvalidParameterError(f"`{shards}` is not a valid number of shards: at least 1")
    if not isinstance(restarts, int) or restarts < 0:
        raise InvalidParameterError(f"`{restarts}` is not a valid number of restarts: 0 or more")
    found = [match for pattern in files for match in _matches(pattern, storage_options)]
    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
    cores = float(ray.cluster_resources().get("CPU", 1))
    count = shards or max(1, int(cores))
    # More shards than cores share them.
    share = min(1.0, cores / count)
    limit = memory or _MEMORY
    actor = ray.remote(_Shard).options(
        num_cpus=share, max_restarts=restarts, max_task_retries=-1, scheduling_strategy="SPREAD"
    )
    actors = [actor.remote(found, options, limit, 1, storage_options) for _ in range(count)]
    return _Carrier(ray, actors, restarts), count, limit


def _matches(pattern: str, storage_options: Mapping[str, Any] | None) -> list[str]:
    """The files of a path, URL or pattern, in order of their names."""
    if "://" not in pattern:
        found = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
        found = [os.path.abspath(path) for path in found]
    elif "*" in pattern or "[" in pattern:
        import fsspec

        system, path = fsspec.core.url_to_fs(pattern, **(storage_options or {}))
        found = sorted(system.unstrip_protocol(match) for match in system.glob(path))
    else:
        found = [pattern]
    if not found:
        raise FileError(f"no file is called {_without_secrets(pattern)}")
    return found


def _opened(file: str, storage_options: Mapping[str, Any] | None) -> str | tuple[str, Any]:
    """A path that the library reads itself, or what to call a file and an object that reads it."""
    if "://" not in file:
        return file
    import pyarrow as pa
    import pyarrow.fs

    try:
        if storage_options:
            raise pa.ArrowInvalid("fsspec is told more than the URL")
        system, path = pyarrow.fs.FileSystem.from_uri(file)
    except pa.ArrowInvalid:
        # Not one of pyarrow's own.
        import fsspec

        found, path = fsspec.core.url_to_fs(file, **(storage_options or {}))
        system = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(found))
    return _without_secrets(file), system.open_input_file(path)


def _without_secrets(text: str) -> str:
    """A text whose URLs neither say who logs in nor what follows a question mark."""
    return re.sub(r"(://[^\s?]*)\?\S*", r"\1", re.sub(r"://[^/@\s]*@", "://", text))


def _bytes_of(size: int | str | None) -> int | None:
    if size is None or (isinstance(size, int) and size > 0):
        return size
    match = re.fullmatch(r"\s*([\d.]+)\s*([a-z]*)\s*", str(size).lower())
    if match is None or match[2] not in _UNITS or not float(match[1]) > 0:
        raise InvalidParameterError(f"`{size}` is not a valid memory: bytes, or such as 500MB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])
