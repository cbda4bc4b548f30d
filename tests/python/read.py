"""Reads findings by the wheel, and prints them as JSON: as pyarrow, pandas, Polars and DuckDB have them."""

import json
import os
import sys
import warnings

import inspection_findings
from inspection_findings import FindingsError, read_findings


def rows_of(table):
    import duckdb
    import pandas
    import polars

    frame = table.to_pandas().astype(object)
    relation = duckdb.connect().from_arrow(table)
    return {
        "pyarrow": table.to_pylist(),
        "pandas": frame.where(pandas.notna(frame), None).to_dict("records"),
        "polars": polars.from_arrow(table).to_dicts(),
        "duckdb": [dict(zip(table.column_names, row)) for row in relation.fetchall()],
    }


def main():
    asked = json.loads(sys.argv[1])
    kind = asked.pop("kind", "sentiment")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = read_findings(os.environ["SERVICE"], 42, kind, **asked)
    except FindingsError as error:
        print(json.dumps({"code": error.code, "message": str(error), "details": error.details}))
        return
    except TypeError as error:
        print(json.dumps({"code": "TypeError", "message": str(error)}))
        return
    metadata = {name.decode(): value.decode() for name, value in table.schema.metadata.items()}
    types = {field.name: str(field.type) for field in table.schema}
    warned = [str(one.message) for one in caught]
    rows = rows_of(table) if table.num_columns > 0 else None
    distinct = {name: len(set(map(str, table[name].to_pylist()))) for name in table.column_names}
    print(json.dumps({"rows": rows, "distinct": distinct, "length": len(table), "types": types, "metadata": metadata, "warned": warned, "file": inspection_findings.__file__}))


if __name__ == "__main__":
    main()
