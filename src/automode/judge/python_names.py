"""The closed language of proved Python: modules with their names, functions, methods, values."""

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
