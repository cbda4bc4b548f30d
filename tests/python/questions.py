"""Answers the questions of a survey, and saves the answers in answers.csv.

python questions.py respondents.csv    (a CSV file with the columns RespondentId, Segment, Score and Answered)
"""

import os
import sys

import pandas
from inspection_findings import FindingsError, read_findings


def read(inspection_key):
    columns = ["RespondentKey", "RespondentId", "TopicGroup", "Sentiment", "Extract.Text"]
    return read_findings(os.environ["FINDINGS_URL"], inspection_key, "sentiment", columns=columns).to_pandas()


def people(findings, by):
    """Counts respondents, not findings."""
    return findings.groupby(by)["RespondentKey"].nunique()


try:
    spring, autumn = read(41), read(42)
except FindingsError as error:
    raise SystemExit(str(error))

respondents = pandas.read_csv(sys.argv[1], dtype={"RespondentId": str, "Segment": str, "Answered": str})
autumn = autumn.merge(respondents, on="RespondentId", how="left", validate="many_to_one")
autumn["Group"] = pandas.cut(autumn["Score"], [-1, 6, 8, 10], labels=["detractors", "passives", "promoters"])
autumn["Month"] = autumn["Answered"].str[:7]
negative = autumn[autumn["Sentiment"] < 0]

# The base of each share is the number of respondents with a finding.
topics = people(autumn, "TopicGroup") / autumn["RespondentKey"].nunique()
topics_before = people(spring, "TopicGroup") / spring["RespondentKey"].nunique()
# Each respondent has the same weight: a mean of findings would count those who say more several times.
scores = autumn.drop_duplicates("RespondentKey").set_index("RespondentKey")["Score"]
speakers = autumn.groupby("TopicGroup")["RespondentKey"].unique()
answers = {
    "speaks of the topic": topics.sort_values(ascending=False),
    "negative, by segment": people(negative, "Segment") / people(autumn, "Segment"),
    "negative, by score group": people(negative, "Group") / people(autumn, "Group"),
    "score of those who speak of the topic, minus the score of the others": speakers.map(
        lambda keys: scores[keys].mean() - scores.drop(keys).mean()
    ),
    "speaks of the topic, autumn minus spring": topics.sub(topics_before, fill_value=0).sort_values(ascending=False),
    "negative, by month": people(negative, "Month") / people(autumn, "Month"),
}
pandas.concat(answers, names=["question", "group"]).rename("answer").to_csv("answers.csv")

# Comments to quote: one from each respondent, and each text once.
worst = autumn[autumn["Sentiment"] == -2].dropna(subset=["TopicGroup"])
quotes = worst.drop_duplicates("RespondentKey").drop_duplicates("Extract.Text")
for topic, text in quotes[["TopicGroup", "Extract.Text"]].head(10).itertuples(index=False):
    print(f"{topic}: {text}")
