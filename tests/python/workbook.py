"""Prints the rows of a workbook as JSON, as openpyxl and calamine read them, and what openpyxl knows of the sheet."""

import datetime
import json
import sys

import openpyxl
import python_calamine

file = sys.argv[1]
sheet = openpyxl.load_workbook(file).active
calamine = python_calamine.CalamineWorkbook.from_path(file).get_sheet_by_index(0)


def of_openpyxl(value):
    return value.isoformat() if hasattr(value, "isoformat") else value


def of_calamine(value):
    # It has dates without a time, and no other empty cell.
    if type(value) is datetime.date:
        value = datetime.datetime.combine(value, datetime.time())
    return None if value == "" else of_openpyxl(value)


json.dump(
    {
        "rows": {
            "openpyxl": [[of_openpyxl(cell) for cell in row] for row in sheet.iter_rows(values_only=True)],
            "calamine": [[of_calamine(cell) for cell in row] for row in calamine.to_python()],
        },
        "sheet": {
            "name": sheet.title,
            "frozen": sheet.freeze_panes,
            "filter": sheet.auto_filter.ref,
            "bold": sheet["A1"].font.bold,
            "widths": [round(sheet.column_dimensions[letter].width) for letter in "ABCDEF"],
        },
    },
    sys.stdout,
)
