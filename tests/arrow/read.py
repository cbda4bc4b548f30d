"""Reads Arrow streams, Arrow files and Parquet files by pyarrow, Polars and DuckDB, and compares every value."""

import json
import math
import pathlib
import sys

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.ipc


def arrow_table(place):
    """The table of a stream or of a file; None where there is neither."""
    stream, file = place / "findings.arrows", place / "findings.arrow"
    if stream.exists():
        return pyarrow.ipc.open_stream(stream.read_bytes()).read_all()
    return pyarrow.ipc.open_file(file.read_bytes()).read_all() if file.exists() else None


def by_pyarrow(place):
    table = arrow_table(place)
    if table is not None:
        table.validate(full=True)
    else:
        table = pyarrow.dataset.dataset(sorted(place.glob("*.parquet"))).to_table()
    return [(name, column.to_pylist()) for name, column in zip(table.column_names, table.columns)]


def by_polars(place):
    if (place / "findings.arrows").exists():
        frame = polars.read_ipc_stream(place / "findings.arrows")
    elif (place / "findings.arrow").exists():
        frame = polars.read_ipc(place / "findings.arrow")
    else:
        frame = polars.read_parquet(sorted(place.glob("*.parquet")))
    return [(series.name, series.to_list()) for series in frame.get_columns()]


def by_duckdb(place):
    connection = duckdb.connect()
    table = arrow_table(place)
    if table is not None:
        # DuckDB gives columns without a name, or whose names differ in case only, names of its own.
        names = table.column_names
        if not names:
            # DuckDB has no table without columns.
            return []
        relation = connection.from_arrow(table.rename_columns([f"column {at}" for at in range(len(names))]))
    else:
        relation = connection.sql(f"SELECT * FROM read_parquet('{place}/*.parquet')")
        names = relation.columns
    rows = relation.fetchall()
    return [(name, [row[at] for row in rows]) for at, name in enumerate(names)]


def differs(value, expected):
    if isinstance(expected, dict) and "integer" in expected:
        return type(value) is not int or value != int(expected["integer"])
    if isinstance(expected, dict):
        number = float(expected["number"].replace("Infinity", "inf"))
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return not is_number or value != number or math.copysign(1, value) != math.copysign(1, number)
    if isinstance(value, str) and isinstance(expected, str):
        # JavaScript takes a byte order mark at the beginning of a text for one of an encoding.
        return value.removeprefix("\ufeff") != expected.removeprefix("\ufeff")
    return type(value) is not type(expected) or value != expected


def compare(place, read):
    expected = {column["name"]: column["values"] for column in json.loads((place / "expected.json").read_text())}
    columns = read(place)
    if [name for name, _ in columns] != list(expected):
        return [f"the columns are {[name for name, _ in columns]}"]
    return [
        f"{name}, row {row}: {value!r} instead of {wanted!r}"
        for name, values in columns
        for row, (value, wanted) in enumerate(zip(values, expected[name], strict=True))
        if differs(value, wanted)
    ]


def main(folder):
    compared = failed = 0
    for place in sorted(pathlib.Path(folder).iterdir()):
        for read in (by_pyarrow, by_polars, by_duckdb):
            compared += 1
            differences = compare(place, read)
            if differences:
                failed += 1
                print(f"{place.name} {read.__name__}: {len(differences)} differences", *differences[:5], sep="\n  ")
    print(f"{compared - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1]) else 0)
