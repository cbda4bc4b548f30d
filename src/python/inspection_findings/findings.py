"""All findings of one kind, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pyarrow as pa

from .program import read_table

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

    Raises:
        FindingsError: if a request fails, or if findings are missing. Its `code` says why.
    """
    seconds = {"timeout": timeout, "totalTimeout": total_timeout}
    options = {name: round(value * 1000) for name, value in seconds.items() if value is not None}
    numbers = {"retries": retries, "concurrency": concurrency}
    options.update({name: value for name, value in numbers.items() if value is not None})
    return read_table(
        {
            "client": {"baseUrl": base_url, **options},
            "inspectionKey": str(inspection_key),
            "kind": kind,
            "tokenHeader": token_header,
            "token": token,
            "names": None if columns is None else list(columns),
        }
    )
