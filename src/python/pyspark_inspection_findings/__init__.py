"""The findings of an inspection as a data source of Spark: `spark.read.format("inspection_findings")`.

Spark finds the source by itself: it looks for `DefaultSource` in modules whose names begin with `pyspark_`.
"""

from inspection_findings import FindingsError

from .source import InspectionFindingsSource as DefaultSource
from .verification import IncompleteError, verify

__all__ = ["DefaultSource", "FindingsError", "IncompleteError", "verify"]
