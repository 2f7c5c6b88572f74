"""Checks of clients of databases: which server they ask, and whether they are told what to do."""

import re
from collections.abc import Iterator

from automode.programs.checks import language_of
from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

_LOCAL_HOSTS = frozenset(
    "localhost 127.0.0.1 ::1 0.0.0.0 /tmp /var/run/postgresql /run/postgresql .".split()
)
_ADDRESS = re.compile(r"\w+://(?:[^@/]*@)?(?P<host>[\w.-]*)(?::\d+)?(?:/[\w.-]*)?")
_INTERACTIVE = unknown("it waits for commands that are not known")


def _host(name: str | None) -> Use:
    """The user's own server is the one on this machine or the configured one."""
    if name is None or name in _LOCAL_HOSTS:
        return READS
    return network(f"`{name}` is another server than the configured one")


def _database(name: str) -> Use:
    """A name, or an address with a server in it."""
    address = _ADDRESS.fullmatch(name)
    if address:
        return _host(address["host"] or "localhost")
    return unknown("the connection is described in full") if "=" in name or "/" in name else READS


def _values(given: Given, *names: str) -> Iterator[str | None]:
    for option in given.options.options:
        if option.name in names:
            yield option.value.value if option.value is not None else None


def server(given: Given) -> Use:
    """The server of `-h`, which must be this machine."""
    use = READS
    for name in _values(given, "-h", "--host"):
        use |= _host(name)
    return use


def told(given: Given) -> Use:
    """The same, and it is told what to do: by an option or a word."""
    return server(given) | (READS if given.code != () else _INTERACTIVE)


def fed(given: Given) -> Use:
    """The same, or by what is fed to it."""
    text = given.invocation.command.fed
    if given.code != () or text is None:
        return told(given)
    return server(given) | language_of(given.row.language)(given, (text,))


def psql(given: Given) -> Use:
    use = READS
    for word in given.operands[:1]:
        use |= _database(word.text)
    for name in _values(given, "-d", "--dbname"):
        use |= _database(name or "=")
    if given.options.has("-l", "--list") and given.code == ():
        return use | server(given)
    return use | fed(given)


def cqlsh(given: Given) -> Use:
    use = told(given)
    for word in given.operands[:1]:
        use |= _host(word.value or "?")
    return use


def trino(given: Given) -> Use:
    use = told(given)
    for name in _values(given, "--server"):
        address = name is not None and "://" in name
        use |= _database(name or "=") if address else _host((name or "?").split(":")[0])
    return use


_ADMIN_READS = frozenset(
    "status ping version processlist variables extended-status proc stat".split()
)


def mysqladmin(given: Given) -> Use:
    if given.operands and all(word.value in _ADMIN_READS for word in given.operands):
        return server(given)
    return server(given) | Use(Effect.REMOTE_WRITE, "it administers the server")


def mongo(given: Given) -> Use:
    if len(given.operands) > 1 or any(word.text.endswith(".js") for word in given.operands):
        return server(given) | Use(Effect.RUNS, "it runs a script")
    use = told(given)
    for word in given.operands:
        use |= _database(word.text)
    return use


_REDIS_READS = frozenset(
    "get mget strlen getrange substr getbit bitcount bitpos exists keys scan ttl pttl type"
    " expiretime pexpiretime dump randomkey dbsize info ping echo time lastsave llen lrange lindex"
    " lpos lcs hget hmget hgetall hkeys hvals hlen hexists hstrlen hscan hrandfield scard smembers"
    " sismember smismember sscan srandmember sinter sunion sdiff sintercard zcard zcount zlexcount"
    " zrange zrangebyscore zrangebylex zrevrange zrevrangebyscore zrevrangebylex zrank zrevrank"
    " zscore zmscore zscan zrandmember xlen xrange xrevrange xread pfcount geohash geopos geodist"
    " geosearch role command bitfield_ro sort_ro georadius_ro json.get json.mget json.type ft._list"
    " ft.info ft.search ts.get ts.range ts.info".split()
)
_REDIS_PAIRS = frozenset(
    "object:encoding object:freq object:idletime object:refcount object:help memory:usage"
    " memory:stats memory:doctor slowlog:get slowlog:len latency:latest latency:history"
    " latency:doctor client:list client:info client:id client:getname cluster:info cluster:nodes"
    " cluster:slots cluster:shards cluster:keyslot cluster:myid xinfo:stream xinfo:groups"
    " xinfo:consumers pubsub:channels pubsub:numsub pubsub:numpat acl:whoami acl:cat module:list"
    " function:list function:stats config:get script:exists".split()
)
_REDIS_SECRET = re.compile(r"pass|auth|\*|\?|\[|tls|acl", re.IGNORECASE)
_SCANS = ("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency")


def redis(given: Given) -> Use:
    use = server(given)
    for address in _values(given, "-u"):
        use |= _database(address or "=")
    texts = [word.text.lower() if word.value is not None else "?" for word in given.operands]
    if not texts:
        return use | (READS if given.options.has(*_SCANS) else _INTERACTIVE)
    if texts[0] in _REDIS_READS:
        return use
    if ":".join(texts[:2]) not in _REDIS_PAIRS:
        return use | Use(Effect.REMOTE_WRITE, f"`{texts[0]}` is not known to only read")
    if texts[0] == "config" and any(_REDIS_SECRET.search(text) for text in texts[2:]):
        return use | Use(Effect.SECRETS, "the setting may be a password")
    return use
