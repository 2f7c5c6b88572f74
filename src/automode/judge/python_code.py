"""What is proved of Python code: it reads, computes and prints, and writes the files it names.

The language of proved code is closed: modules, names of theirs, functions and methods that are not
listed make the whole piece not proved.
"""

import ast
import warnings
from dataclasses import dataclass, field

LONGEST = 20_000
_WHOLE = (  # modules that only compute
    "json csv re math collections itertools datetime statistics textwrap string random hashlib"
    " struct decimal fractions difflib fnmatch pprint unicodedata heapq"
    " bisect uuid html tomllib time calendar zlib colorsys cmath numbers keyword binascii"
    " __future__ base64 collections.abc"
)
_MODULES: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(_WHOLE.split()),
    **{  # of these only the names that look
        name: frozenset(names.split())
        for name, names in {
            "os": "path listdir walk getcwd stat scandir sep linesep fspath curdir cpu_count",
            "os.path": "exists isfile isdir join basename dirname splitext getsize getmtime abspath"
            " realpath relpath normpath expanduser islink split commonpath",
            "sys": "argv stdin stdout stderr version version_info platform maxsize exit executable"
            " byteorder",
            "pathlib": "Path PurePath PosixPath PurePosixPath",
            "ast": "parse walk dump literal_eval unparse get_docstring iter_child_nodes AST Module"
            " FunctionDef AsyncFunctionDef ClassDef Import ImportFrom Name Attribute Call Constant"
            " Assign",
            "glob": "glob iglob escape",
            "functools": "reduce partial lru_cache cache",
            "operator": "itemgetter add mul sub eq lt gt",
            "io": "StringIO BytesIO",
            "yaml": "safe_load safe_load_all safe_dump",
            "copy": "copy deepcopy",
            "inspect": "cleandoc",
            "gzip": "open decompress",
            "toml": "load loads",
            "zoneinfo": "ZoneInfo",
            "platform": "system machine python_version release platform",
        }.items()
    },
}
_BUILTINS = frozenset(
    "print len str int float bool list dict set tuple sorted sum min max abs round range enumerate"
    " zip reversed repr ord chr hex bin oct any all divmod isinstance issubclass map filter iter"
    " next bytes bytearray type hasattr frozenset format pow slice super open complex hash id ascii"
    " Exception ValueError KeyError TypeError IndexError AttributeError RuntimeError SystemExit"
    " AssertionError StopIteration FileNotFoundError NotImplementedError exit quit".split()
)
# Of texts, numbers, lists, tables, patterns, dates, paths and trees: what gives a value back, or
# changes one that only the code itself has.
_METHODS = frozenset(
    "load loads dumps dump read readline readlines splitlines split rsplit strip lstrip rstrip join"
    " lower upper title casefold capitalize swapcase replace startswith endswith find rfind count"
    " index rindex get keys values items zfill ljust rjust center partition rpartition isdigit"
    " isalpha isalnum isnumeric isspace isupper islower isidentifier encode decode format"
    " translate maketrans expandtabs removeprefix removesuffix append add extend sort copy insert"
    " pop popleft appendleft setdefault update discard clear reverse union intersection difference"
    " issubset issuperset symmetric_difference most_common elements subtract search match fullmatch"
    " findall sub subn compile group groups groupdict span start end escape finditer isoformat"
    " strftime strptime now today utcnow timestamp total_seconds fromisoformat fromtimestamp date"
    " time timedelta datetime weekday astimezone read_text read_bytes exists is_file is_dir iterdir"
    " glob rglob stat relative_to with_suffix with_name joinpath resolve absolute expanduser"
    " as_posix is_absolute match walk parse"
    " dump unparse get_docstring literal_eval reader DictReader"
    " fromkeys Counter OrderedDict defaultdict deque namedtuple mean median stdev variance dedent"
    " indent fill wrap permutations combinations product chain from_iterable accumulate groupby"
    " islice count cycle repeat zip_longest tee sqrt floor ceil log log2 log10 pow sin cos tan gcd"
    " factorial comb isqrt hypot fsum prod sha256 sha1 md5 sha512 hexdigest digest new unified_diff"
    " ndiff get_close_matches SequenceMatcher ratio"
    " writer DictWriter writerow writerows writeheader"
    " b64encode b64decode hexlify unhexlify crc32 seed randint choice shuffle"
    " sample uniform normalize category name hex pformat pprint flush isatty exit listdir scandir"
    " getcwd basename dirname splitext getsize getmtime abspath realpath relpath normpath isfile"
    " isdir islink commonpath iglob deepcopy safe_load safe_load_all safe_dump StringIO BytesIO"
    " getvalue itemgetter reduce partial to_bytes from_bytes bit_length as_integer_ratio quantize"
    " Path PurePath perf_counter monotonic write tell close __init__ lastindex python_version"
    " system_alias iter_child_nodes nlargest nsmallest heappush heappop heapify bisect_left"
    " bisect_right".split()
)
_SPECIAL = frozenset("__name__ __file__ __version__ __doc__ __init__".split())
_NODES = (ast.AsyncFunctionDef, ast.Await, ast.Global, ast.Nonlocal, ast.Delete)


@dataclass(slots=True)
class _Piece:
    """What the code itself gives names to."""

    modules: dict[str, str] = field(default_factory=dict)  # a name in the code: the module
    functions: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)  # names that stand for one text only
    bound: list[str] = field(default_factory=list)
    lambdas: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Proved:
    written: tuple[str, ...]  # files, by the names that the code gives them
    texts: tuple[str, ...]  # every text in it: one may name a credential
    fills: bool  # something is put into what it writes


def proved(code: str) -> Proved | None:
    """None: nothing is proved of it."""
    if len(code) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the code would be printed
            nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    piece = _Piece()
    if not all(_learn(node, piece) for node in nodes):
        return None
    # A name that stands for anything else as well may be called for that.
    own = piece.functions | set(piece.lambdas)
    piece.functions = {n for n in own if piece.bound.count(n) == piece.lambdas.count(n)}
    piece.texts = {name: text for name, text in piece.texts.items() if piece.bound.count(name) == 1}
    # `open` is looked at where it is called, and handed on nowhere.
    opening = {id(n.func) for n in nodes if isinstance(n, ast.Call) and _is_open(n.func)}
    if not all(_harmless(node, piece) for node in nodes if id(node) not in opening):
        return None
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return Proved(tuple(piece.written), tuple(texts), any(_fills(node) for node in nodes))


def _fills(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Name("print"), keywords=[_, *_]):
            return True
        case ast.Call(ast.Attribute(_, name), [given, *_]) if name in _FILLING:
            return not (isinstance(given, ast.Constant) and not given.value)
        case _:
            return False


_FILLING = frozenset("write write_text write_bytes dump writelines writerow writerows".split())


def _learn(node: ast.AST, piece: _Piece) -> bool:
    """False: it brings something in that is not listed."""
    match node:
        case ast.Import(names):
            for one in names:
                piece.modules[one.asname or one.name.partition(".")[0]] = one.name
            return all(one.name in _MODULES for one in names)
        case ast.ImportFrom(module, names):
            return _learn_names(module or "", names, piece)
        case ast.FunctionDef(name) | ast.ClassDef(name):
            piece.functions.add(name)
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            piece.lambdas.append(name)
        case ast.Assign([ast.Name(name)], value):
            text = _text(value, piece)
            piece.texts.update({name: text} if text is not None else {})
        case ast.Name(name, ast.Store()):
            piece.bound.append(name)
        case ast.arg(name) | ast.ExceptHandler(name=str(name)):
            piece.bound.append(name)
        case _:
            pass
    return True


def _learn_names(module: str, names: list[ast.alias], piece: _Piece) -> bool:
    known = _MODULES.get(module, frozenset())
    for one in names:
        piece.functions.add(one.asname or one.name)
        if f"{module}.{one.name}" in _MODULES:
            piece.modules[one.asname or one.name] = f"{module}.{one.name}"
    return all(known is None or one.name in known for one in names) and module in _MODULES


def _harmless(node: ast.AST, piece: _Piece) -> bool:
    match node:
        case ast.Attribute():
            return _harmless_attribute(node, piece)
        case ast.Name(name, ast.Load()):
            known = name in _BUILTINS or name in piece.bound or name in piece.functions
            return name != "open" and (known or name in piece.modules or name in _SPECIAL)
        case ast.Name(name):
            return name not in piece.modules
        case ast.Call():
            return _harmless_call(node, piece)
        case ast.FunctionDef(decorator_list=[_, *_]) | ast.ClassDef(decorator_list=[_, *_]):
            return False
        case _:
            return not isinstance(node, _NODES)


def _harmless_attribute(node: ast.Attribute, piece: _Piece) -> bool:
    name = node.attr
    if name.startswith("__") and name not in _SPECIAL:
        return False
    if isinstance(node.ctx, ast.Store):
        return isinstance(node.value, ast.Name) and node.value.id == "self"
    module = _module(node.value, piece)
    if module is None:
        return True
    known = _MODULES.get(module, frozenset())
    return known is None or name in known


def _module(node: ast.expr, piece: _Piece) -> str | None:
    """`os`, or `os.path`."""
    match node:
        case ast.Name(name):
            return piece.modules.get(name)
        case ast.Attribute(ast.Name(name), attr) if piece.modules.get(name) is not None:
            inner = f"{piece.modules[name].partition('.')[0]}.{attr}"
            return inner if inner in _MODULES else None
        case _:
            return None


def _harmless_call(node: ast.Call, piece: _Piece) -> bool:
    handed = [*node.args, *[one.value for one in node.keywords if one.arg in ("key", "default")]]
    if any(isinstance(one, ast.Attribute) and not _value_of(one) for one in handed):
        return False
    match node.func:
        case ast.Name("open"):
            return _opens(node.args, node, piece)
        case ast.Name(name):
            return name in piece.functions or (name in _BUILTINS and name not in piece.bound)
        case ast.Attribute(_, "open"):
            return _opens([node.func.value, *node.args], node, piece)
        case ast.Attribute(value, "write_text" | "write_bytes"):
            return _writes(value, piece)
        case ast.Attribute(_, "replace"):
            return len(node.args) > 1  # of a path it is a move, and takes one argument
        case ast.Attribute(ast.Name("self"), name) if name in piece.functions:
            return True
        case ast.Attribute(_, name):
            return name in _METHODS
        case _:
            return False


def _is_open(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "open"


def _value_of(node: ast.Attribute) -> bool:
    """Whether what is handed on is no method that acts: those are only proved where they are
    called."""
    return node.attr not in _ACTING


_ACTING = frozenset(
    "unlink rmdir write_text write_bytes rename replace touch mkdir chmod symlink_to hardlink_to"
    " system popen remove open write writelines truncate lchmod link_to".split()
)


def _opens(given: list[ast.expr], node: ast.Call, piece: _Piece) -> bool:
    mode = given[1] if len(given) > 1 else None
    named = [one.value for one in node.keywords if one.arg == "mode"]
    mode = named[0] if named else mode
    if any(one.arg == "opener" for one in node.keywords) or not given:
        return False
    match mode:
        case None:
            return True
        case ast.Constant(str(text)) if not set(text) - set("rbt"):
            return True
        case ast.Constant(str(text)) if not set(text) - set("wabtx+r"):
            return _writes(given[0], piece)
        case _:
            return False


def _writes(path: ast.expr, piece: _Piece) -> bool:
    text = _text(path, piece)
    if text is None:
        return False
    piece.written.append(text)
    return True


def _text(node: ast.expr, piece: _Piece) -> str | None:
    """The text that an expression stands for: written out, a path made of it, or a name for it."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.Name(name):
            return piece.texts.get(name)
        case ast.Call(ast.Name("Path") | ast.Attribute(_, "Path"), [inner], []):
            return _text(inner, piece)
        case ast.BinOp(left, ast.Div(), right):
            folder, last = _text(left, piece), _text(right, piece)
            return None if folder is None or last is None else f"{folder}/{last}"
        case _:
            return None
