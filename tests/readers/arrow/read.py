"""Reads Arrow streams, Arrow files and Parquet files by pyarrow, Polars and DuckDB, and compares every value."""

import json
import math
import pathlib
import sys

import duckdb
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

#: The functions that read a stream or a file, by the end of its name.
PYARROW = {
    ".arrows": lambda path: pyarrow.ipc.open_stream(path.read_bytes()).read_all(),
    ".parquet": pyarrow.parquet.read_table,
}
POLARS = {".arrows": polars.read_ipc_stream, ".parquet": polars.read_parquet}


def by_pyarrow(path):
    table = PYARROW[path.suffix](path)
    table.validate(full=True)
    return [(name, column.to_pylist()) for name, column in zip(table.column_names, table.columns)]


def by_polars(path):
    return [(series.name, series.to_list()) for series in POLARS[path.suffix](path).get_columns()]


def by_duckdb(path):
    if path.suffix == ".parquet":
        relation = duckdb.read_parquet(str(path))
        names = relation.columns
    else:
        # DuckDB gives columns without a name, or whose names differ in case only, names of its own.
        table = PYARROW[path.suffix](path)
        names = table.column_names
        if not names:
            # DuckDB has no table without columns.
            return []
        relation = duckdb.from_arrow(table.rename_columns([f"column {at}" for at in range(len(names))]))
    rows = relation.fetchall()
    return [(name, [row[at] for row in rows]) for at, name in enumerate(names)]


def differs(value, expected):
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
    columns = read(next(place.glob("findings.*")))
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
