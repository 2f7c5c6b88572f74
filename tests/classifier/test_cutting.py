"""Long text, cut where it matters least."""

from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.cutting import cut_in_the_middle


@given(st.text(max_size=300), st.integers(2, 200))
def test_head_and_tail_stay_and_the_rest_is_counted(text: str, limit: int) -> None:
    cut = cut_in_the_middle(text, limit)

    if len(text) <= limit:
        assert cut == text
    else:
        mark = f"…[{len(text) - limit} characters cut]…"
        head, _, tail = cut.rpartition(mark)
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + len(tail) == limit
