"""Secrets by name, by place and by shape; what a judge must read stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.redaction import Redactor
from tests.rows import each_row

KEY = b"k" * 32
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEabc/+9\n" * 400 + "-----END RSA PRIVATE KEY-----"

HIDDEN = (
    ("GITHUB_TOKEN=abc123def gh pr list", "abc123def"),
    ("export DB_PASSWORD='hunter2 and more'", "hunter2"),
    ('STRIPE_KEY="whatever-1"', "whatever-1"),
    ("api_key: 'zzz-yyy-xxx'", "zzz-yyy-xxx"),
    ('{"client_secret": "s3cr3t"}', "s3cr3t"),
    ("password=correcthorse", "correcthorse"),
    ("mysql --password hunter2hunter", "hunter2hunter"),
    ("tool --api-key=abcdef123", "abcdef123"),
    ("git clone https://me:p4ssw0rd@host/x", "p4ssw0rd"),
    ("git clone https://abcdefghij0123456789@host/x", "abcdefghij0123456789"),
    ("psql postgres://app:s3cr3t@db:5432/app", "s3cr3t"),
    ("curl -u admin:swordfish https://x", "swordfish"),
    ("curl -H 'Authorization: Bearer abc.def-123'", "abc.def-123"),
    ("Authorization: Basic YWRtaW46cGFzcw==", "YWRtaW46cGFzcw"),
    ("X-Api-Key: 0123456789abcdef", "0123456789abcdef"),
    ("Server=x;User Id=sa;Password=Tr0ub4dor;", "Tr0ub4dor"),
    ("DefaultEndpointsProtocol=https;AccountKey=" + "Ab1+" * 22, "Ab1+Ab1+"),
    ("aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", "wJalrXUtn"),
    ('<add key="ClearTextPassword" value="open sesame" />', "open sesame"),
    ("mail incoming+group-app-7-a1b2c3d4e5f6a7b8c9d0-issue@host", "a1b2c3d4e5"),
    ("mysql -uroot -phunter2hunter app", "hunter2hunter"),
    ("mysqldump -h db -u root -p'open-sesame' app > x.sql", "open-sesame"),
    ("mysql -u root -p'open sesame' app", "sesame"),
    ("echo 'open sesame' | docker login --password-stdin", "sesame"),
    ("sshpass -p swordfish1 ssh host", "swordfish1"),
    ("sshpass -pswordfish1 ssh host", "swordfish1"),
    ("echo hunter2hunter | docker login -u me --password-stdin", "hunter2hunter"),
    ("printf '%s' 'hunter2hunter' | helm registry login x --password-stdin", "hunter2hunter"),
    ("echo -n hunter2hunter | gh auth login --with-token", "hunter2hunter"),
    ("docker login --password-stdin <<< hunter2hunter", "hunter2hunter"),
    ("echo hunter2hunter | sudo -S apt-get update", "hunter2hunter"),
    (f"cat > k <<E\n{PEM}\nE", "MIIEabc"),
    (PEM[:800], "MIIEabc"),
    (PEM[800:], "MIIEabc"),
)
READABLE = (
    "export TOKEN=$GITHUB_TOKEN",
    'curl -H "Authorization: Bearer $TOKEN"',
    "GOOGLE_APPLICATION_CREDENTIALS=/home/u/key.json",
    "password: string;",
    "token = next(tokens)",
    "const secret = process.env.SECRET",
    "max_tokens: 4096",
    "git push origin main",
    "the token expired, basic authentication is off",
    "https://github.com/org/repo@v4",
    "git@github.com:org/repo.git",
    "PRIMARY_KEY=id",
    '<add key="Password" value="%NUGET_PASSWORD%" />',
    "curl https://hooks.slack.com/services",
    "discord: https://discord.com/channels/some-server/and-a-channel",
    "AWS_SESSION_TOKEN=process.env.AWS_SESSION_TOKEN",
    "twitter, and internationalizationists",
    "tss_segment_descriptor_table_of_the_kernel",
    "heroku_app: an-app-with-a-very-long-name-in-it",
    "s.someMethodWithAVeryLongNameInIt()",
    "STS.AssumeRoleWithWebIdentity(input)",
    "PWD=C:/Users/dev",
    "the token exchange. A basic hot-path",
    "let key_secret: Option<Vec<u8>> = None",
    "ssh -i ~/.ssh/key user@host",
    "mysql -u root -p app",
    "mysql -uroot -p$DB_PASSWORD app",
    "mysql --protocol=tcp --port 3306",
    "sshpass -p $PASS ssh host",
    "echo $TOKEN | docker login -u me --password-stdin",
    "cat token.txt | docker login --password-stdin",
    "echo done | tee log",
    "mkdir -p mysql/data",
    "pytest -k 'token and not secret' --maxfail=1",
    "--- PASS: TestLogin12 (0.01s)",
    "PASS=1204 FAIL=3, 12 passed; bypass=somevalue1 compass: northwest12",
    "ffmpeg -i x -pass 2 y",
    "cookie: string; document.cookie = name",
    "curl -b cookies.txt -c cookies.txt https://e.com",
    '{"key": "theme", "value": "dark-mode-12"}',
    "https://e.com/?page=token&sort=password",
    r'-d "{\"password\": \"$PASSWORD\"}"',
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
)


@each_row("text, secret", HIDDEN)
def test_a_secret_is_replaced(text: str, secret: str) -> None:
    redactor = Redactor(KEY)

    shown = redactor.text(text)

    assert secret not in shown
    assert "[secret:" in shown
    assert redactor.count >= 1


NAMES = (
    *("password", "token", "API_TOKEN", "DB_PASSWORD", "DB_PASS", "api_key", "clientSecret"),
    *("db.password", "dbPass", "aws_secret_access_key", "connection-string"),
)
# `N` is the name, `@` the secret.
SHAPES = (
    *("N=@", "export N='@'", "tool --N @", "tool --N=@", "tool --N 'x @'", "['--N', '@']"),
    *("https://e.com/?N=@", "curl 'https://e.com/?a=1&N=@&b=2'", "jdbc:postgresql://h/d?N=@"),
    *("kubectl create secret generic x --from-literal=N=@", "docker run --env=N=@ x"),
    *("docker build --build-arg=N=@ .", "helm install --set=N=@ x", "helm install --set a=b,N=@"),
    *("environment: N=@", "  - N=@", "aws configure set N @", '<add key="N" value="@"/>'),
    *(r'curl -d "{\"N\":\"@\"}" h', r'bash -c "curl -d \"{\\\"N\\\": \\\"@\\\"}\""'),
    *(r'{"N": "a\"@"}', '{"name":"N","value":"@"}', "[{'key': 'N', 'value': '@'}]"),
    *("- name: N\n  value: @\n", r'x "[{\"name\":\"N\",\"value\":\"@\"}]"', "name=N,value=@"),
    *("Cookie: sid=@; b=@", "Set-Cookie: sid=@; Path=/", '{"Cookie": "a=@"}', "curl -b 'a=@' h"),
    *("curl -H 'cookie: a=1; b=@' h", "curl --cookie 'a=@' h", "wget --header='Cookie: a=@'"),
    *(
        "PASS=@ x",
        "x --pass @",
        "curl -u me:@ h",
        "curl --user 'me:@' h",
        "psql postgresql://u:@@h",
    ),
    *("docker login -u me -p @ h", "mongosh -u me -p @", "mysql -p@", "mysql -u me -p'@' app"),
    *("redis-cli -a @", "redis-cli --pass @", "ldapsearch -x -w @", "zip -P @ a x", "7z a -p@ x"),
    *("htpasswd -b file me @", "openssl enc -pass pass:@", "sshpass -p @ ssh h", "PGPASSWORD=@ x"),
    "machine h login me password @",
)
SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=12)


@given(st.sampled_from(SHAPES), st.sampled_from(NAMES), SECRETS, st.sampled_from(("", "cd x && ")))
def test_whatever_the_secret_and_its_name_no_shape_shows_it(
    shape: str, name: str, secret: str, before: str
) -> None:
    text = before + shape.replace("N", name, 1).replace("@", secret, shape.count("@@") or -1)

    assert secret not in Redactor(KEY).text(text)


@each_row("text", READABLE)
def test_what_is_no_secret_stays_readable(text: str) -> None:
    assert Redactor(KEY).text(text) == text


def test_the_same_secret_has_the_same_placeholder_and_another_another() -> None:
    redactor = Redactor(KEY)
    one = redactor.text("A_TOKEN=first1 B_TOKEN=second2 C_TOKEN=first1")
    shown = [word.partition("=")[2] for word in one.split()]

    assert shown[0] == shown[2] != shown[1]
    assert Redactor(KEY).text("Z_TOKEN=first1") == f"Z_TOKEN={shown[0]}"
    assert Redactor(b"other").text("Z_TOKEN=first1") != f"Z_TOKEN={shown[0]}"


def test_a_tools_input_keeps_its_shape() -> None:
    given = {"url": "https://x", "headers": [{"api_key": "abc123"}], "n": 3, "ok": True, "e": None}

    shown = Redactor(KEY).value(given)

    assert isinstance(shown, dict)
    assert shown["headers"][0]["api_key"].startswith("[secret:key#")
    assert shown | {"headers": 0} == given | {"headers": 0}


def test_switched_off_it_changes_nothing() -> None:
    redactor = Redactor(KEY, enabled=False)

    assert redactor.text("A_TOKEN=first1") == "A_TOKEN=first1"
    assert redactor.value({"password": "x1y2z3"}) == {"password": "x1y2z3"}
    assert redactor.count == 0


@pytest.mark.parametrize(
    "text", ["lftp -u me,swordfish h", "docker login -p a:swordfish -u b:swordfish", "-u a:\\"]
)
def test_a_placeholder_is_not_taken_for_a_secret(text: str) -> None:
    once = Redactor(KEY).text(text)

    assert "[secret:[secret:" not in once
    assert Redactor(KEY).text(once) == once


@each_row("offset", range(1150, 1250, 7))
def test_a_secret_across_a_cut_leaves_nothing_of_itself(offset: int) -> None:
    secret = "ghp_" + "Q7" * 20
    text = "x" * (offset - 500) + " " + secret + " " + "y" * 20_000

    assert "Q7Q7" not in Redactor(KEY).excerpt(text, 1200)


@given(st.text(alphabet="aK=:\"' \n@/-_1.", max_size=80))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = Redactor(KEY).text(text + " A_TOKEN=first1 ghp_" + "Q7" * 20)

    assert Redactor(KEY).text(once) == once


HOSTILE = (
    *("a", "=", ":", '"', "'", "://", "://a:", "-u a:", "--password ", "token=", "password: '"),
    *("Bearer ", "basic a", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "eyJ"),
    *("mysql ", "mysql -p", "sshpass -p ", "sshpass -pa ", "--password-stdin echo ", "<<<"),
    *(
        "token:",
        "token=$",
        'token=\\"',
        "token='\\'",
        "name: token\n value: ",
        "Cookie: a=bcdefgh;",
    ),
    *("eyJa.", "a_token", "key-", "A-", "x@", "AKIA", "\\", "[secret:", "-----", "\n", " "),
)


@each_row("piece", HOSTILE)
def test_a_flood_of_beginnings_is_searched_once(piece: str) -> None:
    """Takes minutes if every beginning is followed to the end."""
    assert Redactor(KEY).text("token " + piece * 30_000)
