"""Which files a command writes, empties, deletes and moves."""

from automode.assemble import READER
from automode.judge.file_deeds import redirect_touches, touches
from tests.judge.sessions import WORKSPACE
from tests.rows import each_row

TOUCHED: list[tuple[str, set[tuple[str, str]]]] = [
    ("sed -i s/a/b/ x", {("writes", "x")}),
    ("sed -i '' 's/a/b/' x", {("writes", "x")}),
    ("sed -i -e s/a/b/ -e 12d x y", {("writes", "x"), ("writes", "y")}),
    ("sed -i '/console.log/d' x", {("writes", "x")}),
    ("sed -i 's/ab//;s/cd/e/g' x", {("writes", "x")}),
    ("sed -i d x", {("empties", "x")}),
    ("sed -i '1,$d' x", {("empties", "x")}),
    ("sed -i 2,5000d x", {("empties", "x")}),
    ("sed -i 's/.*//' x", {("empties", "x")}),
    ("sed -i '/[a-z]/d' x", {("empties", "x")}),
    ("sed -n -i 1p x", {("empties", "x")}),
    ("sed -i -f script x", {("empties", "x")}),
    ("sed s/a/b/ x", set()),
    ("perl -pi -e 's/a/b/' x", {("writes", "x")}),
    ("perl -i -ne 0 x", {("empties", "x")}),
    ("perl -pi -e '$_=1' x", {("empties", "x")}),
    ("cp a b", {("writes", "b")}),
    ("cp -t out a", {("writes", "out")}),
    ("cp /dev/null b", {("empties", "b")}),
    ("mv a b", {("moves", "a"), ("writes", "b")}),
    ("tee a b", {("writes", "a"), ("writes", "b")}),
    ("tee *.ts", {("empties", "*.ts")}),
    ("tee a < /dev/null", {("empties", "a")}),
    ("truncate -s 0 a b", {("empties", "a"), ("empties", "b")}),
    ("curl -o a https://x.example", {("writes", "a")}),
    ("curl -so /dev/null https://x.example", set()),
    ("go build -o bin/x .", {("builds", "bin/x")}),
    ("gzip a", {("deletes", "a")}),
    ("gzip -k a", set()),
    ("rm -rf a b", {("deletes", "a"), ("deletes", "b")}),
    ("find src -delete", {("deletes", "src")}),
    ("echo x > a", {("writes", "a")}),
    ("echo -n > a", {("empties", "a")}),
    (": > a", {("empties", "a")}),
    ("cat /dev/null > a", {("empties", "a")}),
    ("> a", {("empties", "a")}),
    ("ls > /dev/null", set()),
]


@each_row("script, wanted", TOUCHED)
def test_effects_count_and_not_names(script: str, wanted: set[tuple[str, str]]) -> None:
    commands = READER.full(script, WORKSPACE).commands
    found = {
        (str(touch.how), touch.path)
        for command in commands
        for touch in (*touches(command), *redirect_touches(command))
    }

    assert found == wanted
