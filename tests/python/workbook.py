"""Prints the rows of a workbook as JSON, as openpyxl and calamine read them."""

import datetime
import json
import sys

import openpyxl
import python_calamine

file = sys.argv[1]


def plain(value):
    # Calamine has dates without a time, and no other empty cell.
    if type(value) is datetime.date:
        value = datetime.datetime.combine(value, datetime.time())
    return value.isoformat() if hasattr(value, "isoformat") else None if value == "" else value


sheet = openpyxl.load_workbook(file).active
calamine = python_calamine.CalamineWorkbook.from_path(file).get_sheet_by_index(0)
read = {"openpyxl": sheet.iter_rows(values_only=True), "calamine": calamine.to_python()}
rows = {library: [[plain(cell) for cell in row] for row in rows] for library, rows in read.items()}
print(json.dumps({"name": sheet.title, "rows": rows}))
