"""All findings of one kind, as one table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Literal

import pyarrow as pa

from .program import read_table

#: What a table cannot keep, by the key of its metadata that says so. Another entry names the columns with rounded integers, and how many.
LOSSES = {
    b"inspection-findings.columnsTruncated": "some findings have fields without a column, such as repeated keys",
    b"inspection-findings.integersRounded": "integers beyond 2^53 are rounded: {roundedColumns}",
    b"inspection-findings.surrogatesReplaced": "some texts have U+FFFD in place of half of a surrogate pair",
}

Kind = Literal["sentiment", "topics"]
TokenHeader = Literal["authorization", "authentication"]


def read_findings(
    base_url: str,
    inspection_key: int | str,
    kind: Kind,
    *,
    columns: Sequence[str] | None = None,
    token: str | None = None,
    token_header: TokenHeader = "authorization",
    timeout: float | None = None,
    total_timeout: float | None = None,
    retries: int | None = None,
    concurrency: int | None = None,
) -> pa.Table:
    """Reads all findings of one kind of an inspection, in order.

    The table is complete: the number of findings has been compared with the total of the service. The documented
    fields come first, with fixed types; fields inside objects have dotted names, such as `Topic.Text`. Arrays, objects
    and values of several types are JSON text.

    Args:
        base_url: the URL of the service, such as `https://service.example/cxi/`.
        inspection_key: the key of the inspection.
        kind: `"sentiment"` or `"topics"`.
        columns: the names of the columns to keep; all unless given.
        token: the token as the service issued it. Unless given, it is read from the file that `FINDINGS_TOKEN_FILE`
            names, or else from `FINDINGS_TOKEN`.
        token_header: the header that carries the token.
        timeout: the seconds that one request may take; 30 unless given.
        total_timeout: the seconds that the whole call may take; no limit unless given.
        retries: how often a failed request is sent again; 3 unless given.
        concurrency: the number of requests at the same time; 8 unless given.

    What the table cannot keep is a warning: integers beyond 2⁵³, with the names of their columns and how many they are, or half of a
    surrogate pair in a text.

    Raises:
        FindingsError: if a request fails, if findings are missing, or if no finding has one of the columns. Its `code`
            says why.
        TypeError: if `columns` is not a list of texts, or the token no text.
        ValueError: if a timeout is less than a millisecond; leave it out for none.
    """
    if columns is not None:
        if isinstance(columns, (str, bytes)) or not all(isinstance(name, str) for name in columns):
            raise TypeError(f"columns must be a list of names, such as ['TopicGroup'], not {columns!r}")
        columns = list(columns)
    if token is not None and not isinstance(token, str):
        advice = ": pass token.decode()" if isinstance(token, bytes) else ""
        raise TypeError(f"token must be a str, not {type(token).__name__}{advice}")
    options = {
        "timeout": _milliseconds("timeout", timeout),
        "totalTimeout": _milliseconds("total_timeout", total_timeout),
        "retries": retries,
        "concurrency": concurrency,
    }
    table = read_table(
        {
            "client": {"baseUrl": base_url, **{name: value for name, value in options.items() if value is not None}},
            "inspectionKey": str(inspection_key),
            "kind": kind,
            "tokenHeader": token_header,
            "token": token,
            "names": columns,
        }
    )
    metadata = table.schema.metadata or {}
    rounded = metadata.get(b"inspection-findings.roundedColumns", b"").decode()
    for key, loss in LOSSES.items():
        if metadata.get(key) == b"true":
            loss = loss.format(roundedColumns=rounded)
            warnings.warn(f"inspection {inspection_key}, {kind}: {loss}", stacklevel=2)
    return table


def _milliseconds(name: str, seconds: float | None) -> int | None:
    if seconds is None:
        return None
    if not isinstance(seconds, Real) or not 0.001 <= seconds <= 2_147_483:
        raise ValueError(f"{name} must be a number of seconds from 0.001 to 2147483, or None; got {seconds!r}")
    return round(seconds * 1000)
