"""Reads findings by the wheel, and prints as JSON what it returns or raises."""

import json
import os
import sys
import warnings

import inspection_findings
from inspection_findings import FindingsError, read_findings

asked = json.loads(sys.argv[1])
kind = asked.pop("kind", "sentiment")
try:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_findings(os.environ["FINDINGS_URL"], 42, kind, **asked)
    result = {
        "rows": table.to_pylist(),
        "length": len(table),
        "types": {field.name: str(field.type) for field in table.schema},
        "metadata": {name.decode(): value.decode() for name, value in table.schema.metadata.items()},
        "warned": [str(one.message) for one in caught],
        "file": inspection_findings.__file__,
    }
except FindingsError as error:
    result = {"code": error.code, "message": str(error), "details": error.details}
except (TypeError, ValueError) as error:
    result = {"code": type(error).__name__, "message": str(error), "details": {}}
print(json.dumps(result))
