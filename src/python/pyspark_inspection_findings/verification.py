"""The check that a data frame has every finding of its inspection exactly once."""

from __future__ import annotations

from inspection_findings.program import read_counts
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .request import FINDING_INDEX, ORIGIN, PARTITION_INDEX, Request

#: The partitions that a message names.
NAMED = 10


class IncompleteError(Exception):
    """A data frame lacks findings, has some twice, or has others than the service."""


def verify(df: DataFrame) -> int:
    """Compares a data frame with the counts of the service, and returns the number of its findings.

    Tasks know nothing of each other, so none can notice that another's findings are missing. Verify what has been
    written, such as `spark.read.parquet(folder)`: a data frame of the source itself is read from the service once more.

    Raises:
        IncompleteError: if findings are missing or occur twice, or if the total is not the one of the service.
        ValueError: if the data frame does not come from the source, or lacks `PartitionIndex` or `FindingIndex`.
        FindingsError: if the counts cannot be read.
    """
    counts = read_counts(_origin(df).message())
    partitions = (
        df.groupBy(PARTITION_INDEX)
        .agg(
            F.count(F.lit(1)).alias("rows"),
            F.count_distinct(FINDING_INDEX).alias("distinct"),
            F.max(FINDING_INDEX).alias("last"),
        )
        .collect()
    )
    rows = {row[PARTITION_INDEX]: row["rows"] for row in partitions}
    total: int = sum(rows.values())
    doubled = [row[PARTITION_INDEX] for row in partitions if row["rows"] > row["distinct"]]
    with_gaps = [row[PARTITION_INDEX] for row in partitions if row["distinct"] != row["last"] + 1]
    unknown = [index for index in rows if index not in range(counts.partitions)]
    problems = [
        _named("with findings that occur twice", doubled),
        _named("with gaps", with_gaps),
        _named("that the service does not have", unknown),
    ]
    if counts.findings is not None and total != counts.findings:
        without = [index for index in range(counts.partitions) if index not in rows]
        problems += [f"expected {counts.findings}", _named("without findings", without)]
    found = [problem for problem in problems if problem]
    if found:
        raise IncompleteError(f"the data frame has {total} findings: {'; '.join(found)}")
    return total


def _origin(df: DataFrame) -> Request:
    """What a data frame was read from, as the metadata of its schema say; Parquet files keep them."""
    names = df.schema.names
    if PARTITION_INDEX not in names or FINDING_INDEX not in names:
        raise ValueError(f"the data frame needs the columns {PARTITION_INDEX} and {FINDING_INDEX}")
    origin = df.schema[PARTITION_INDEX].metadata.get(ORIGIN)
    if origin is None:
        raise ValueError(f"the metadata of {PARTITION_INDEX} do not say which inspection the data frame was read from")
    return Request.of(origin)


def _named(problem: str, indexes: list[int]) -> str:
    if not indexes:
        return ""
    shown = ", ".join(str(index) for index in sorted(indexes)[:NAMED])
    return f"partitions {problem}: {shown}" + (f" and {len(indexes) - NAMED} more" if len(indexes) > NAMED else "")
