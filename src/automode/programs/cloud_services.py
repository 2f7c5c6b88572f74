"""Clients of further services: identity, payments, monitoring, builds, databases, small clouds."""

from collections.abc import Mapping

from automode.programs.clients import CHANGES, RUNS, SECRET, WRITES, options
from automode.programs.services import Service, others, paths
from automode.programs.use import Judge, Use

_COMMON = options(
    "-o= --output= --json -f= --format= --no-header --no-color -q --quiet -n= --limit= -p="
    " --project="
    " --org= --text --page= --context= --filter= --sort= --region= -l= --all -a --verbose -v"
)
_SHOWN = "list|ls|show|get|info|describe"

_AUTH0 = Service(
    reads=paths("""
actions|apis|apps|clients|orgs|organizations|roles|rules|domains|custom-domains list|ls|show
network-acl|token-exchange|event-streams|phone|user-attribute-profiles|acul list|ls|show
phone provider list|ls|show
apis scopes list|ls
apps session-transfer show
logs list|ls|tail
logs streams|stream list|ls|show
orgs members|roles|invitations|invs list|ls|show
orgs roles members list|ls
roles permissions list|ls
attack-protection|protection|ap bot-detection|bd show
attack-protection|protection|ap breached-password-detection|bpd show
attack-protection|protection|ap brute-force-protection|bfp show
attack-protection|protection|ap suspicious-ip-throttling|sit show
attack-protection|protection|ap brute-force-protection|bfp|suspicious-ip-throttling|sit ips check
email provider|templates|template show
quickstarts|qs list|ls
tenants list|ls
tenant-settings show
universal-login|ul show
universal-login|ul templates|prompts|branding show
users search|show|search-by-email
users roles|blocks list|ls|show
domains default show
custom-domains default show
api get users*|roles*|logs*|stats*|organizations*|actions*|rules*|tenants*
completion
"""),
    uses=others({"test": Use(SECRET.effect, "prints tokens"), "login|logout": WRITES}),
    leading=options("--tenant= --no-color --no-input"),
    spec=options(
        "--tenant= --json --json-compact --csv --no-input --no-color --debug -n= --number= -f="
        " --filter= -s= --sort= -q= --query= -p= --picker -l= --locale="
    ),
)
_OKTA = Service(reads=paths("apps|users|groups|logs list|get"), spec=_COMMON)
_STRIPE = Service(
    reads=paths("""
customers|charges|payment_intents|invoices|subscriptions|products|prices list|retrieve
refunds|payouts list|retrieve
events|balance_transactions|disputes|coupons|plans|accounts|checkout|setup_intents list|retrieve
payment_methods|promotion_codes|tax_rates|transfers|webhook_endpoints|quotes list|retrieve
balance retrieve
version|status|completion|resources
"""),
    uses=others(
        {
            "listen|trigger|post|delete|fixtures|logs|serve|samples": CHANGES,
            "config|login|logout": SECRET,
        }
    ),
    spec=options("--limit= --customer= --starting-after= --ending-before= --expand="),
)
_SENTRY = Service(
    reads=paths("""
info
organizations|projects|issues|monitors|releases|events|repos list|info
deploys list
debug-files check|find
"""),
    uses=others({"send-event|send-envelope|upload-dif|login|update|uninstall": CHANGES}),
    spec=options("-o= --org= -p= --project= --show-projects --quiet"),
)
_CIRCLECI = Service(
    reads=paths("""
context list|show
project list
orb list|info|source|list-categories
pipeline list
runner instance|resource-class|token list
info org
version|diagnostic
config validate
"""),
    uses=others({"diagnostic|setup": SECRET, "local": RUNS}),
    spec=options("--json --org-id= -u -s --sort="),
)
_TRAVIS = Service(
    reads=paths("status|branches|history|logs|show|whoami|repos|requests|accounts|version|monitor"),
    uses=others({"token|env|pubkey|encrypt": SECRET}),
    spec=_COMMON,
)
_JENKINS = Service(
    reads=paths(
        "list-jobs|list-plugins|list-changes|get-job|get-view|get-node|console|version|who-am-i"
    ),
    uses=others({"build|delete-job|create-job|update-job|groovy|groovysh|restart": CHANGES | RUNS}),
    spec=options("-n="),
)
_NEW_RELIC = Service(
    reads=paths("""
apm application|deployment get|list|search
entity get|search
entity tags get
nrql query
workload get|list
synthetics monitor get|list|search
version
profile list
"""),
    uses=others({"profile|api-access|apiaccess": SECRET}),
    spec=_COMMON,
)
_PLANETSCALE = Service(
    reads=paths(f"""
database|branch|backup|deploy-request|org|region|audit-log|service-token|password {_SHOWN}
branch schema|diff
deploy-request diff
ping|version
auth check
"""),
    uses=others({"connect|shell": RUNS, "password|service-token": SECRET}),
    spec=_COMMON,
)
_NEON = Service(
    reads=paths("""
projects|branches|databases|roles|operations|orgs|ip-allow|vpc list|get
me
"""),
    uses=others({"connection-string|cs": SECRET}),
    spec=options("--project-id= --org-id= -o= --output= --no-color"),
)
_ATLAS = Service(
    reads=paths(f"""
clusters|projects|organizations|orgs|dbusers|alerts|teams|users|accessLists|backups {_SHOWN}
alerts settings {_SHOWN}
backups snapshots|schedule|restores|exports {_SHOWN}
clusters search|indexes|onlineArchives|advancedSettings {_SHOWN}
networking peering|containers {_SHOWN}
events projects|organizations list
performanceAdvisor namespaces|slowQueryLogs|suggestedIndexes list
config list|describe
auth whoami
"""),
    uses=others({"config": SECRET, "auth": WRITES, "logs": WRITES}),
    spec=options("-o= --output= --projectId= --orgId= --limit= --page="),
)
_CONFLUENT = Service(
    reads=paths("""
kafka cluster|topic|acl|partition|broker|link|mirror|region|quota list|describe
kafka consumer group list|describe
environment|context|plugin|connect|pipeline|audit-log|price|service-quota list|describe
schema-registry schema|subject|cluster|exporter list|describe
iam user|service-account|rbac|pool|provider list|describe
ksql cluster list|describe
flink compute-pool|statement|region list|describe
connect cluster|plugin list|describe
organization list|describe
version
"""),
    uses=others({"api-key": SECRET, "kafka topic consume|produce": CHANGES}),
    spec=options("-o= --output= --cluster= --environment= --cloud="),
)
_DOCTL = Service(
    reads=paths(f"""
account|balance|invoice|billing-history|projects|registry|apps|functions {_SHOWN}
compute droplet|image|volume|snapshot|domain|firewall|load-balancer|region|size|ssh-key {_SHOWN}
compute cdn|certificate|floating-ip|reserved-ip|tag|action|plugin|droplet-autoscale {_SHOWN}
compute domain records {_SHOWN}
compute droplet actions|backups|kernels|neighbors|snapshots
kubernetes|k8s cluster|clusters {_SHOWN}
kubernetes|k8s cluster node-pool {_SHOWN}
kubernetes|k8s options regions|sizes|versions
databases backups|db|pool|replica|firewalls|maintenance-window|options|configuration {_SHOWN}
apps logs|list-deployments|get-deployment|list-regions|list-instances|list-alerts
apps tier|spec list|get
projects resources {_SHOWN}
registry repository list|list-v2|list-tags|list-manifests
vpcs {_SHOWN}
auth list|ls
version|completion
"""),
    uses=others(
        {
            "databases connection|user|list|ls|get": SECRET,
            "kubernetes|k8s cluster kubeconfig": SECRET | WRITES,
            "compute ssh": RUNS,
            "registry kubernetes-manifest|docker-config|login": SECRET,
            "auth": WRITES,
        }
    ),
    spec=_COMMON,
)
_LINODE = Service(
    reads=paths("""
linodes|volumes|nodebalancers|domains|images|regions|lke|firewalls|vpcs list|view
stackscripts list|view
linodes|lke|domains|nodebalancers types|disks-list|ips-list|clusters-list|pools-list|records-list
linodes|lke|domains|nodebalancers cluster-view|disk-view|configs-list|versions-list
account view
account invoices-list
events|tags|managed list
profile view
"""),
    uses=others({"lke kubeconfig-view": SECRET, "databases mysql-creds-view": SECRET}),
    spec=options("--json --text --pretty --no-headers --format= --all --delimiter= --page="),
)
_HCLOUD = Service(
    reads=paths("""
server|image|volume|network|firewall|load-balancer|floating-ip|primary-ip list|describe
ssh-key|certificate list|describe
datacenter|location|iso|server-type|load-balancer-type|placement-group list|describe
server ip|metrics
context list|active
version|completion
all list
"""),
    uses=others({"server ssh": RUNS, "server request-console|reset-password": SECRET}),
    spec=options("-o= --output= -l= --selector= -s= --sort= -t= --type= -6"),
)
_FASTLY = Service(
    reads=paths(f"""
service|service-version|backend|domain|healthcheck|vcl|acl|dictionary|kv-store|pops|ip-list {_SHOWN}
stats realtime|historical|regions
whoami|version|pops|ip-list
"""),
    uses=others({"auth-token|profile": SECRET, "compute": RUNS | CHANGES}),
    spec=options("-s= --service-id= --json -j --version="),
)
_DATADOG = Service(
    reads=paths(
        "monitor|dashboard|timeboard|screenboard|downtime|host|event show|show_all|list|details"
    ),
    spec=_COMMON,
)
_FLARECTL = Service(
    reads=paths("zone|z|dns|d|firewall|user|u|ips|i list|l|info|i|ips"),
    spec=_COMMON,
)

PROGRAMS: Mapping[str, Judge] = {
    "auth0": _AUTH0,
    "okta": _OKTA,
    "stripe": _STRIPE,
    "sentry-cli": _SENTRY,
    "circleci": _CIRCLECI,
    "travis": _TRAVIS,
    "jenkins-cli": _JENKINS,
    "newrelic": _NEW_RELIC,
    "pscale": _PLANETSCALE,
    "neon": _NEON,
    "neonctl": _NEON,
    "atlas": _ATLAS,
    "mongocli": _ATLAS,
    "confluent": _CONFLUENT,
    "doctl": _DOCTL,
    "linode-cli": _LINODE,
    "hcloud": _HCLOUD,
    "fastly": _FASTLY,
    "dog": _DATADOG,
    "flarectl": _FLARECTL,
}
