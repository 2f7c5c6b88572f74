"""Marks around a record, stable within a session and of no use elsewhere."""

from automode.classifier.framing import KEY_BYTES, Framing, Kind, new_key, session_key

KEY = b"k" * KEY_BYTES


def test_a_record_stands_between_marks_with_one_id() -> None:
    first, body, last = Framing(KEY).record(Kind.CALL, "bash {}", "ok").split("\n")

    assert body == "bash {}"
    assert last == "</" + first.partition(" ")[0][1:] + ">"
    assert first.endswith(' kind=call outcome="ok">')


def test_the_same_record_has_the_same_id_in_one_session_only() -> None:
    framing = Framing(KEY)

    assert framing.record(Kind.USER, "x") == framing.record(Kind.USER, "x")
    assert framing.record(Kind.USER, "x") != Framing(new_key()).record(Kind.USER, "x")


def test_an_id_fits_no_other_record() -> None:
    framing = Framing(KEY)
    ids = {framing.record(kind, body)[:16] for kind in Kind for body in ("a", "b")}

    assert len(ids) == 2 * len(Kind)


def test_each_session_has_its_own_key() -> None:
    assert session_key(KEY, "one") == session_key(KEY, "one")
    assert session_key(KEY, "one") != session_key(KEY, "two")
    assert len(new_key()) == KEY_BYTES
