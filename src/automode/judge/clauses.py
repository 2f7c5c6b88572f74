"""What the rest of a request's clause says: where the deed is to be done, or that it is about
something else. "Push updates to the websocket clients" is no push to a remote."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from automode.judge.deeds import DELETIONS, Deed, Weight
from automode.judge.objects import ANY_STATE, NOTHING, Name, Objects, is_named_in, table
from automode.judge.requests import PRONOUNS, Request, is_kind, required_names, words_of

_PHRASE = re.compile(
    r"(?:^|\s)(?:in|into|inside|within|onto|on|to|from|of|off|at|under|through|across|during|upon)"
    r"\s+([^,;:()\n]*?)(?=\s(?:in|into|inside|within|onto|on|to|from|of|off|at|under|through|across|"
    r"during|upon|and|then|but|so|because|since|as|that|which|who|where|while|before|after|if|when|"
    r"once|until|unless|for|with|by|via|using|instead|without|please)(?:\s|$)|[,;:()\n]|"
    r"[.!?](?:\s|$)|\s[\u2013\u2014-]\s|$)"
)
_CLAUSE_END = re.compile(
    r"[,;:()\n]|[.!?](?=\s|$)|\s(?:and|then|but|so|because|since|that|which)\s"
)
_WHEN = re.compile(r"(?:^|\s)(?:when|whenever|if|once|while|as soon as)\s+([^,;\n]{0,60})")
# What a deed may wait for: the work that is at hand.
_OURS = re.compile(
    r"\b(?:tests?|build|builds|ci|checks?|lint\w*|done|finish\w*|ready|green|works?|pass\w*|"
    r"you|it|that|everything|needed|necessary|possible)\b"
)
# Places that are no part of a program.
_SYSTEMS = re.compile(
    r"origin|remotes?|upstream|github|gitlab|repo(?:s|sitory)?|branch(?:es)?|main|master|trunk|"
    r"develop|forks?|prs?|mrs?|servers?|clusters?|staging|stage|prod|"
    r"production|live|dev|development|test|testing|environments?|env|local|localhost|machine|laptop|"
    r"computer|cloud|aws|gcp|azure|databases?|dbs?|accounts?|namespaces?|projects?|workspace|"
    r"registry|npm|pypi|testpypi|hub|dockerhub|ghcr|docker|compose|disk|hosts?|ports?|vps|heroku|"
    r"vercel|netlify|fly|cloudflare|firebase|kubernetes|k8s|terraform|git|stash|commits?|head|"
    r"scratch|once|one|go|background|all|it|them|this|that|these|those|there|here|default|"
    r"changes?|work|latest|date|speed|course|us|me|version|tags?|worktrees?|slack|channel|team|everyone|jira|"
    r"linear|notion"
)
_FORGES = re.compile(r"prs?|mrs?|github|gitlab|origin|upstream|coderabbit|jira|linear|slack")
_NAMELIKE = re.compile(r"[\d_/@#~*]|\w[.-]\w")
# Deeds that put down what somebody says.
_WRITING = frozenset({"changes-service", "writes-forge", "messages"})
_CONTENT = re.compile(r"\s*(?:about|for|saying|titled|regarding|on (?=the fact)|that)\s")
_SHELVES = re.compile(r"spaces?|boards?|lists?|folders?|channels?|teams?|wikis?|databases?")
_STATES = re.compile(
    r"(?:the )?(?:to ?do|backlog|triage|in progress|(?:in )?review|(?:in )?testing|qa|blocked|"
    r"ready|done|closed?|open|resolved|cancell?ed|duplicate)(?: column)?"
)
_ENDING = frozenset("now again too please pls first directly already instead only well".split())


def is_about_another(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the clause goes on with something that the deed is not done to."""
    clause = one.place
    if deed.name in _WRITING and _CONTENT.match(clause):
        return False  # what is to be written there
    when = _WHEN.search(clause)
    if when and not _OURS.search(when[1]):
        return True
    ended = _CLAUSE_END.search(clause)
    clause = clause[: ended.start()] if ended else clause
    return any(not _is_known(words, deed, objects) for words in _phrases(clause))


def _phrases(clause: str) -> Iterator[list[str]]:
    for found in _PHRASE.finditer(clause):
        words = [word.strip(".'\"`!?") for word in found[1].split()]
        while words and words[-1] in _ENDING:
            words.pop()
        if words:
            yield words


def _is_known(words: list[str], deed: Deed, objects: Objects) -> bool:
    last = words[-1]
    if last.startswith("request") and words[-2:-1] in (["pull"], ["merge"]):
        return True
    if ANY_STATE in objects.text and _STATES.fullmatch(" ".join(words)):
        return True
    if deed.name in _WRITING and _SHELVES.fullmatch(last) and _names_one(words, objects):
        return True
    if any(_FORGES.fullmatch(word) for word in words):
        return True
    if _SYSTEMS.fullmatch(last) or (deed.kinds is not None and deed.kinds.fullmatch(last)):
        return True
    if _NAMELIKE.search(last) and not last.endswith("%"):
        return True
    if any(is_named_in(name, last) for name in objects.names):
        return True
    return last in objects.text.casefold().split()


_FROM = re.compile(r"^\s*(?:from|off|out of)\s")
_HOLDS = re.compile(
    r"\b(?:has|have|had|contain\w*|includ\w*|uses?|imports?|calls?|prints?|shows?|"
    r"there(?:'s| is| are)|got|full of|after|before|below|above|beyond|between)\b"
)


def takes_from(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether a file is only to be taken off something: "remove a.py from the exclude list"."""
    return (
        "find" not in objects.programs
        and _FROM.match(one.place) is not None
        and any(
            not _is_known(words, deed, objects) and not _PROJECT.fullmatch(words[-1])
            for words in list(_phrases(one.place))[:1]
        )
    )


_PROJECT = re.compile(
    r"code ?base|tree|folder|director(?:y|ies)|dir|root|package|app|src|source|index"
)


def is_about_contents(one: Request, objects: Objects) -> bool:
    """Whether "it" or "everything" is something in the file: "a.py has dead code, remove it"."""
    told = [one.sentence, *one.before.split("\n")]
    text = "\n".join(
        part for part in told if any(is_named_in(name, part) for name in objects.names)
    )
    found = [name for name in objects.names if is_named_in(name, text)]
    return bool(found) and (
        _HOLDS.search(text) is not None
        or any(
            re.search(
                rf"\b(?:in|of|from|inside|within|at)\s+(?:\S+\s+)?\S*{re.escape(last)}",
                text,
            )
            for last in (name.text.casefold().rstrip("/").rsplit("/", 1)[-1] for name in found)
        )
    )


def _names_one(words: list[str], objects: Objects) -> bool:
    return any(is_named_in(name, word) for name in objects.names for word in words)


_PATH = re.compile(r"(?<![\w:/])[\w.~-]+/[\w./*-]*|(?<![\w/])[\w-]*\.[a-z]{1,5}(?![\w/])")
_FOLDER = re.compile(r"(?:folders?|director(?:y|ies)|dirs?|files?)$")


def names_a_part(one: Request, objects: Objects) -> bool:
    """Whether the user said which file or folder is meant, and the call has no such word."""
    given = objects.text.casefold()
    clause = f"{one.head} {one.place}"
    if any(path.rstrip("/.") not in given for path in _PATH.findall(clause)):
        return True
    words = one.head.split()
    return len(words) > 1 and _FOLDER.match(words[-1]) is not None and words[-2] not in _ANY


_ANY = frozenset("the all these those my our any modified changed untracked other tracked".split())


def is_within(one: Request, objects: Objects) -> bool:
    """Whether the user named a part of what the call takes as a whole, and not the whole."""
    said = [
        path.rstrip("/.").removeprefix("./") for path in _PATH.findall(f"{one.head} {one.more}")
    ]
    taken = [name.text.casefold().removeprefix("./").rstrip("/*") for name in objects.names]
    return any(
        path.startswith(f"{whole}/") and whole not in said
        for path in said
        for whole in taken
        if whole
    )


_SUBCOMMANDS = frozenset("fmt template plan lint diff output graph console format dry-run".split())


def is_another_command(one: Request, words: list[str], objects: Objects) -> bool:
    """Whether the user said the program with another of its sub-commands: `terraform plan`."""
    known = table()
    given = set(objects.text.casefold().split())
    return any(
        program in objects.programs
        and following not in given
        and following in _SUBCOMMANDS | known.verbs
        and (one.verb, following) != ("apply", "plan")
        for program, following in pairwise(words)
    )


# A row is called by what it stands for: the sentence has its database, its table and its key.
_ROWS = frozenset({"drops-data", "changes-database"})
WHOLE_ROW = 3
_REMOVES = re.compile(r"(?:delet|remov|eras|drop|purg|get rid|lösch|entfern|borr|elimin|supprim)")


def is_one_row(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether a statement is about one row, and the user said all that it says."""
    text = objects.text.casefold()
    told = len(objects.names) >= WHOLE_ROW and " where " in text
    if deed.name not in _ROWS or not told or bool(_REMOVES.match(one.verb)) != ("delete" in text):
        return False
    return all(is_named_in(name, one.sentence) for name in objects.names)


# Scripts without blanks: a clause has verbs, particles and known objects, and nothing else.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_PARTS = re.compile(
    r"[\uff0c,\u3001\u3002\uff1b;\uff1a:!\uff01\s]|并且?|然后|接着|再|之后|以后|后|"
    r"して(?:から)?|したら|した後|てから"
)
_UNSPACED_KNOWN = re.compile(
    r"提交|推送|部署|发布|删除|清理|撤销|还原|运行|执行|迁移|合并|安装|发送|重启|停止|"
    r"コミット|プッシュ|デプロイ|削除|実行|戻し?|インストール|再起動|リリース|"
    r"改动|更改|修改|变更|代码|分支|远程|仓库|版本|包|数据库|集群|生产|正式|环境|线上|测试|预发|"
    r"服务器?|服务|文件夹?|目录|容器|"
    r"変更|コード|ブランチ|リモート|リポジトリ|本番|環境|ステージング|サーバー?|パッケージ|データベース|"
    r"マイグレーション|ファイル|フォルダ|コンテナ|"
    r"请|帮我|把|将|给|和|到|在|上去?|下|去|的|了|吧|一下|所有|全部|这些?|那些?|我们?|它们?|现在|直接|"
    r"ください|下さい|お願い|します|する|した|して|しよう|を|は|が|に|へ|と|も|の|で|て|し|すべて|全て|"
    r"[\w./@#-]+",
    re.ASCII,
)


def says_more(one: Request) -> bool:
    """Whether a clause in a script without blanks is about something that is not known."""
    if not _UNSPACED.search(one.verb):
        return False
    clauses = [part for part in _PARTS.split(one.sentence) if one.verb in part]
    return all(_UNSPACED_KNOWN.sub("", part).strip() for part in clauses)


# Things of a program's text, which no deed of ours is done to.
CODE = re.compile(
    r"functions?|methods?|variables?|class(?:es)?|imports?|props?|parameters?|fields?|buttons?|"
    r"components?|interfaces?|types?|constants?|paragraphs?|sections?|sentences?|whitespace|warnings?|errors?|lines?|scripts?|expressions?|"
    r"m[eé]thodes?|m[eé]todos?|funci[oó]n(?:es)?|bot[oó]n(?:es)?|boutons?|funktion(?:en)?|klassen?|fonctions?|"
    r"lignes?|zeilen?|l[ií]neas?|abs[aä]tze?|p[aá]rrafos?|paragraphes?|kommentare?|comment(?:aires?|arios?)|"
    r"campos?|champs?|felder|feld|переменн\w+|функци\w+|метод\w*|класс\w*|кнопк\w+|отступ\w*",
)
IN_TEXT = re.compile(
    r"\s*(?:from|in|inside|of|within|aus|im|del|de|en|dans|du)\b[^,;]{0,40}?"
    r"(?:\bdiagrams?|\bdocs?\b|\breadme|\bcode|\bcomponents?|\bpages?|\bforms?|\bfunctions?|"
    r"\bclass\b|\bmodels?\b|\btemplates?|\bui\b|\bchangelog|\bsprite|\w\.(?:md|txt|tsx?|jsx?|py|"
    r"go|rs|rb|java|html|css|json|ya?ml|toml))\b"
)


WHOLES = DELETIONS | {"deletes-scratch", "deletes-made"}


_PORT = re.compile(r"\b(?<![.\d])\d{4,5}\b")


def exceeds(requests: Sequence[Request], deed: Deed, objects: Objects) -> bool:
    """Whether the user named what a lighter deed is to be done to, and the call has more."""
    if deed.name in WHOLES and any(is_within(one, objects) for one in requests):
        return True
    if deed.weight >= Weight.LASTING or deed.kinds is None:
        return False
    wanted = required_names(deed, objects)
    if deed.name == "installs" and any(_is_other_package(one, deed, wanted) for one in requests):
        return True
    if deed.name == "kills" and wanted:
        ports = {port for one in requests for port in _PORT.findall(one.sentence)}
        if ports and ports.isdisjoint(name.text for name in wanted):
            return True
    return any(
        any(is_named_in(name, one.head) for name in wanted)
        and not all(is_named_in(name, one.sentence) for name in wanted)
        for one in requests
    )


_INSTALLS = re.compile(r"(?:re-?|un)?install|upgrad|downgrad|bump", re.IGNORECASE)


def _is_other_package(one: Request, deed: Deed, wanted: Sequence[Name]) -> bool:
    """Whether the user named a package, and the call has others alone."""
    words = words_of(one.head)
    chosen = bool(words) and not is_kind(words[-1], deed, NOTHING) and words[-1] not in PRONOUNS
    updates = len(words) == 1 and one.verb.startswith("updat")
    told = chosen and bool(wanted) and (updates or _INSTALLS.match(one.verb) is not None)
    last = [Name(name.text.rsplit("/", 1)[-1]) for name in wanted if name.text.startswith("@")]
    return told and not any(is_named_in(name, one.sentence) for name in (*wanted, *last))
