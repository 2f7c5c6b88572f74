"""Clients of hosting platforms: where applications are deployed and their logs are read."""

from collections.abc import Mapping

from automode.programs.clients import CHANGES, REMOTE, RUNS, SECRET, WRITES, options
from automode.programs.services import Service, others, paths
from automode.programs.use import Effect, Judge, Use

_COMMON = options(
    "-a= --app= --json -j --all -A -o= --output= --no-color -n= --limit= -p= --project= --team="
    " --org= --region= --num= --tail -t -q --quiet -v --verbose"
)

_HEROKU = Service(
    reads=paths("""
apps:info|info|apps:list|apps:favorites
ps|ps:type|ps:wait
addons:info|addons:plans|addons:services
access|buildpacks|buildpacks:info|buildpacks:search|buildpacks:versions
certs|certs:info|domains|domains:info|drains|features|features:info|labs|labs:info
logs|maintenance|members|notifications|orgs|pipelines|pipelines:info|pipelines:diff
pg|pg:info|pg:backups:info|pg:ps|pg:diagnose|pg:locks|pg:blocking|pg:bloat|pg:wait
redis|redis:info|regions|releases|releases:info|reviewapps|sessions|spaces|spaces:info|spaces:ps
stack|status|teams|webhooks|webhooks:info|auth:whoami|whoami|version|plugins|commands|keys
apps:stacks|ci|ci:info|ci:last|local:version|webhooks:deliveries
"""),
    alone=paths("apps|addons|auth|pg:backups|spaces:info"),
    uses=others(
        {
            "config|config:get|auth:token|pg:credentials|redis:credentials": SECRET,
            "pg:credentials:url|certs:key|authorizations|clients|ci:config": SECRET,
            "run|run:detached|pg:psql|redis:cli|local|local:start|ps:exec": RUNS,
            "open|addons:open": RUNS,
        }
    ),
    spec=_COMMON,
    help_depth=1,
)
_VERCEL = Service(
    bare=Use(Effect.REMOTE_WRITE, "deploys"),
    reads=paths("""
list|ls|inspect|logs|whoami
project|projects ls|list|inspect
domains|dns|certs|alias|aliases|secrets|teams|integration|target ls|list
domains inspect
"""),
    uses=others({"env": SECRET, "dev|build": RUNS, "pull|link|login|logout|switch": WRITES}),
    spec=_COMMON,
)
_NETLIFY = Service(
    reads=paths("""
status|sites:list|sites:search|logs|logs:function|logs:deploy|functions:list
blobs:list|addons:list|teams:list|deploy:list
"""),
    uses=others(
        {
            "env:list|env:get": SECRET,
            "dev|build|functions:invoke|functions:serve|open|open:site|open:admin": RUNS,
            "deploy|api|sites:delete|env:set|env:unset|env:import|link|init": CHANGES,
        }
    ),
    spec=_COMMON,
)
_FLY = Service(
    reads=paths("""
apps list|releases
status|logs|releases|info|history
machine|machines|m list|status|show
volumes|volume|vol list|show
volumes|volume|vol snapshots list
ips|certs|checks|regions|orgs|organizations|secrets|domains|image list|show|check
services list
scale show
config show|validate|env
postgres|pg list|events
platform regions|vm-sizes|status
auth whoami
redis|tokens|extensions list|status
wireguard list
"""),
    alone=paths("version"),
    uses=others(
        {
            "auth token": SECRET,
            "tokens": SECRET,
            "volumes|volume|vol snapshots create": CHANGES,
            "ssh|console|proxy|agent|dashboard|open": RUNS,
            "deploy|launch|destroy|scale|suspend|resume|restart": CHANGES,
        }
    ),
    spec=_COMMON,
    help_depth=1,
)
_RAILWAY = Service(
    leading=options("-e= --environment= -s= --service="),
    reads=paths("status|logs|list|whoami|version\ndeployment list"),
    uses=others(
        {
            "variables|variable|vars": SECRET,
            "run|shell|connect|ssh|open|dev|docs": RUNS,
            "up|down|redeploy|add|delete|init|link|unlink|domain|volume|deploy|service": CHANGES,
        }
    ),
    spec=options("-e= --environment= -s= --service= --json -d -b -f -n= --lines= --deployment"),
)
_RENDER = Service(
    reads=paths("""
services|deploys|projects|environments|workspace list|current
logs|whoami
"""),
    alone=paths("services|projects|environments"),
    uses=others({"ssh|psql|pgcli|kv-cli": RUNS, "deploys|jobs create|cancel": CHANGES}),
    spec=_COMMON,
)
_WRANGLER = Service(
    reads=paths("""
whoami
deployments|versions|queues|workflows|pipelines|vectorize|hyperdrive|dispatch-namespace list|view
deployments status
kv namespace|key list
kv:namespace|kv:key list
r2 bucket list|info
d1 list|info
pages project list
pages deployment list
secret list
cert list
tail
"""),
    uses=others(
        {
            "deploy|publish|delete|rollback|secret|login|logout|kv|r2|d1|queues|pages": CHANGES,
            "dev|build|types|check": RUNS,
            "docs": RUNS,
            "kv key get": REMOTE,
        }
    ),
    spec=options("--json --name= -e= --env= --format= --status= --sampling-rate= --method="),
)
_SUPABASE = Service(
    reads=paths("""
projects|orgs|functions|branches|secrets|snippets|backups|sso|migration list|info|show
services
inspect
network-bans|network-restrictions|ssl-enforcement|vanity-subdomains|postgres-config|domains get
"""),
    uses=others(
        {
            "status": SECRET,
            "projects api-keys": SECRET,
            "db|migration|start|stop|functions|link|login": Use(
                Effect.WRITES | Effect.RUNS, "works on databases or containers"
            ),
        }
    ),
    spec=_COMMON,
)
_FIREBASE = Service(
    reads=paths("""
projects:list|apps:list|hosting:sites:list|hosting:channel:list|functions:list|functions:log
firestore:databases:list|firestore:databases:get|firestore:indexes|firestore:locations
apphosting:backends:list|apphosting:backends:get|database:instances:list|ext:list|ext:info
remoteconfig:versions:list|remoteconfig:get|appdistribution:testers:list|login:list|target
dataconnect:services:list|crashlytics:mappingfile:list|database:get|experiments:list
"""),
    uses=others(
        {
            "functions:config:get|functions:secrets:access|login:ci|apps:sdkconfig": SECRET,
            "emulators:start|emulators:exec|serve|functions:shell|open": RUNS,
            "deploy|hosting:disable|database:remove|database:set|firestore:delete": CHANGES,
            "auth:export|apphosting:secrets:access": SECRET,
        }
    ),
    spec=options(
        "-P= --project= --json --only= -n= --lines= --site= --pageSize= --non-interactive"
    ),
)

PROGRAMS: Mapping[str, Judge] = {
    "heroku": _HEROKU,
    "vercel": _VERCEL,
    "now": _VERCEL,
    "netlify": _NETLIFY,
    "ntl": _NETLIFY,
    "fly": _FLY,
    "flyctl": _FLY,
    "railway": _RAILWAY,
    "render": _RENDER,
    "wrangler": _WRANGLER,
    "supabase": _SUPABASE,
    "firebase": _FIREBASE,
}
