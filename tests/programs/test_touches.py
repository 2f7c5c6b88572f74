"""Which files a command reads, lists, writes, deletes and moves, by the row of its program."""

import shlex

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.call_facts import CommandFacts
from automode.shell.script import HOLE, Command, Word
from tests.programs.conftest import ROOT
from tests.rows import each_row

TOUCHED = """
cat -n a b                       | reads a, reads b
sort -o out a                    | writes out, reads a
sort --outp=out a                | writes out, reads a
sort --files0-from=list          | lists list
grep -n x a b                    | reads a, reads b
grep -rn x src                   | tree src
grep -rn x                       | tree .
grep -r -e x a                   | tree a
grep -f patterns a               | reads patterns, reads a
rg x src                         | tree src
rg x                             | tree .
rg --files src                   | names src
rg -f patterns src               | reads patterns, tree src
find src -name x                 | names src
find -L src lib -fprint out      | names src, names lib, writes out
find src -delete                 | names src, deletes src/…
fd x src                         | names src
ls src                           | names src
uniq a b                         | reads a, writes b
tee a -a b                       | writes a, writes b
diff -r a b                      | tree a, tree b
split a x                        | reads a, writes x
rm a b                           | deletes a (files), deletes b (files)
rm -rf a                         | deletes a
rmdir a                          | deletes a (files)
shred -n 3 a                     | deletes a
cp a b                           | writes b, writes b/a, reads a
cp -r a b c                      | writes c, writes c/a, tree a, writes c/b, tree b
cp -t d a                        | writes d, writes d/a, reads a
cp --target=d a                  | writes d, writes d/a, reads a
mv a b                           | writes b, writes b/a, moves a
ln -s a b                        | writes b, writes b/a, writes a
ln -s ../a                       | writes ., writes ./a, writes ../a
install -m 755 a /b/             | writes /b/, writes /b/a, reads a
install -d a b                   | writes a, writes b
dd if=a of=b bs=1                | reads a, writes b
touch -d x a                     | writes a
truncate -s 0 a                  | writes a
patch -p1 -i x.diff              | reads x.diff
patch a x.diff                   | writes a, reads x.diff
chmod 600 a                      | names a
objcopy -O binary a b            | reads a, writes b
objcopy a                        | writes a
sd x y a                         | writes a
vim -c 'w b' a                   | writes a, writes b
nano -w a                        | writes a
tar xf a.tar -C d                | writes d, reads a.tar
tar -xzf a.tgz                   | writes ., reads a.tgz
tar tf a.tar x                   | reads a.tar
tar cf a.tar x y                 | tree x, tree y, writes a.tar
tar -xOf a.tar x                 | reads a.tar
unzip a.zip -d d                 | reads a.zip, writes d
unzip a.zip                      | reads a.zip, writes .
unzip -l a.zip                   | reads a.zip
zip -r a.zip x                   | writes a.zip, tree x
gzip a                           | moves a, writes a…
gunzip -k a.gz                   | reads a.gz, writes a
zstd -d a.zst -o b               | writes b, reads a.zst, writes a
zip -P x a.zip b                 | writes a.zip, tree b
tar cf - x                       | tree x
uniq a -                         | reads a
tee - a                          | writes -, writes a
rm -- -                          | deletes - (files)
gzip -c a                        | reads a
7z x a.7z -od                    | reads a.7z, writes d
7z a a.7z x                      | writes a.7z, tree x
ar rcs a.a b.o                   | writes a.a
openssl x509 -in a -out b        | reads a, writes b
ssh-keygen -lf a                 | reads a
sed -n p a b                     | reads a, reads b
sed -n -e p a                    | reads a
sed -f x.sed a                   | runs x.sed, reads a
sed -i.bak s/a/b/ a              | writes a
sed -ni p a                      | writes a
sed --in-pl p a                  | writes a
gawk -i inplace '{print}' a      | writes a
awk -F: '{print}' a              | reads a
perl -pi -e s/a/b/ a             | writes a
perl -ne print a                 | any print, any a
ruby -i.bak -pe x a              | writes a
jq --arg x y --rawfile z b . a   | reads b, reads a
jq -f x.jq a                     | runs x.jq, reads a
yq -i .a=1 a                     | writes .a=1, writes a
yq -o json a                     | reads a
dasel put -f a -v 1 .a           | writes a
sqlite3 a .tables                | reads a, any a
sqlite3 -readonly a .tables      | reads a
psql -f a                        | runs a
pg_dump -f a app                 | writes a, any app
python a.py b                    | any a.py, any b
python -m json.tool a b          | reads a, writes b
bash a.sh b                      | any a.sh, any b
source a                         | runs a
history -r a                     | reads -r, reads a
echo a                           |
cd a                             | names a
""".strip().splitlines()


def _told(line: str) -> str:
    words = tuple(map(Word, shlex.split(line)))
    command = Command(words, cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return ", ".join(
        f"{one.kind} {one.word.text}{'' if one.whole else ' (files)'}".replace(HOLE, "…")
        for one in CommandFacts(command, workspace).touches
    )


@each_row("row", TOUCHED)
def test_a_command_touches_these_files(row: str) -> None:
    line, told = (part.strip() for part in row.split("|"))

    assert _told(line) == told
