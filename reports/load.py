"""Reads verdicts, studies and self-tests. What comes out has passed the schemas and adds up; anything else is an InvalidFile."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA_FOLDER = Path(__file__).resolve().parent.parent / "baselines" / "schema"
_LONGEST_INTEGER = 20  # digits: enough for 64 bits; longer ones are no count, size or seed
_LONGEST_QUOTE = 80


class InvalidFile(Exception):
    """The file cannot be rendered. str() is one line: file: place: what was expected."""


def load(path: Path) -> dict[str, Any]:
    return _load(path, "a verdict written by `narrowgate compare --out`", check)


def load_studies(path: Path) -> dict[str, Any]:
    return _load(path, "studies written by `narrowgate study --out`", check_studies)


def load_selftest(path: Path) -> dict[str, Any]:
    return _load(path, "a self-test written by `narrowgate selftest --out`", check_selftest)


def _load(path: Path, kind: str, check_value: Callable[[Any], None]) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidFile(f"{path}: no such file: expected {kind}") from None
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{path}: byte {error.start}: expected UTF-8 text") from None
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror}") from None
    try:
        value = parse(text)
        check_value(value)
    except InvalidFile as error:
        raise InvalidFile(f"{path}: {error}") from None
    return value


def parse(text: str) -> Any:
    """Strict JSON: no NaN, no infinity, no number that overflows to one, no repeated key, no lone surrogate."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_integer,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise InvalidFile(f"line {error.lineno} column {error.colno}: {error.msg}: expected JSON") from None
    except UnicodeEncodeError:
        raise InvalidFile("/: a string holds half a surrogate pair: expected Unicode text") from None
    except RecursionError:
        raise InvalidFile("/: nested too deeply: expected a file of narrowgate") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise InvalidFile(f"key {_quote(key)}: given twice in one object: expected once")
        result[key] = value
    return result


def _refuse_constant(name: str) -> None:
    raise InvalidFile(f"the number {name}: expected strict JSON, where a metric that is not finite is null")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InvalidFile(f"the number {_quote(digits)}: expected one that a double can hold")
    return value


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise InvalidFile(f"the number {_quote(digits)}: expected an integer of at most 64 bits")
    return int(digits)


def check(verdict: Any) -> None:
    """The schemas first, part by part (a verdict carries parts of results.json and of a baseline), then the sums."""
    _validate(verdict, "verdict", "", "")
    _validate(verdict["context"], "results", "properties/context", "/context")
    for index, case in enumerate(verdict["cases"]):
        _validate(case, "results", "definitions/case", f"/cases/{index}")
    for index, cell in enumerate(verdict["cells"]):
        if cell.get("row") is not None:
            _validate(cell["row"], "results", "definitions/row", f"/cells/{index}/row")
        if cell.get("baseline") is not None:
            _validate(cell["baseline"], "accuracy", "properties/cases/additionalProperties", f"/cells/{index}/baseline")
    for place, expected in _contradictions(verdict):
        raise InvalidFile(f"{place}: expected {expected}")


def check_studies(file: Any) -> None:
    _validate(file, "studies", "", "")
    for place, expected in _misfits(file["studies"]):
        raise InvalidFile(f"{place}: expected {expected}")


def check_selftest(file: Any) -> None:
    _validate(file, "selftest", "", "")
    for place, expected in _miscounts(file):
        raise InvalidFile(f"{place}: expected {expected}")


def _miscounts(file: dict[str, Any]) -> Iterator[tuple[str, str]]:
    gates = Counter(gate["name"] for gate in file["gates"])
    mutants = Counter(mutant["name"] for mutant in file["mutants"])
    for index, mutant in enumerate(file["mutants"]):
        if mutants[mutant["name"]] > 1:
            yield f"/mutants/{index}/name", f"each mutant once, got {_quote(mutant['name'])} {mutants[mutant['name']]} times"
        for scheme, names in mutant["kills"].items():
            for name in names:
                if name not in gates:
                    yield f"/mutants/{index}/kills/{_quote(scheme)}", f"gates of /gates, got {_quote(name)}"
    tries = [names for mutant in file["mutants"] for names in mutant["kills"].values()]
    for index, gate in enumerate(file["gates"]):
        killed = sum(gate["name"] in names for names in tries)
        if gates[gate["name"]] > 1:
            yield f"/gates/{index}/name", f"each gate once, got {_quote(gate['name'])} {gates[gate['name']]} times"
        if (gate["pairs"], gate["killed"]) != (len(tries), killed):
            yield f"/gates/{index}", f"{killed} killed of {len(tries)} pairs as in /mutants, got {gate['killed']} of {gate['pairs']}"
        if gate["false_alarms"] > gate["judged"]:
            yield f"/gates/{index}/false_alarms", f"at most {gate['judged']}, the cases judged, got {gate['false_alarms']}"


def _misfits(studies: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    ids = Counter(study["id"] for study in studies)
    for index, study in enumerate(studies):
        place, x = f"/studies/{index}", study["x"]
        has_categories = x["scale"] == "categories"
        count = len(x["names"]) if has_categories else len(x["numbers"])
        if ids[study["id"]] > 1:
            yield f"{place}/id", f"each study once, got {_quote(study['id'])} {ids[study['id']]} times"
        if has_categories and x["numbers"]:
            yield f"{place}/x/numbers", "none beside categories"
        if not has_categories and len(x["names"]) not in (0, count):
            yield f"{place}/x/names", f"{count} entries, one for each number, or none"
        if any(left >= right for left, right in zip(x["numbers"], x["numbers"][1:])):
            yield f"{place}/x/numbers", "ascending numbers"
        if (study["state"] == "measured") != bool(study["series"]):
            yield f"{place}/series", "some where it is measured, none where not"
        yield from _series_misfits(study, place, count)


def _series_misfits(study: dict[str, Any], place: str, count: int) -> Iterator[tuple[str, str]]:
    for number, series in enumerate(study["series"]):
        if len(series["y"]) != count:
            yield f"{place}/series/{number}/y", f"{count} entries, one for each place on x"
        if all(value is None for value in series["y"]):
            yield f"{place}/series/{number}/y", "at least one number"
        if series["marked"] is not None and (series["marked"] >= count or series["y"][series["marked"]] is None):
            yield f"{place}/series/{number}/marked", "a place on x that has a value"


def _contradictions(verdict: dict[str, Any]) -> Iterator[tuple[str, str]]:
    cells = verdict["cells"]
    ids = Counter(cell["id"] for cell in cells)
    for index, cell in enumerate(cells):
        place = f"/cells/{index}"
        if "/" not in cell["id"]:
            yield f"{place}/id", f"scheme/kernel/shape/distribution/seed, got {_quote(cell['id'])}"
        if ids[cell["id"]] > 1:
            yield f"{place}/id", f"each cell once, got {_quote(cell['id'])} {ids[cell['id']]} times"
        if cell.get("row") is not None and cell["row"]["id"] != cell["id"]:
            yield f"{place}/row/id", f"the id of its cell, {_quote(cell['id'])}"
    for key, field in (("counts", "state"), ("time_counts", "time_state")):
        seen = Counter(cell[field] for cell in cells)
        for word, number in verdict[key].items():
            actual = len(cells) if word == "total" else seen[word]
            if number != actual:
                yield f"/{key}/{word}", f"{actual}, the number of such cells listed, got {number}"
    for index, attention_id in enumerate(verdict["attention"]):
        if attention_id not in ids:
            yield f"/attention/{index}", f"the id of a cell listed, got {_quote(attention_id)}"
    published = verdict["baseline"].get("published")
    if published is not None and not _is_table(published):
        yield "/baseline/published", "`columns`, a list of names, and `rows`, a list of rows with one entry for each"
    for index, case in enumerate(verdict["cases"]):
        bins = len(case["column_first"])
        for name in ("column_max_abs_err", "column_bound"):
            if len(case[name]) != bins:
                yield f"/cases/{index}/{name}", f"{bins} entries, one for each of column_first"
        if len(case.get("column_codes_used", [])) not in (0, bins):
            yield f"/cases/{index}/column_codes_used", f"{bins} entries, one for each of column_first, or none"


def _is_table(published: dict[str, Any]) -> bool:
    columns, rows = published.get("columns"), published.get("rows")
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns) or not isinstance(rows, list):
        return False
    return all(isinstance(row, list) and len(row) == len(columns) for row in rows)


@cache
def _validator(schema_name: str, part: str) -> jsonschema.Draft7Validator:
    schema = json.loads((SCHEMA_FOLDER / f"{schema_name}.schema.json").read_text(encoding="utf-8"))
    selected = schema
    for step in part.split("/") if part else []:
        selected = selected[step]
    # References inside a part point at the definitions of the whole file.
    return jsonschema.Draft7Validator({**selected, "definitions": schema.get("definitions", {})})


def _validate(value: Any, schema_name: str, part: str, prefix: str) -> None:
    for error in _validator(schema_name, part).iter_errors(value):
        place = prefix + "".join(f"/{step}" for step in error.absolute_path)
        raise InvalidFile(f"{place or '/'}: expected {_expectation(error)}")


# jsonschema's own messages quote the whole instance, which may be the whole file.
_EXPECTATIONS: dict[str, Callable[[jsonschema.ValidationError], str]] = {
    "type": lambda error: f"{_alternatives(error.validator_value)}, got {_quote(error.instance)}",
    "enum": lambda error: f"one of {_alternatives(error.validator_value)}, got {_quote(error.instance)}",
    "const": lambda error: f"{_quote(error.validator_value)}, got {_quote(error.instance)}",
    "required": lambda error: f"the key {error.message.split(' is a required')[0]}",
    "additionalProperties": lambda error: f"no other keys than the schema's: {error.message[:_LONGEST_QUOTE]}",
    "pattern": lambda error: f"text that matches {error.validator_value}, got {_quote(error.instance)}",
}


def _expectation(error: jsonschema.ValidationError) -> str:
    describe = _EXPECTATIONS.get(error.validator)
    return describe(error) if describe else f"{error.validator} {_quote(error.validator_value)}, got {_quote(error.instance)}"


def _alternatives(values: Any) -> str:
    return " or ".join(str(value) for value in values) if isinstance(values, list) else str(values)


def _quote(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
