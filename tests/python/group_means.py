"""Prints the number of findings and the mean sentiment of each topic group, by three libraries."""

import os

import duckdb
import polars
from inspection_findings import FindingsError, read_findings

try:
    findings = read_findings(os.environ["FINDINGS_URL"], 42, "sentiment")
except FindingsError as error:
    raise SystemExit(str(error))

print(duckdb.sql("SELECT TopicGroup, count(*) AS findings, avg(Sentiment) AS mean FROM findings GROUP BY TopicGroup"))
print(polars.from_arrow(findings).group_by("TopicGroup").agg(polars.len(), polars.mean("Sentiment")))
print(findings.to_pandas().groupby("TopicGroup")["Sentiment"].agg(["count", "mean"]))
