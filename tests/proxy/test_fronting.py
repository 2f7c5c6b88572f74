"""Wherever a client looks for the answer, the warning stands there first."""

from automode.proxy.fronting import Place, mark_part, part_at, warned
from tests.rows import each_row

W = {"type": "text", "text": "W"}
WARNED: dict[str, tuple[object, object]] = {
    # message                                   the same with the warning
    "a text": ({"result": "x"}, {"result": "W\nx"}),
    "a list": ({"result": ["x"]}, {"result": ["W", "x"]}),
    "content that is a text": ({"result": {"content": "x"}}, {"result": {"content": "W\nx"}}),
    "content that is one block": (
        {"result": {"content": {"type": "image"}}},
        {"result": {"content": [W, {"type": "image"}]}},
    ),
    "the oldest shape": (
        {"result": {"toolResult": "x", "resultType": "complete"}},
        {"result": {"toolResult": "W\nx", "resultType": "complete", "content": [W]}},
    ),
    "an error without a message": (
        {"error": {"code": 1, "data": ["x"]}},
        {"error": {"code": 1, "data": ["W\nx"], "message": "W"}},
    ),
    "a result and an error": (
        {"result": "x", "error": "y"},
        {"result": "W\nx", "error": {"code": -32000, "message": "W", "data": "y"}},
    ),
    "no message": ("x", "x"),
}


@each_row("name", WARNED)
def test_the_warning_comes_first_in_every_shape_of_an_answer(name: str) -> None:
    message, expected = WARNED[name]

    assert warned(message, "W") == expected


def test_a_part_is_marked_in_its_place() -> None:
    named: dict[str, object] = {"instructions": "x"}
    rows: list[object] = ["a", {"name": "b", "description": "longer"}]
    places: list[Place] = [(named, "instructions"), (rows, 0), (rows, 1)]

    for place in places:
        mark_part(place, "W")

    assert [part_at(place) for place in places] == [
        "W\nx",
        "W\na",
        {"name": "b", "description": "W\nlonger"},
    ]
