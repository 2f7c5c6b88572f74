"""The closed language of proved Python: modules with their names, functions, methods, values."""

import ast
from dataclasses import dataclass, field

_COMPUTING = {
    "json": "load loads dump dumps JSONDecodeError",
    "csv": "reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE Error",
    "re": "compile search match fullmatch findall finditer sub subn split escape I IGNORECASE M"
    " MULTILINE S DOTALL X VERBOSE A ASCII U error",
    "math": "sqrt floor ceil log log2 log10 log1p exp pow sin cos tan asin acos atan atan2 sinh"
    " cosh tanh gcd lcm factorial comb perm isqrt hypot fsum prod pi e inf nan tau isnan isinf"
    " isclose fabs fmod radians degrees trunc copysign dist",
    "collections": "Counter OrderedDict defaultdict deque namedtuple ChainMap",
    "collections.abc": "Iterable Iterator Mapping Sequence Callable",
    "itertools": "permutations combinations combinations_with_replacement product chain accumulate"
    " groupby islice count cycle repeat zip_longest tee pairwise batched starmap takewhile"
    " dropwhile filterfalse compress",
    "datetime": "datetime date time timedelta timezone UTC",
    "statistics": "mean median stdev variance mode pstdev quantiles fmean",
    "textwrap": "dedent indent fill wrap shorten",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation hexdigits printable"
    " whitespace capwords",
    "random": "seed randint choice choices shuffle sample uniform random gauss randrange",
    "hashlib": "sha256 sha1 md5 sha512 sha224 sha384 blake2b blake2s new",
    "struct": "pack unpack calcsize unpack_from iter_unpack",
    "decimal": "Decimal ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP",
    "fractions": "Fraction",
    "difflib": "unified_diff ndiff context_diff get_close_matches SequenceMatcher",
    "fnmatch": "fnmatch fnmatchcase filter translate",
    "pprint": "pprint pformat pp",
    "unicodedata": "normalize category name lookup east_asian_width combining",
    "heapq": "nlargest nsmallest heappush heappop heapify heapreplace merge",
    "bisect": "bisect bisect_left bisect_right insort",
    "uuid": "uuid4 uuid5 uuid1 UUID NAMESPACE_DNS NAMESPACE_URL",
    "html": "escape unescape",
    "tomllib": "load loads TOMLDecodeError",
    "time": "time perf_counter monotonic strftime gmtime localtime sleep strptime mktime ctime"
    " perf_counter_ns time_ns process_time",
    "calendar": "monthrange month isleap monthcalendar",
    "zlib": "crc32 adler32 compress decompress",
    "colorsys": "rgb_to_hsv hsv_to_rgb rgb_to_hls hls_to_rgb",
    "cmath": "sqrt exp phase polar rect pi",
    "keyword": "iskeyword kwlist",
    "binascii": "hexlify unhexlify crc32",
    "base64": "b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode",
    "__future__": "annotations",
    "typing": "Any Optional Union List Dict Tuple Set Iterable Iterator Callable",
}
_LOOKING = {
    "os": "path listdir walk getcwd stat scandir sep linesep curdir cpu_count",
    "os.path": "exists isfile isdir join basename dirname splitext getsize getmtime abspath"
    " realpath relpath normpath expanduser islink split commonpath",
    "sys": "argv stdin stdout stderr version version_info platform maxsize exit executable"
    " byteorder",
    "pathlib": "Path PurePath PosixPath PurePosixPath",
    "ast": "parse walk dump literal_eval unparse get_docstring iter_child_nodes AST Module"
    " FunctionDef AsyncFunctionDef ClassDef Import ImportFrom Name Attribute Call Constant"
    " Assign",
    "glob": "glob iglob escape",
    "functools": "reduce partial",
    "operator": "itemgetter add mul sub eq lt gt",
    "io": "StringIO BytesIO",
    "yaml": "safe_load safe_load_all safe_dump",
    "copy": "copy deepcopy",
    "inspect": "cleandoc",
    "gzip": "open decompress",
    "toml": "load loads",
    "zoneinfo": "ZoneInfo",
    "platform": "system machine python_version release platform",
}
MODULES = {name: frozenset(names.split()) for name, names in {**_COMPUTING, **_LOOKING}.items()}
PATHS = frozenset("Path PurePath PosixPath PurePosixPath".split())
"""Classes whose methods act: they are called to make a path, and never handed on."""
BUILTINS = frozenset(
    "print len str int float bool list dict set tuple sorted sum min max abs round range enumerate"
    " zip reversed repr ord chr hex bin oct any all divmod isinstance issubclass map filter iter"
    " next bytes bytearray hasattr frozenset format pow slice super open complex hash id ascii"
    " Exception ValueError KeyError TypeError IndexError AttributeError RuntimeError SystemExit"
    " AssertionError StopIteration FileNotFoundError NotImplementedError ZeroDivisionError OSError"
    " UnicodeDecodeError EOFError KeyboardInterrupt exit quit object type".split()
)
BASES = frozenset("object Exception ValueError KeyError TypeError RuntimeError".split())
"""What an own class may be made from."""
# Of texts, numbers, lists, tables, patterns, dates, paths and trees: what gives a value back, or
# changes one that only the code itself has.
METHODS = frozenset(
    "read readline readlines splitlines split rsplit strip lstrip rstrip join"
    " lower upper title casefold capitalize swapcase startswith endswith find rfind count"
    " index rindex get keys values items zfill ljust rjust center partition rpartition isdigit"
    " isalpha isalnum isnumeric isspace isupper islower isidentifier encode decode"
    " translate maketrans expandtabs removeprefix removesuffix append add extend sort copy insert"
    " pop popleft appendleft setdefault update discard clear reverse union intersection difference"
    " issubset issuperset symmetric_difference most_common elements subtract search match fullmatch"
    " findall sub subn group groups groupdict span start end finditer isoformat"
    " strftime strptime now today utcnow timestamp total_seconds fromisoformat fromtimestamp date"
    " time weekday isocalendar astimezone exists is_file is_dir is_symlink iterdir"
    " stat relative_to with_suffix with_name joinpath resolve absolute expanduser"
    " as_posix is_absolute fromkeys from_iterable hexdigest digest ratio get_opcodes"
    " writerow writerows writeheader getvalue to_bytes from_bytes bit_length"
    " as_integer_ratio quantize write tell close seek flush isatty".split()
)
VALUES = frozenset(
    "name stem suffix suffixes parent parents parts anchor year month day hour minute second days"
    " seconds microsecond microseconds st_size st_mtime st_mode real imag numerator denominator"
    " lineno end_lineno col_offset body args targets value id attr func names module asname level"
    " decorator_list bases keywords elts keys values ops left right test orelse handlers annotation"
    " returns slice target op operand items n s string pattern flags lastindex lastgroup pos"
    " endpos utc min max resolution hex int bytes version fieldnames line_num maxlen"
    " default_factory major minor micro msg doc args path tzinfo buffer encoding".split()
)
"""Attributes that are data."""
SPECIAL = frozenset("__name__ __file__ __version__ __doc__ __init__".split())
READABLE = tuple(
    f".{one}"
    for one in "py pyi ts tsx js jsx mjs cjs go rs java rb php c h cc cpp hpp kt swift md mdx rst"
    " css scss html vue svelte sql csv tsv jsonl log ipynb tex cs scala lua ex exs dart".split()
)
"""How a name ends that is put together when it runs, and that no credential has."""


@dataclass(slots=True)
class Piece:
    """What the code itself gives names to."""

    modules: dict[str, str] = field(default_factory=dict)  # a name in the code: the module
    imported: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)  # names that stand for one text only
    bound: list[str] = field(default_factory=list)
    lambdas: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)  # of paths
    own: set[str] = field(default_factory=set)  # functions and attributes that it defines
    sources: dict[str, list[ast.expr]] = field(default_factory=dict)  # what names run through


def module_of(node: ast.expr, piece: Piece) -> str | None:
    """`os`, or `os.path`."""
    match node:
        case ast.Name(name):
            return piece.modules.get(name)
        case ast.Attribute(inner, attr) if (outer := module_of(inner, piece)) is not None:
            return f"{outer}.{attr}" if f"{outer}.{attr}" in MODULES else None
        case _:
            return None


def writes(path: ast.expr, piece: Piece) -> bool:
    text = text_of(path, piece)
    if text is None:
        return False
    piece.written.append(text)
    return True


def reads(path: ast.expr, piece: Piece) -> bool:
    """Whether it can be told which file that is, or that it is none that holds a credential."""
    text = text_of(path, piece)
    if text is not None:
        piece.read.append(text)
        return True
    match path:
        case ast.Subscript(ast.Attribute(ast.Name(name), "argv")):
            return piece.modules.get(name) == "sys"  # it stands on the command line
        case ast.Name(name) if name in piece.sources:
            every = piece.sources[name]
            return piece.bound.count(name) == len(every) and all(
                _plain(one, piece) for one in every
            )
        case _:
            return _ends_plainly(path)


def _plain(source: ast.expr, piece: Piece) -> bool:
    """Whether all that comes out of it may be read."""
    match source:
        case ast.Call(ast.Name("sorted" | "list" | "set"), [inner], _):
            return _plain(inner, piece)
        case ast.List(items) | ast.Tuple(items):
            return all(reads(one, piece) for one in items)
        case ast.Call(ast.Attribute(_, "glob" | "rglob" | "iglob"), [pattern], _):
            return _ends_plainly(pattern)
        case ast.Subscript(ast.Attribute(ast.Name(name), "argv")):
            return piece.modules.get(name) == "sys"
        case _:
            return False


def _ends_plainly(path: ast.expr) -> bool:
    """Whether a name that is put together is that of a source, whatever comes before its end."""
    match path:
        case ast.Constant(str(text)):
            return text.endswith(READABLE)
        case ast.JoinedStr([*_, last]) | ast.BinOp(_, ast.Add() | ast.Div(), last):
            return _ends_plainly(last)
        case ast.Call(ast.Name(name) | ast.Attribute(_, name), [*_, last], []):
            return (name in PATHS or name == "join") and _ends_plainly(last)
        case _:
            return False


def text_of(node: ast.expr, piece: Piece) -> str | None:
    """The text that an expression stands for: written out, a path made of it, or a name for it."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.Name(name):
            return piece.texts.get(name)
        case ast.Call(ast.Name("Path") | ast.Attribute(_, "Path"), [_, *_] as parts, []):
            return _joined(parts, "/", piece)
        case ast.BinOp(left, ast.Div() | ast.Add() as put, right):
            return _joined([left, right], "" if isinstance(put, ast.Add) else "/", piece)
        case ast.Call(ast.Attribute(_, "join") as join, parts, []) if (
            module_of(join.value, piece) == "os.path"
        ):
            return _joined(parts, "/", piece)
        case ast.Call(ast.Attribute(_, "expanduser"), [inner], []):
            return text_of(inner, piece)
        case ast.Call(ast.Attribute(inner, "expanduser" | "resolve" | "absolute"), [], []):
            return text_of(inner, piece)
        case _:
            return None


def _joined(parts: list[ast.expr], between: str, piece: Piece) -> str | None:
    texts = [text_of(one, piece) for one in parts]
    known = [one for one in texts if one is not None]
    return between.join(known) if len(known) == len(texts) else None
