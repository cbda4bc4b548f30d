"""A session of Spark that answers questions about data frames: one line of JSON for each line of JSON."""

import json
import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark_inspection_findings import verify


def frame(spark: SparkSession, question: dict[str, Any]) -> DataFrame:
    """The data frame that a question is about."""
    reader = spark.read.format("inspection_findings").options(**question["options"])
    if "schema" in question:
        reader = reader.schema(question["schema"])
    df = reader.load()
    if "where" in question:
        df = df.where(question["where"])
    return df.union(df) if question.get("twice") else df


def answer(spark: SparkSession, question: dict[str, Any]) -> Any:
    """The answer to a question."""
    df = frame(spark, question)
    if question["do"] == "verify":
        return verify(df)
    return [row.asDict() for row in df.collect()]


def main() -> None:
    """Answers until the input ends."""
    spark = SparkSession.builder.appName("inspection-findings").getOrCreate()
    for line in sys.stdin:
        try:
            result = {"answer": answer(spark, json.loads(line))}
        except Exception as error:  # whatever it is, the test expects it or fails by it
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(result), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
