"""Data on a Ray cluster: the same selectors and the same results as on one machine.

Requires Ray: ``pip install "featherank[ray]"``. Rows do not move: each shard is an actor that reads
its own rows of a Parquet data set and answers small requests about them. Ray restarts a lost shard,
which reads its rows again and is asked again.

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

# Number of times a shard may be lost before the call fails.
_RESTARTS = 3

# Default memory for rows per shard; the memory of a node is not known before the shard runs.
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
    """Open Parquet files as one data set whose rows stay on the shards of a Ray cluster.

    Parameters
    ----------
    files : path, URL, pattern, or several of them
        Local paths that all nodes can read, or URLs that pyarrow or fsspec can open (``s3://``,
        ``gs://``, ``abfs://``, …). Rows of one query must be adjacent.
    shards : int, optional
        Number of actors; by default one per core of the cluster.
    memory : int or str, optional
        Approximate memory for rows per shard, in bytes or as in ``"2GiB"``; 4 GiB by default. Rows
        beyond it are read again for every pass.
    label, query, document : str, optional
        Column names; by default found by their usual names.
    ignore : sequence of str
        Columns that are not features.
    missing : {"error", "zero"}
        How to read missing values.
    unjudged : {"error", "drop", "zero"}
        How to read documents without a label.
    clip : bool
        Clip infinities and numbers beyond 32 bits.
    storage_options : mapping, optional
        Options for fsspec, such as credentials. They are sent to the shards and not written
        anywhere.
    address : str, optional
        Address of the cluster if Ray is not initialised yet; by default the one that ``ray start``
        or the environment names, otherwise a cluster on this machine.
    restarts : int
        Number of times a shard may be lost before the call fails.
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
    transport, count, limit = _start(listed, json.dumps(options), address, shards, _bytes_of(memory), storage_options, restarts)
    with progress_bar(verbose) as progress:
        try:
            core = _core.Cluster(transport, count, limit, progress)
        except BaseException:
            transport.close()
            raise
    return ShardedData(core, transport)


class ShardedData:
    """Data whose rows are on the shards of a cluster.

    Pass it to ``fit`` of a selector instead of ``X`` and ``y``; close it, or use ``with``.
    """

    def __init__(self, core: _core.Cluster, transport: _Transport) -> None:
        self._core = core
        self._transport = transport

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and number of features."""
        return self._core.shape()[0], len(self._core.feature_ids())

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self._core.shape()[1]

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self._transport.actors)

    @property
    def feature_names(self) -> list[str]:
        """The names of the features, or their ids if they have none."""
        return self._core.feature_names()

    @property
    def bytes_moved(self) -> tuple[int, int]:
        """Bytes sent to and received from the shards so far."""
        return self._core.moved()

    def close(self) -> None:
        """Stop the shards."""
        self._transport.close()

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
    """An actor. It opens files on the first request, so that an error is a reply, not a crash."""

    def __init__(self, files: list[str], options: str, memory: int, threads: int, storage: Mapping[str, Any] | None) -> None:
        self._make: Callable[[], _core.Shard] = lambda: _core.Shard(
            [_opened(file, storage) for file in files], options, memory, threads
        )
        self._shard: _core.Shard | None = None

    def reply(self, request: bytes) -> tuple[bytes | None, str]:
        """The reply, or None and the error."""
        try:
            if self._shard is None:
                self._shard = self._make()
            return self._shard.reply(request), ""
        except Exception as error:
            return None, _without_secrets(str(error))


class _Transport:
    """Transports messages between the library and the actors."""

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
        """Wait briefly; the number of replies so far, and all replies once they are complete."""
        done, waiting = self._ray.wait(sent, num_returns=len(sent), timeout=seconds)
        if waiting:
            # Report a shard that is lost for good at once, without waiting for the others.
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
) -> tuple[_Transport, int, int]:
    """Start the actors; returns the transport, their number and the memory for rows of each."""
    try:
        import ray
    except ImportError:
        raise UnsupportedError('Ray is not installed: pip install "featherank[ray]"') from None
    if shards is not None and (not isinstance(shards, int) or shards < 1):
        raise InvalidParameterError(f"`{shards}` is not a valid number of shards: expected at least 1")
    if not isinstance(restarts, int) or restarts < 0:
        raise InvalidParameterError(f"`{restarts}` is not a valid number of restarts: expected 0 or more")
    found = [match for pattern in files for match in _matches(pattern, storage_options)]
    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
    cores = float(ray.cluster_resources().get("CPU", 1))
    count = shards or max(1, int(cores))
    # If there are more shards than cores, shards share cores.
    share = min(1.0, cores / count)
    limit = memory or _MEMORY
    actor = ray.remote(_Shard).options(
        num_cpus=share, max_restarts=restarts, max_task_retries=-1, scheduling_strategy="SPREAD"
    )
    actors = [actor.remote(found, options, limit, 1, storage_options) for _ in range(count)]
    return _Transport(ray, actors, restarts), count, limit


def _matches(pattern: str, storage_options: Mapping[str, Any] | None) -> list[str]:
    """The files that match a path, URL or pattern, sorted by name."""
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
    """A path that the library reads, or the name of a file and an object that reads it."""
    if "://" not in file:
        return file
    import pyarrow as pa
    import pyarrow.fs

    try:
        if storage_options:
            raise pa.ArrowInvalid("storage options are for fsspec")
        system, path = pyarrow.fs.FileSystem.from_uri(file)
    except pa.ArrowInvalid:
        # Not a file system of pyarrow.
        import fsspec

        found, path = fsspec.core.url_to_fs(file, **(storage_options or {}))
        system = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(found))
    return _without_secrets(file), system.open_input_file(path)


def _without_secrets(text: str) -> str:
    """Remove user information and query strings from URLs in a text."""
    return re.sub(r"(://[^\s?]*)\?\S*", r"\1", re.sub(r"://[^/@\s]*@", "://", text))


def _bytes_of(size: int | str | None) -> int | None:
    if size is None or (isinstance(size, int) and size > 0):
        return size
    match = re.fullmatch(r"\s*([\d.]+)\s*([a-z]*)\s*", str(size).lower())
    if match is None or match[2] not in _UNITS or not float(match[1]) > 0:
        raise InvalidParameterError(f"`{size}` is not a valid memory: expected a number of bytes, or a size such as 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])
