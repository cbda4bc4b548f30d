"""Saves all findings of one kind as Parquet, and verifies what has been saved.

spark-submit job.py https://service.example/cxi/ 42 sentiment /data/findings [OPTION=VALUE ...]
"""

import sys

from pyspark.sql import SparkSession
from pyspark_inspection_findings import verify

base_url, inspection_key, kind, folder, *further = sys.argv[1:]
options = dict(pair.split("=", 1) for pair in further)
options |= {"baseUrl": base_url, "inspectionKey": inspection_key, "kind": kind}

spark = SparkSession.builder.appName("inspection-findings").getOrCreate()
findings = spark.read.format("inspection_findings").options(**options).load()
findings.write.parquet(folder)

# Of what has been saved: the data frame itself would be read from the service once more.
print(verify(spark.read.parquet(folder)), "findings")
spark.stop()
