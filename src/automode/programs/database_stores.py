"""Clients of databases that do not speak SQL: Redis, MongoDB, InfluxDB."""

import re
from collections.abc import Mapping
from dataclasses import replace

from automode.programs.databases import INTERACTIVE, database, given_values, host, unclear
from automode.programs.use import READS, Effect, Invocation, Judge, Use, unknown
from automode.programs.verbs import REMOTE, Verbs, asks_only, many, remote, spec, words
from automode.shell.options import arguments

_REDIS = spec(
    "-h= -p= -n= -a= -u= -r= -i= -c -v --version --help --raw --no-raw --csv --json --user= --pass="
    " --no-auth-warning --scan --pattern= --count= --bigkeys --memkeys --hotkeys --stat --tls -3 -2"
    " --latency --latency-history --latency-dist --quoted-pattern= --type="
)
_REDIS_READS = words(
    "get mget strlen getrange substr getbit bitcount bitpos exists keys scan ttl pttl type"
    " expiretime pexpiretime dump randomkey dbsize info ping echo time lastsave llen lrange lindex"
    " lpos lcs hget hmget hgetall hkeys hvals hlen hexists hstrlen hscan hrandfield scard smembers"
    " sismember smismember sscan srandmember sinter sunion sdiff sintercard zcard zcount zlexcount"
    " zrange zrangebyscore zrangebylex zrevrange zrevrangebyscore zrevrangebylex zrank zrevrank"
    " zscore zmscore zscan zrandmember xlen xrange xrevrange xread pfcount geohash geopos geodist"
    " geosearch role command bitfield_ro sort_ro georadius_ro json.get json.mget json.type ft._list"
    " ft.info ft.search ts.get ts.range ts.info"
)
_REDIS_PAIRS = words(
    "object:encoding object:freq object:idletime object:refcount object:help memory:usage"
    " memory:stats memory:doctor slowlog:get slowlog:len latency:latest latency:history"
    " latency:doctor client:list client:info client:id client:getname cluster:info cluster:nodes"
    " cluster:slots cluster:shards cluster:keyslot cluster:myid xinfo:stream xinfo:groups"
    " xinfo:consumers pubsub:channels pubsub:numsub pubsub:numpat acl:whoami acl:cat module:list"
    " function:list function:stats config:get script:exists"
)
_REDIS_SECRET = re.compile(r"pass|auth|\*|\?|\[|tls|acl", re.IGNORECASE)
_SCANS = ("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency")


def _redis(invocation: Invocation) -> Use:
    given = arguments(invocation.args, replace(_REDIS, stops_at_operand=True))
    if asks_only(invocation, "--version", "-v", "--help"):
        return READS
    use = unclear(given, invocation)
    for name in given_values(given, "-h"):
        use |= host(name)
    for address in given_values(given, "-u"):
        use |= database(address or "=")
    texts = [word.text.lower() if word.value is not None else "?" for word in given.operands]
    if not texts:
        return use | (REMOTE if given.has(*_SCANS) else INTERACTIVE)
    if texts[0] in _REDIS_READS:
        return use | REMOTE
    if ":".join(texts[:2]) not in _REDIS_PAIRS:
        return use | Use(Effect.REMOTE_WRITE, f"`{texts[0]}` is not known to only read")
    if texts[0] == "config" and any(_REDIS_SECRET.search(text) for text in texts[2:]):
        return use | Use(Effect.SECRETS, "the setting may be a password")
    return use | REMOTE


_PLAIN = r"[^()`;=\\]*"
_MONGO_READ = re.compile(
    rf"db(\.getSiblingDB\({_PLAIN}\)|\.getCollection\({_PLAIN}\)|\.[A-Za-z_]\w*)*"
    rf"\.(find|findOne|count|countDocuments|estimatedDocumentCount|distinct|stats|getIndexes"
    rf"|getCollectionNames|getCollectionInfos|getName|version|serverStatus|hostInfo|dataSize"
    rf"|storageSize|totalIndexSize|totalSize|isCapped|hello|getMongo|listCollections)\({_PLAIN}\)"
    rf"(\.(limit|sort|skip|project|pretty|count|toArray|explain|size|hint)\({_PLAIN}\))*"
    r"|rs\.(status|conf|printReplicationInfo)\(\)|sh\.status\(\)"
    r"|show (dbs|databases|collections|tables|users|roles)"
)
_MONGO_CODE = re.compile(
    r"\$where|\$function|\$accumulator|function\b|=>|\bnew\b|\beval\b"
    # What the shell itself can reach: the environment, files and modules.
    r"|\bsystem\b"  # its collections hold how users sign in
    r"|\b(process|env|require|load|import|module|global|globalThis|this|config)\b"
)
_MONGO = spec("--eval= --quiet --norc --json[=] --host= --port= -u= -p= --username= --password="
              " --authenticationDatabase= --version --help -h --tls")  # fmt: skip


def _mongo(invocation: Invocation) -> Use:
    """`--eval` takes JavaScript: only a chain of reading methods is taken for what it says."""
    given = arguments(invocation.args, _MONGO)
    if asks_only(invocation, "--version", "--help", "-h"):
        return READS
    use = unclear(given, invocation)
    for name in given_values(given, "--host"):
        use |= host(name)
    for word in given.operands[:1]:
        use |= database(word.text)
    if len(given.operands) > 1 or any(word.text.endswith(".js") for word in given.operands):
        return use | Use(Effect.RUNS, "it runs a script")
    codes = given_values(given, "--eval")
    if not codes:
        return use | INTERACTIVE
    for code in codes:
        use |= REMOTE if code is not None and _reads_mongo(code) else unknown("it runs JavaScript")
    return use


def _reads_mongo(code: str) -> bool:
    text = code.strip().rstrip(";").strip()
    wrapped = re.fullmatch(r"(?:print|printjson)\((.*)\)", text, re.DOTALL)
    inner = wrapped[1].strip() if wrapped else text
    return bool(_MONGO_READ.fullmatch(inner)) and not _MONGO_CODE.search(inner)


_INFLUX_LISTS = Verbs(
    {**many("list ls find", remote("--json --hide-headers -n= --name= -o= --org="))}
)
_INFLUX: dict[str, Judge] = {
    **many("bucket org user task dashboards v1 stacks", _INFLUX_LISTS),
    **many("ping version", remote()),
}
PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli"), _redis),
    **dict.fromkeys(("mongosh", "mongo"), _mongo),
    "influx": Verbs(_INFLUX, spec("--version --help -h")),
}
