"""What to read: the options of a data frame, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import BooleanType, DataType, DoubleType, IntegerType, StringType, StructField, StructType

KINDS = ("sentiment", "topics")

#: The headers that can carry the token.
TOKEN_HEADERS = ("authorization", "authentication")

#: Options of the package that are numbers.
CLIENT_OPTIONS = ("maxPartitionBytes", "maxRetryAfter", "retries", "timeout")

OPTIONS = ("baseUrl", "columns", "inspectionKey", "kind", "maxTasks", "tokenHeader", *CLIENT_OPTIONS)

#: The types that a column can have, by their names in DDL.
TYPES: dict[str, DataType] = {
    "boolean": BooleanType(),
    "double": DoubleType(),
    "int": IntegerType(),
    "string": StringType(),
}

#: The documented fields of a finding that are numbers, booleans or texts.
DOCUMENTED = {
    "VariableKey": "int",
    "RespondentKey": "int",
    "RespondentId": "string",
    "StringKey": "int",
    "TopicGroup": "string",
    "ExpressionGroup": "string",
    "NoTopic": "boolean",
    "NoExpression": "boolean",
    "Comment": "string",
}

#: The columns that say where in the inspection a finding stands: the index of its partition, and its index in there.
PARTITION_INDEX = "PartitionIndex"
FINDING_INDEX = "FindingIndex"

#: The key in the metadata of `PartitionIndex` for the inspection that a data frame was read from.
ORIGIN = "inspection_findings"


@dataclass(frozen=True)
class Request:
    """Options that have been checked."""

    base_url: str
    inspection_key: int
    kind: str
    token_header: str
    max_tasks: int
    #: The columns of findings by name, as names of types.
    columns: dict[str, str]
    #: Options of the package's client.
    client_options: dict[str, int]

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Request:
        """Checks options. Their names are the same in upper and lower case.

        Raises:
            ValueError: for an option that is missing, unknown or not valid. The message does not quote its value.
        """
        given = {name.lower(): value for name, value in options.items()}
        unknown = given.keys() - {name.lower() for name in OPTIONS}
        if unknown:
            raise ValueError(
                f"there is no option {min(unknown)!r}; the options are {', '.join(sorted(OPTIONS))}. "
                "The token is none: the task reads it from the file in FINDINGS_TOKEN_FILE, or from FINDINGS_TOKEN."
            )
        numbers = {name: given[name.lower()] for name in CLIENT_OPTIONS if name.lower() in given}
        kind = _one_of("kind", _needed(given, "kind"), KINDS)
        return cls(
            base_url=_without_credentials(_needed(given, "baseUrl")),
            inspection_key=_integer("inspectionKey", _needed(given, "inspectionKey")),
            kind=kind,
            token_header=_one_of("tokenHeader", given.get("tokenheader", TOKEN_HEADERS[0]), TOKEN_HEADERS),
            max_tasks=_integer("maxTasks", given.get("maxtasks", "8"), least=1),
            columns=_all_columns(kind, given.get("columns", "")),
            client_options={name: _integer(name, value, least=0) for name, value in numbers.items()},
        )

    @property
    def schema(self) -> StructType:
        """The columns of a data frame. Their metadata say what `verify` has to compare it with."""
        origin = {
            "baseUrl": self.base_url,
            "inspectionKey": str(self.inspection_key),
            "kind": self.kind,
            "tokenHeader": self.token_header,
        }
        return StructType(
            [
                StructField(PARTITION_INDEX, IntegerType(), True, {ORIGIN: origin}),
                StructField(FINDING_INDEX, IntegerType()),
                *(StructField(name, TYPES[type_name]) for name, type_name in self.columns.items()),
            ]
        )

    def message(self) -> dict[str, Any]:
        """The request for the Node program."""
        return {
            "client": {"baseUrl": self.base_url, **self.client_options},
            "inspectionKey": str(self.inspection_key),
            "kind": self.kind,
            "tokenHeader": self.token_header,
        }


def _needed(given: Mapping[str, str], name: str) -> str:
    if name.lower() not in given:
        raise ValueError(f"the option {name!r} is missing")
    return given[name.lower()]


def _one_of(name: str, value: str, values: tuple[str, ...]) -> str:
    if value not in values:
        raise ValueError(f"the option {name!r} has to be one of {', '.join(values)}")
    return value


def _integer(name: str, value: str, least: int | None = None) -> int:
    if re.fullmatch(r"-?[0-9]{1,19}", value) is None or (least is not None and int(value) < least):
        raise ValueError(
            f"the option {name!r} has to be an integer" + (f" of at least {least}" if least is not None else "")
        )
    return int(value)


def _without_credentials(base_url: str) -> str:
    """Refuses what would end in the plan: the URL stands there, and in every message."""
    if re.match(r"https?://[^/]", base_url, re.IGNORECASE) is None or re.search(r"[@?#\\\s]", base_url):
        raise ValueError("the option 'baseUrl' has to be an http(s) URL without credentials, query and fragment")
    return base_url


def _all_columns(kind: str, declared: str) -> dict[str, str]:
    """The documented columns, of which a declared one can change the type, and the other declared ones."""
    columns = {**DOCUMENTED, "Sentiment": "int"} if kind == "sentiment" else dict(DOCUMENTED)
    columns.update(_parsed(declared))
    # Names are the same in upper and lower case for Spark, but not for the service.
    names = [name.lower() for name in (PARTITION_INDEX, FINDING_INDEX, *columns)]
    for name in columns:
        if names.count(name.lower()) > 1:
            raise ValueError(f"the option 'columns' has {name!r}, and another column has that name for Spark")
    return columns


def _parsed(ddl: str) -> list[tuple[str, str]]:
    """The names and types of columns as in `CREATE TABLE`, such as "`Topic.Text` STRING, Weight DOUBLE"."""
    if not ddl.strip():
        return []
    column = rf"\s*(?:`((?:[^`]|``)+)`|(\w+))\s+({'|'.join(TYPES)})\s*"
    if re.fullmatch(rf"{column}(?:,{column})*", ddl, re.IGNORECASE) is None:
        raise ValueError(
            "the option 'columns' has to be a list such as \"`Topic.Text` STRING, Weight DOUBLE\", "
            f"with the types {', '.join(TYPES).upper()}"
        )
    return [
        (quoted.replace("``", "`") or plain, type_name.lower())
        for quoted, plain, type_name in re.findall(rf"{column}(?:,|$)", ddl, re.IGNORECASE)
    ]
