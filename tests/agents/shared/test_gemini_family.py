"""What Gemini CLI and Qwen Code say alike: woven prompts, tools of servers, results in parts."""

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.shared.dialects import read_text, typed_text
from tests.rows import each_row, rows


@each_row("prompt, own", rows("agents", "gemini-prompts"))
def test_only_a_persons_own_words_are_left_of_a_prompt(prompt: str, own: str) -> None:
    assert typed_text(prompt) == own


@given(st.text(max_size=50), st.text(max_size=200))
def test_no_file_speaks_for_a_person(words: str, file: str) -> None:
    alone = typed_text(words)

    assert typed_text(f"{words}\n--- Content from referenced files ---\n{file}") == alone


RESULTS: dict[str, tuple[object, str]] = {
    "text": ({"llmContent": "a\nb", "returnDisplay": "x"}, "a\nb"),
    "parts": ({"llmContent": [{"text": "a"}, "b"]}, "a\nb"),
    "a picture": ({"llmContent": [{"inlineData": {"data": "aGk="}}, {"text": "a"}]}, "a"),
    "an answer of a function": ({"llmContent": {"functionResponse": {"output": "a"}}}, "a"),
    "an error": ({"llmContent": "a", "error": {"message": "b", "type": "c"}}, "a\nb"),
    "an error alone": ("File not found: a.md", "File not found: a.md"),
    "something else": ({"output": ["a"]}, "a"),
    "nothing": (None, ""),
}


@each_row("response, text", RESULTS.values())
def test_what_the_model_will_read_is_read(response: object, text: str) -> None:
    assert read_text(response) == text
