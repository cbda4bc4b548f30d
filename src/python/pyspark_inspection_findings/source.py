"""The data source: its schema, how partitions become tasks, and what a task does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from inspection_findings.program import read_counts, read_partitions
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from .request import FINDING_INDEX, PARTITION_INDEX, Request

#: The rows of a batch. Spark holds a whole batch in memory, so a large partition comes in several.
BATCH_ROWS = 10_000

ARROW_TYPES = {"boolean": pa.bool_(), "double": pa.float64(), "int": pa.int32(), "string": pa.string()}


class InspectionFindingsSource(DataSource):
    """`spark.read.format("inspection_findings")`: the findings of one kind of an inspection."""

    @classmethod
    def name(cls) -> str:
        return "inspection_findings"

    def schema(self) -> StructType:
        return Request.of(self.options).schema

    def reader(self, schema: StructType) -> DataSourceReader:
        request = Request.of(self.options)
        if [(field.name, field.dataType) for field in schema] != [(f.name, f.dataType) for f in request.schema]:
            raise ValueError("the source has a schema of its own: declare columns by the option 'columns'")
        return FindingsReader(request)


@dataclass
class Task(InputPartition):
    """The partitions of the inspection that one task reads, one after the other."""

    indexes: range


class FindingsReader(DataSourceReader):
    """Reads without a state: a task that is run again reads the same partitions from their beginning."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def partitions(self) -> list[InputPartition]:
        """Reads the counts, and plans a task for each partition, or `maxTasks` tasks for several partitions each."""
        partitions = read_counts(self._request.message()).partitions
        tasks = min(partitions, self._request.max_tasks)
        starts = [partitions * task // tasks for task in range(tasks)]
        return [Task(range(start, end)) for start, end in zip(starts, [*starts[1:], partitions])]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        """Reads the partitions of a task."""
        # Spark plans a task without a partition where there is none.
        if not isinstance(partition, Task):
            return
        request = self._request
        schema = _arrow_schema(request)
        for index, findings in read_partitions(request.message(), request.columns, partition.indexes):
            rows = findings.num_rows
            position = {
                PARTITION_INDEX: pa.repeat(pa.scalar(index, pa.int32()), rows),
                FINDING_INDEX: pa.array(range(rows), pa.int32()),
            }
            columns = [position[name] if name in position else findings.column(name) for name in schema.names]
            # Spark takes the columns by their position.
            table = pa.Table.from_arrays(columns, schema=schema)
            yield from table.to_batches(max_chunksize=BATCH_ROWS)


def _arrow_schema(request: Request) -> pa.Schema:
    position = [(PARTITION_INDEX, pa.int32()), (FINDING_INDEX, pa.int32())]
    return pa.schema([*position, *((name, ARROW_TYPES[type_name]) for name, type_name in request.columns.items())])
