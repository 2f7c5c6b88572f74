"""Who may look, and from where."""

from pathlib import Path

import pytest
from starlette.routing import BaseRoute, Mount, Route

from automode.ui.access import IDLE_SECONDS, LINK_SECONDS, Access, NotSignedIn, TurnedAway
from automode.ui.app import HEADERS
from automode.ui.window import Window
from tests.ui.windows import DENIED, HOME, NAME, PORT, RECORDS, Client, window_on


def cookie(value: str) -> dict[str, str]:
    return {"cookie": f"automode={value}"}


def key_of(link: str) -> str:
    return link.partition("key=")[2]


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_link_works_once_and_for_ten_minutes() -> None:
    clock = Clock()
    access = Access(PORT, clock)
    first, late = access.new_link(), access.new_link()

    assert access.visitor(cookie(access.enter(key_of(first)))).csrf
    with pytest.raises(TurnedAway, match="used already"):
        access.enter(key_of(first))
    clock.now += LINK_SECONDS + 1
    with pytest.raises(TurnedAway, match="older than ten minutes"):
        access.enter(key_of(late))


def test_a_browser_is_signed_out_after_a_while_without_a_request() -> None:
    clock = Clock()
    access = Access(PORT, clock)
    value = access.enter(key_of(access.new_link()))

    clock.now += IDLE_SECONDS - 1
    known = access.visitor(cookie(value))
    clock.now += IDLE_SECONDS - 1
    assert access.visitor(cookie(value)) == known
    clock.now += IDLE_SECONDS + 1
    with pytest.raises(NotSignedIn):
        access.visitor(cookie(value))


def test_a_cookie_that_another_server_of_this_machine_set_hides_ours_from_nobody() -> None:
    access = Access(PORT)
    value = access.enter(key_of(access.new_link()))

    found = access.visitor({"cookie": f'bad="[; automode=forged; automode={value}'})

    assert found == access.visitor(cookie(value))


def test_the_cookie_is_strict_unreadable_for_scripts_and_only_for_the_secret_path(
    window: Window,
) -> None:
    client = Client(window)

    answer = client.get(window.access.new_link().removeprefix(HOME))

    given = answer.headers["set-cookie"]
    assert "HttpOnly" in given
    assert "SameSite=strict" in given
    assert f"Path={window.access.base}/;" in given
    assert len(window.access.base) > 20
    assert answer.headers["refresh"] == f"0; url={window.access.base}/now"


def test_without_a_cookie_nothing_is_shown(window: Window) -> None:
    client = Client(window)
    pages = [client.at(path) for path in ("/", "/now", "/live", f"/decision/{DENIED.id}")]

    answers = [client.get(page) for page in pages]

    assert {one.status_code for one in answers} == {401}
    assert not any(DENIED.action in one.text for one in answers)
    assert "press Enter in the terminal" in answers[0].text


def test_nothing_is_told_to_who_does_not_know_the_secret_word(client: Client) -> None:
    assert {client.get(path).status_code for path in ("/", "/now", "/static/app.css")} == {404}


FOREIGN = {
    "another name for this machine (DNS rebinding)": {"host": "evil.example"},
    "another port": {"host": f"{NAME}.localhost:{PORT + 1}"},
    "a name that everybody knows": {"host": f"127.0.0.1:{PORT}"},
    "the name that everybody knows": {"host": f"localhost:{PORT}"},
    "no name": {"host": ""},
    "a page of another site": {"sec-fetch-site": "cross-site"},
    "a page of another port of this machine": {"sec-fetch-site": "same-site"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_a_request_from_elsewhere_is_turned_away(client: Client, headers: dict[str, str]) -> None:
    answer = client.get(client.at("/now"), headers=headers)

    assert answer.status_code in (403, 421)
    assert DENIED.action not in answer.text


def test_no_start_has_an_origin_that_anybody_knew_before() -> None:
    """Whoever listened there before could have left a service worker that signs in in our place."""
    names = {Access(PORT).host for _ in range(20)}

    assert len(names) == 20
    assert all(len(name.partition(".")[0]) == 32 for name in names)


def test_every_answer_says_what_a_browser_may_do_with_it(client: Client) -> None:
    pages = [client.at(path) for path in ("/now", "/static/app.js", "/nothing")]

    for page in [*pages, "/elsewhere"]:
        headers = client.get(page).headers
        for name in HEADERS:
            assert headers[name] == HEADERS[name] or name == "cache-control", (page, name)
    assert "unsafe" not in HEADERS["content-security-policy"]


def changing_paths(routes: list[BaseRoute], above: str = "") -> list[str]:
    found: list[str] = []
    for route in routes:
        if isinstance(route, Mount):
            found += changing_paths(list(route.routes), above + route.path)
        elif isinstance(route, Route) and "POST" in (route.methods or ()):
            found.append(above + route.path.replace("{id}", DENIED.id))
    return found


def test_no_form_counts_without_its_token_or_from_another_page(client: Client) -> None:
    paths = changing_paths(client.app_routes)
    token = client.csrf()

    assert f"{client.window.access.base}/decision/{DENIED.id}/approve" in paths
    for path in paths:
        assert client.post(path, data={}).status_code == 403, path
        assert client.post(path, data={"csrf": "x" * 43}).status_code == 403, path
        for origin in ("http://evil.example", f"http://127.0.0.1:{PORT + 1}", "null", ""):
            answer = client.post(path, data={"csrf": token}, headers={"origin": origin})
            assert answer.status_code == 403, (path, origin)


def test_who_may_only_look_sees_no_button_and_changes_nothing(tmp_path: Path) -> None:
    window = window_on(tmp_path, *RECORDS, read_only=True)
    client = Client(window).sign_in()

    page = client.get(client.at(f"/decision/{DENIED.id}"))
    answer = client.post(
        client.at(f"/decision/{DENIED.id}/approve"), data={"csrf": client.csrf(), "how": "once"}
    )

    assert "Approve" not in page.text
    assert answer.status_code == 403
    assert "may only look" in answer.text


def test_a_form_of_more_than_a_megabyte_is_refused(client: Client) -> None:
    given = {"csrf": client.csrf(), "allow": "x" * 1_100_000}

    answer = client.post(client.at(f"/decision/{DENIED.id}/what-if"), data=given)

    assert answer.status_code == 413
