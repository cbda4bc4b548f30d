"""The findings of an Ascribe CX Inspector inspection, as an Arrow table."""

from .findings import read_findings
from .program import FindingsError

__all__ = ["FindingsError", "read_findings"]
