"""A record as canonical JSON and back: what the chain keeps and what is exported."""

import json
from collections.abc import Mapping
from typing import TypeAlias

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent

Fields: TypeAlias = dict[str, object]
_STAGE_NUMBERS = ("input", "output", "cache_read", "cache_write", "millis")
_VERDICTS = {verdict.word: verdict for verdict in Verdict}


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical(value: object) -> str:
    """One text for one value: sorted, without blanks, ASCII alone, so that no engine, encoding or
    unpaired surrogate can change a byte of what was hashed."""
    return _encode(value)


def record_fields(record: Record) -> Fields:
    return {
        "id": record.id,
        "at": float(record.at),
        "host": record.session.host,
        "session": record.session.id,
        "parent": record.parent,
        "account": record.account,
        "root": record.root,
        "cwd": record.cwd,
        "tool": record.tool,
        "action": record.action,
        "input": record.input,
        "digest": record.digest,
        "verdict": record.verdict.word,
        "source": record.source,
        "reason": record.reason,
        "advice": record.advice,
        "clearable": record.clearable,
        "error": None if record.error is None else record.error.value,
        "enforced": record.enforced,
        "attended": record.attended,
        "micros": record.micros,
        "trail": [[remark.layer, remark.mark, remark.text] for remark in record.trail],
        "stages": [
            {
                "stage": stage.stage,
                "model": stage.model,
                "input": stage.input,
                "output": stage.output,
                "cache_read": stage.cache_read,
                "cache_write": stage.cache_write,
                "millis": stage.millis,
                "usd": stage.usd,
            }
            for stage in record.stages
        ],
    }


def record_from(fields: Mapping[str, object]) -> Record:
    """ValueError, naming the field, for what is no record."""
    error = _optional(fields, "error")
    return Record(
        id=_text(fields, "id"),
        at=_number(fields, "at"),
        session=SessionKey(_text(fields, "host"), _text(fields, "session")),
        parent=_optional(fields, "parent"),
        account=_text(fields, "account"),
        root=_text(fields, "root"),
        cwd=_text(fields, "cwd"),
        tool=_text(fields, "tool"),
        action=_text(fields, "action"),
        input=_text(fields, "input"),
        digest=_text(fields, "digest"),
        verdict=_verdict(fields),
        source=_text(fields, "source"),
        reason=_text(fields, "reason"),
        advice=_text(fields, "advice"),
        clearable=_flag(fields, "clearable"),
        error=None if error is None else Failure(error),
        enforced=_flag(fields, "enforced"),
        attended=_flag(fields, "attended"),
        micros=_whole(fields, "micros"),
        trail=tuple(_remark(one) for one in _listed(fields, "trail")),
        stages=tuple(_stage(one) for one in _listed(fields, "stages")),
    )


def _remark(value: object) -> Remark:
    match value:
        case [str(layer), str(mark), str(text)]:
            return Remark(layer, mark, text)
        case _:
            raise ValueError("`trail` holds no remark")


def _stage(value: object) -> StageSpent:
    if not isinstance(value, Mapping):
        raise ValueError("`stages` holds no stage")  # noqa: TRY004 - bad data, not a bad caller
    numbers = {name: _whole(value, name) for name in _STAGE_NUMBERS}
    usd = _optional(value, "usd")
    return StageSpent(stage=_text(value, "stage"), model=_text(value, "model"), usd=usd, **numbers)


def _verdict(fields: Mapping[str, object]) -> Verdict:
    word = _text(fields, "verdict")
    if word not in _VERDICTS:
        raise ValueError(f"`verdict` is no verdict: `{word[:40]}`")
    return _VERDICTS[word]


def _text(fields: Mapping[str, object], name: str) -> str:
    match fields.get(name):
        case str(text):
            return text
        case _:
            raise ValueError(f"`{name}` is no text")


def _optional(fields: Mapping[str, object], name: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, name)


def _number(fields: Mapping[str, object], name: str) -> float:
    match fields.get(name):
        case bool():
            raise ValueError(f"`{name}` is no number")
        case int(number) | float(number):
            return number
        case _:
            raise ValueError(f"`{name}` is no number")


def _whole(fields: Mapping[str, object], name: str) -> int:
    number = _number(fields, name)
    if not isinstance(number, int):
        raise ValueError(f"`{name}` is no whole number")  # noqa: TRY004 - bad data, not a bad caller
    return number


def _flag(fields: Mapping[str, object], name: str) -> bool:
    match fields.get(name):
        case bool(flag):
            return flag
        case _:
            raise ValueError(f"`{name}` is neither true nor false")


def _listed(fields: Mapping[str, object], name: str) -> list[object]:
    match fields.get(name):
        case [*values]:
            return values
        case _:
            raise ValueError(f"`{name}` is no list")
