"""Prints how many findings of each sentiment every segment of respondents has.

python segments.py respondents.csv    (a CSV file with the columns RespondentId and Segment)
"""

import os
import sys

import pandas
from inspection_findings import FindingsError, read_findings

try:
    findings = read_findings(os.environ["FINDINGS_URL"], 42, "sentiment", columns=["RespondentId", "Sentiment"])
except FindingsError as error:
    raise SystemExit(str(error))

segments = pandas.read_csv(sys.argv[1], dtype=str)
joined = findings.to_pandas().merge(segments, on="RespondentId", how="left", validate="many_to_one")
counts = pandas.crosstab(joined["Segment"].fillna("unknown"), joined["Sentiment"])
print(counts)
