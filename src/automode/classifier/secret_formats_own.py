"""Formats of secrets that the maintained source lacks or sees too narrowly, with the reasons."""

_ALNUM = r"[A-Za-z0-9]"
_B64URL = r"[A-Za-z0-9_\-]"

_ABSENT = "not in the source"
_ONLY_NAMED = "in the source only behind the name of the service"
_NARROW = "in the source only with one of several issuers, kinds or lengths"
_READABLE = "the source hides the address as well"
_SLOW = "in the source not in linear time, or without a mark"

# Name, prefixes, what follows, and why it is here.
PREFIXES = (
    # clouds
    ("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"[0-9A-Z]{16,17}+", _NARROW),
    ("aws-bedrock-key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{20,}+", _NARROW),
    ("google-oauth-secret", "GOCSPX-", rf"{_B64URL}{{20,}}+", _ABSENT),
    ("google-oauth-token", "ya29.", rf"{_B64URL}{{20,}}+", _ABSENT),
    ("google-refresh-token", "1//0", rf"{_B64URL}{{30,}}+", _ABSENT),
    ("azure-storage-key", "AccountKey=", r"[A-Za-z0-9+/=]{40,}+", _ONLY_NAMED),
    ("azure-shared-key", "SharedAccessKey=", r"[A-Za-z0-9+/=]{20,}+", _READABLE),
    ("azure-signature", "sig=", r"[A-Za-z0-9%+/=]{40,}+", _ABSENT),
    ("alibaba-key", "LTAI", rf"{_ALNUM}{{12,}}+", _NARROW),
    ("alibaba-sts-token", "CAIS", r"[A-Za-z0-9+/_=\-]{80,}+", _ONLY_NAMED),
    ("heroku-key", "HRKU-", rf"{_B64URL}{{36,}}+", _NARROW),
    ("netlify-token", "nfp_", rf"{_ALNUM}{{30,}}+", _ABSENT),
    ("cloudflare-key", "v1.0-", r"[a-f0-9]{20,}+-[a-f0-9]{100,}+", _NARROW),
    # forges and registries
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_]{30,}+", _NARROW),
    ("gitlab-token", "glcbt- glptt-", r"[A-Za-z0-9_.\-]{20,}+", _NARROW),
    ("bitbucket-token", "ATBB", r"[A-Za-z0-9_=.\-]{20,}+", _ABSENT),
    ("atlassian-token", "ATCTT3", r"[A-Za-z0-9_=.\-]{20,}+", _ABSENT),
    ("pypi-token", "pypi-", rf"{_B64URL}{{50,}}+", _NARROW),
    ("nuget-key", "oy2", r"[a-z0-9]{43}+", _ABSENT),
    ("artifactory-token", "AKC", rf"{_ALNUM}{{10,}}+", _NARROW),
    ("packagist-token", "packagist_uut_ packagist_cut_", r"[a-f0-9]{60,}+", _ABSENT),
    ("openvsx-token", "ovsxat_", r"[a-f0-9\-]{36,}+", _ABSENT),
    ("crates-token", "cio", rf"{_ALNUM}{{32}}+", _ONLY_NAMED),
    # models
    ("model-key", "sk- tvly- fw_", rf"{_B64URL}{{20,}}+", _NARROW),
    ("model-key", "jina_ flp_", rf"{_ALNUM}{{40,}}+", _ABSENT),
    ("model-key", "fc- sk_ key_", r"[a-f0-9]{28,}+", _ONLY_NAMED),
    ("huggingface-token", "hf_ api_org_", rf"{_ALNUM}{{30,}}+", _NARROW),
    # payment
    ("stripe-webhook-secret", "whsec_", rf"{_ALNUM}{{10,}}+", _ABSENT),
    ("square-token", "sq0csp- sq0idp-", r"[A-Za-z0-9_\\\-]{22,}+", _ABSENT),
    ("flutterwave-key", "FLWSECK-", r"[a-z0-9]{32,}+", _NARROW),
    ("braintree-token", "access_token$production$", r"[0-9a-z]{16}+\$[0-9a-f]{32}+", _ABSENT),
    # messages and people
    (
        "slack-token",
        "xoxa- xoxb- xoxp- xoxo- xoxs- xoxr- xoxe- xoxe. xapp-",
        r"[A-Za-z0-9.\-]{8,}+",
        _NARROW,
    ),
    ("hubspot-token", "pat-na1- pat-na2- pat-na3- pat-eu1-", r"[a-f0-9\-]{36}+", _ABSENT),
    ("twilio-key", "AC SK", r"[a-z0-9]{32}+(?![A-Za-z0-9])", _NARROW),
    ("mailgun-key", "key-", r"[a-f0-9]{32}+", _ONLY_NAMED),
    ("facebook-token", "EAAB EAAC EAAG", rf"{_ALNUM}{{60,}}+", _NARROW),
    # operations and tools
    ("vault-token", "hvs. hvb. hvr.", rf"{_B64URL}{{20,}}+", _NARROW),
    ("vault-token", "s.", rf"(?=[A-Za-z]*+[0-9]){_ALNUM}{{24}}+(?!\w)", "in the source also names"),
    ("newrelic-key", "NRAK- NRAL- NRII- NRJS-", r"[A-Za-z0-9\-]{19,}+", _ONLY_NAMED),
    ("doppler-token", "dp.", r"(?:st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{30,}+", _NARROW),
    ("dynatrace-token", "dt0", r"[a-z][0-9]{2}\.[A-Z0-9.]{60,}+", _NARROW),
    ("posthog-key", "phs_ pha_ phr_", rf"{_ALNUM}{{40,}}+", _ABSENT),
    ("dropbox-token", "sl.", rf"{_B64URL}{{100,}}+", _ONLY_NAMED),
    ("sourcegraph-key", "slk_", r"[a-f0-9]{64}+", _ABSENT),
    ("linear-token", "lin_oauth_", rf"{_ALNUM}{{30,}}+", _ABSENT),
    ("notion-token", "secret_", rf"{_ALNUM}{{43}}+", _ABSENT),
    ("figma-token", "figu_", rf"{_B64URL}{{30,}}+", _ABSENT),
    ("tailscale-key", "tskey-", rf"{_B64URL}{{20,}}+", _NARROW),
    ("sonarqube-token", "squ_ sqp_ sqa_", r"[a-f0-9]{40}+", _ONLY_NAMED),
    ("typeform-token", "tfp_", rf"{_B64URL}{{40,}}+", _ONLY_NAMED),
    ("contentful-token", "CFPAT-", rf"{_B64URL}{{40,}}+", _ABSENT),
    ("age-secret-key", "AGE-SECRET-KEY-PQ-1", r"[A-Z0-9]{50,}+", _ABSENT),
    ("nkey-seed", "SU", r"[A-Z2-7]{56}+(?![A-Z0-9])", _ABSENT),
)

_MAILCHIMP_REGIONS = " ".join(f"-us{digit}" for digit in range(10))

# Name, marks, a pattern whose group is the secret, whether it begins with the mark, and why.
OTHER_SHAPES = (
    (
        "json-web-token",
        "eyJ",
        rf"(?<!{_B64URL})(eyJ{_B64URL}++={{0,2}}\.{_B64URL}++={{0,2}}(?:\.[\w+/=\-]*+)?)",
        True,
        _SLOW,
    ),
    ("npm-token", ":_authtoken=", r"(?i::_authToken=)\s{0,3}([^\s\"'$]++)", True, _ABSENT),
    (
        "azure-storage-key",
        "key",
        r"(?i:key)[\s\"':=>,]{1,12}+([A-Za-z0-9+/]{86}+==)",
        True,
        _SLOW,
    ),
    (
        "azure-key",  # the mark that Microsoft puts near the end of newer keys
        "+ASt +ACR ACDb AzSe AzFu AZDO",
        r"(?<![\w+/\-])([\w+/\-]{33,76}(?:\+ASt|\+ACR|ACDb|AzSe|AzFu|AZDO)[\w+/\-]{4,9}={0,2})",
        False,
        _ABSENT,
    ),
    (
        "slack-webhook",
        "hooks.slack.com/",
        r"(?i:hooks\.slack\.com/)([A-Za-z0-9_/\-]{12,}+)",
        True,
        _READABLE,
    ),
    (
        "teams-webhook",
        ".webhook.office.com/",
        r"(?i:\.webhook\.office\.com/)([\w@/\-]{20,}+)",
        True,
        _READABLE,
    ),
    (
        "discord-webhook",
        "/api/webhooks/",
        r"(?i:/api/webhooks/)([0-9]{5,30}+/[A-Za-z0-9_\-]{30,}+)",
        True,
        _ABSENT,
    ),
    # Only the last parts are secret; the first is the number of an account, application or key.
    (
        "discord-token",
        ".",
        rf"\.(?={_B64URL}{{6}}\.)"
        rf"(?:(?<=[MNO]{_B64URL}{{23}}\.)|(?<=[MNO]{_B64URL}{{24}}\.)|(?<=[MNO]{_B64URL}{{25}}\.))"
        rf"({_B64URL}{{6}}\.{_B64URL}{{27,}}+)",
        False,
        _ABSENT,
    ),
    (
        "zai-key",
        ".",
        r"\.(?<=[0-9A-Fa-f]{32}\.)(?<![\w\-][0-9A-Fa-f]{32}\.)([A-Za-z0-9]{16,}+)",
        False,
        _SLOW,
    ),
    (
        "facebook-app-token",
        "|",
        r"\|(?<=[0-9]{15}\|)([A-Za-z0-9_\-]{27,}+)",
        False,
        _SLOW,
    ),
    (
        "facebook-app-token",
        "%7c",
        r"%7[Cc](?<=[0-9]{15}%7[Cc])([A-Za-z0-9_\-]{27,}+)",
        False,
        _SLOW,
    ),
    (
        "telegram-token",
        ":AA",
        rf"(?<![0-9])([0-9]{{8,10}}+:AA{_B64URL}{{30,}}+)",
        False,
        _ONLY_NAMED,
    ),
    (
        "mailchimp-key",
        _MAILCHIMP_REGIONS,
        r"(?<![0-9a-z])([0-9a-z]{32}+-us[0-9]{1,2}+)",
        False,
        _ONLY_NAMED,
    ),
    (
        "gitlab-mail-token",
        "incoming+",
        rf"(?i:incoming\+)({_B64URL}[A-Za-z0-9_.\-]{{20,}}+)(?=@)",
        True,
        _SLOW,
    ),
    (
        "softlayer-key",
        "api.softlayer.com/soap/",
        r"(?i:api\.softlayer\.com/soap/)(v3(?:\.1)?/[a-z0-9]{64})",
        True,
        _ABSENT,
    ),
)
