"""Deleting root, homes, system folders or the workspace, in every spelling."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from automode.core.paths import absolute, located
from automode.guards.find_deletion import find_delete, only_a_person_answers, piped_find
from automode.guards.guard import Guard, See, Sight, shown, words
from automode.guards.places import Loss, Lost, essential, essential_match
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import HOLE, Origin, Word

_RM = Spec(
    flags="rRfidvPIWx",
    long_flags=("--recursive", "--force", "--dir", "--verbose", "--no-preserve-root",
                "--one-file-system"),
    long_maybe=("--interactive", "--preserve-root"),
)  # fmt: skip
REMOTE_PLACES = words("/ /etc /usr /var /home /root /boot /bin /sbin /lib /dev /sys")
GLOB_MARKS = "*?["


def lost(sight: Sight, word: Word, *, tree: bool = True) -> Lost | None:
    """What goes away with `word` as a whole, or None."""
    text = word.text
    path = sight.path(text)
    if path is None:
        return _lost_unknown(sight, word)
    if sight.command.remote:
        return _lost_remotely(path, word)
    globs = word.origin >= Origin.GLOB and any(mark in text for mark in GLOB_MARKS)
    for place in _places(sight, path, follows=text.endswith(("/", "/."))):
        found = (
            essential_match(place, sight.workspace, tree=tree)
            if globs
            else essential(place, sight.workspace, tree=tree)
        )
        if found:
            return Lost(found.kind, f"`{shown(text)}` is {found.text}")
    return None


def _lost_unknown(sight: Sight, word: Word) -> Lost | None:
    """The folder is not known: another machine's, or behind a `cd` nobody can follow."""
    if sight.command.remote or word.value is None:
        return None
    climbs = absolute(word.text, "/")
    # From anywhere, more `..` than any project is deep ends at the root folder.
    if climbs == "/" and word.text.count("..") > sight.workspace.root.count("/") + 2:
        return Lost(Loss.OTHER, f"`{shown(word.text)}` is the root folder")
    return None


def _lost_remotely(path: str, word: Word) -> Lost | None:
    place = path[:-2] or "/" if path.endswith("/*") else path
    found = place.casefold() in REMOTE_PLACES or place == f"/{HOLE}"
    text = f"`{shown(word.text)}` is a system folder of that machine"
    return Lost(Loss.SYSTEM, text) if found else None


def _places(sight: Sight, path: str, *, follows: bool) -> Iterator[str]:
    """The path as typed, and with links followed. A link itself may be deleted, what it leads to
    is safe, unless the path goes on behind it."""
    yield path
    folder, _, name = path.rpartition("/")
    if follows:
        yield sight.resolved(path)
    elif folder:
        yield f"{sight.resolved(folder).rstrip('/')}/{name}"


def _first_lost(sight: Sight, given: tuple[Word, ...], *, tree: bool = True) -> Lost | None:
    return next((found for word in given if (found := lost(sight, word, tree=tree))), None)


def _told(found: Lost | None) -> str | None:
    return None if found is None else found.text


def _rm(sight: Sight) -> str | None:
    found = piped_find(sight)
    if found:
        return found
    given = arguments(sight.args, _RM)
    lost_here = _rm_lost(sight, given)
    # A person may well go through a project file by file. Nobody does that with a machine.
    asked = _asks(given) and only_a_person_answers(sight)
    return None if asked and lost_here and lost_here.kind is Loss.WORKSPACE else _told(lost_here)


def _rm_lost(sight: Sight, given: Arguments) -> Lost | None:
    if given.has("-r", "-R", "--recursive", "--no-preserve-root") or _may_recurse(given):
        return _first_lost(sight, given.operands)
    # Without -r the folders stay, the files in them do not.
    every = tuple(word for word in given.operands if word.text.endswith("*"))
    return _first_lost(sight, every, tree=False)


def _asks(given: Arguments) -> bool:
    """`-i` asks before each file, unless `-f` or another `--interactive` has the last word."""
    clear = not any(name.startswith("-") for name in given.unclear)
    return given.has("-i") and clear and not given.has("-f", "--force", "--interactive")


def _may_recurse(given: Arguments) -> bool:
    return any(name.startswith("--r") for name in given.unclear)


def _always(sight: Sight) -> str | None:
    """Programs that take folders whole without being told to: `trash`, `rimraf`, `srm -r`."""
    return _told(_first_lost(sight, arguments(sight.args, Spec(values="n")).operands))


def _gio(sight: Sight) -> str | None:
    if not sight.texts or sight.texts[0] not in ("trash", "remove"):
        return None
    return _told(_first_lost(sight, sight.args[1:]))


def _mv(sight: Sight) -> str | None:
    spec = Spec(values="tS", long_values=("--target-directory", "--suffix"))
    given = arguments(sight.args, spec)
    into = given.value("-t", "--target-directory")
    sources = given.operands if into is not None else given.operands[:-1]
    for word in sources:
        found = lost(sight, word, tree=False)
        # Moving the content of a project or of a home elsewhere loses nothing.
        kept = any(mark in word.text for mark in GLOB_MARKS) and not word.text.startswith("/*")
        if found and (found.kind is Loss.SYSTEM or not kept):
            return found.text
    return None


def _rsync(sight: Sight) -> str | None:
    deletes = any(text.startswith("--del") for text in sight.texts)
    spec = Spec(values="eBTfM", long_values=("--rsh", "--exclude", "--include", "--filter"))
    operands = arguments(sight.args, spec).operands
    if not deletes or "-n" in sight.texts or "--dry-run" in sight.texts or len(operands) < 2:
        return None
    if ":" in operands[-1].text.split("/", 1)[0]:
        return None
    return _told(lost(sight, operands[-1], tree=False))


def _git(sight: Sight) -> str | None:
    """`git clean` at home or root. In the workspace it is the classifier's business."""
    spec = Spec(
        values="Cc", stops_at_operand=True,
        long_values=("--git-dir", "--work-tree", "--exec-path", "--namespace"),
    )  # fmt: skip
    given = arguments(sight.args, spec)
    if not given.operands or given.operands[0].text != "clean":
        return None
    clean = arguments(given.operands[1:], Spec(values="e", long_flags=("--force", "--dry-run")))
    if not clean.has("-f", "--force") or clean.has("-n", "--dry-run"):
        return None
    place = given.value("--work-tree") or given.value("-C") or Word(sight.command.cwd or ".")
    for word in clean.operands or (Word("."),):
        path = sight.path(place.text)
        found = (
            lost(sight, Word(located(word.text, path, sight.workspace.files)), tree=False)
            if path
            else None
        )
        if found and found.kind is not Loss.WORKSPACE:
            return found.text
    return None


def _windows_words(sight: Sight) -> str | None:
    """`rd /s /q C:\\`, `del /s D:\\*` and `Remove-Item -Recurse`, typed into bash."""
    low = [text.casefold() for text in sight.texts]
    if not any(text in ("/s", "//s") or text.startswith("-r") for text in low):
        return None
    drives = tuple(word for word in sight.args if word.text[1:2] == ":" or word.text[:1] == "~")
    plain = tuple(replace(word, text=word.text.rstrip("*\\/") + "/") for word in drives)
    return _told(_first_lost(sight, plain))


def _unknown_program(sight: Sight) -> str | None:
    """`${RM} -rf /`: whatever it runs, these words mean one thing."""
    given = arguments(sight.args, _RM)
    if given.unclear or not given.has("-f", "--force"):
        return None
    return _rm(sight)


_BY_PROGRAM: Mapping[str, See] = {
    "rm": _rm,
    "grm": _rm,
    "find": find_delete,
    "gfind": find_delete,
    "mv": _mv,
    "gmv": _mv,
    "rsync": _rsync,
    "git": _git,
    "gio": _gio,
    HOLE: _unknown_program,
    **dict.fromkeys(words("rd rmdir del erase remove-item ri"), _windows_words),
    **dict.fromkeys(words("srm trash trash-put rimraf del-cli trash-cli gtrash rip"), _always),
}


def _sees(sight: Sight) -> str | None:
    return _BY_PROGRAM[sight.name](sight)


DELETE_ROOT = Guard(
    id="delete-root",
    reason="this deletes what a machine or a person cannot do without",
    advice="name the files or the sub-folder that really has to go",
    about=(
        "Recursive deletion of the root folder, of home folders, of system folders, of the"
        " workspace or of a folder that holds it. Clearing one folder of a project, or a temporary"
        " folder, is not its business."
    ),
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    remote=True,
    stops=(
        "rm -rf /",
        "rm -fr /*",
        "rm -r -f ~",
        'sudo rm --recursive --force "$HOME"',
        "/bin/rm --rec ${HOME}/",
        "rm -rf ~/*",
        "rm -rf //",
        "rm -rf /etc/..",
        "rm -rf ~root",
        "cd / && rm -rf *",
        "rm -rf .",
        "rm -rf ./*",
        "rm -rf ..",
        "rm -rf ../../../../..",
        "rm -rf /usr/lib/python3",
        "yes | rm -ri *",
        "rm -ri ~",
        "rm -rif ~",
        "yes | find / -ok rm '{}' ';'",
        "rm -rf /var/lib",
        "rm -rf ~/.ssh",
        "rm -rf /home/someone",
        "rm -rf /$FOLDER",
        "echo / | xargs rm -rf",
        "find / -name '*.log' -delete",
        "find ~ -delete",
        "find . -mindepth 1 -delete",
        "find / -type f -exec rm {} +",
        "find / -print0 | xargs -0 rm -rf",
        "rsync -a --delete empty/ ~/",
        "git -C ~ clean -fdx",
        "mv ~ /dev/null",
        "mv -- /* /tmp",
        "npx rimraf ~",
        "python3 -c 'import shutil; shutil.rmtree(\"/\")'",
        'node -e \'require("fs").rmSync(require("os").homedir(), {recursive: true})\'',
        "ssh web1 'rm -rf /etc'",
        "rm -rf 'C:\\Windows'",
        "HOME=/; rm -rf ~",
    ),
    passes=(
        "rm -rf node_modules",
        "rm -rf ~/work/old-checkout",
        "rm -rf /tmp/build-1234",
        "rm -rf /tmp/*",
        'D=$(mktemp -d); rm -rf "$D"',
        'rm -rf "$BUILD"/*',
        "rm -rf build/*",
        "rm -f *.pyc",
        "rm -ri *",
        "find / -user ada -ok rm '{}' ';'",
        "cd src && find . -maxdepth 1 -type f -delete",
        "rmdir /etc",
        "find . -name '*.pyc' -delete",
        "find ~ -name '*.pyc' -delete",
        "find . -name '*.orig' -print0 | xargs -0 rm -f",
        "find . -type d -name __pycache__ -exec rm -rf {} +",
        "git clean -fdx",
        "rm -rf /usr/local/lib/mine",
        "rm -rf /var/lib/apt/lists/*",
        "docker exec web rm -rf /var/www",
        "rsync -a --delete dist/ public/",
        "grep -rn 'rm -rf /' scripts",
        "echo 'rm -rf /'",
        "git commit -m 'never run rm -rf ~'",
        "mv * src/",
    ),
)
