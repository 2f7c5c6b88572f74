"""JavaScript is proved by what it is made of, and only where texts and code can be told apart."""

from automode.judge.javascript_code import is_proved, page_code_looks, stays_on_page
from tests.judge.sessions import TABLES
from tests.rows import each_row


@each_row("code, proved", TABLES["javascript"])
def test_only_listed_code_is_proved(code: str, *, proved: bool) -> None:
    assert is_proved(code) is proved


@each_row("code, does", TABLES["page_scripts"])
def test_a_script_in_a_page_is_known_by_what_it_does_there(code: str, does: str) -> None:
    assert page_code_looks(code) is (does == "looks")
    assert stays_on_page(code) is (does != "leads away")
