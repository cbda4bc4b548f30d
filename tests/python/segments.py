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

# Only an empty field has no value: "NA" can be a segment, and a row without a respondent joins nothing.
segments = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False, na_values=[""])
segments = segments.dropna(subset=["RespondentId"])
joined = findings.to_pandas().merge(segments, on="RespondentId", how="left", validate="many_to_one")
counts = pandas.crosstab(joined["Segment"].fillna("unknown"), joined["Sentiment"])
print(counts)
