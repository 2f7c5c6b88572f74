"""The shapes of secrets that give themselves away: one row per issuer's format.

A row is looked for only where its `mark` occurs, and its body is matched possessively from a place
where a token can begin: no input makes the search slower than linear.
"""

import re
from dataclasses import dataclass

SHORTEST_TOKEN = 13  # characters; no format below is shorter
_WORD = "A-Za-z0-9"


@dataclass(frozen=True, slots=True)
class Format:
    """`name` is what the placeholder says; `mark` a literal that every match contains."""

    name: str
    mark: str
    pattern: re.Pattern[str]


def _format(name: str, mark: str, body: str, *, before: str = _WORD) -> Format:
    """A token that starts with `mark`."""
    return Format(name, mark, re.compile(rf"(?<![{before}]){re.escape(mark)}{body}"))


def _formats(name: str, marks: str, body: str) -> tuple[Format, ...]:
    return tuple(_format(name, mark, body) for mark in marks.split())


_B64URL = r"[A-Za-z0-9_\-]"
_ALNUM = r"[A-Za-z0-9]"

FORMATS: tuple[Format, ...] = (
    # clouds
    *_formats("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"[0-9A-Z]{16,17}+"),
    _format("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/=]{40,}+"),
    _format("aws-bedrock-key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{20,}+"),
    _format("google-api-key", "AIza", rf"{_B64URL}{{35}}+"),
    _format("google-oauth-secret", "GOCSPX-", rf"{_B64URL}{{20,}}+"),
    _format("google-oauth-token", "ya29.", rf"{_B64URL}{{20,}}+"),
    _format("google-refresh-token", "1//0", rf"{_B64URL}{{30,}}+"),
    _format("azure-storage-key", "AccountKey=", r"[A-Za-z0-9+/=]{40,}+"),
    _format("azure-shared-key", "SharedAccessKey=", r"[A-Za-z0-9+/=]{20,}+"),
    _format("azure-signature", "sig=", r"[A-Za-z0-9%+/=]{40,}+"),
    Format("azure-client-secret", "8Q~", re.compile(rf"{_ALNUM}{{3}}8Q~[A-Za-z0-9_.~\-]{{30,}}+")),
    _format("alibaba-key", "LTAI", rf"{_ALNUM}{{12,}}+"),
    *_formats("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{40,}+"),
    _format("heroku-key", "HRKU-", rf"{_B64URL}{{36,}}+"),
    _format("databricks-token", "dapi", r"[a-h0-9]{32}+"),
    _format("planetscale-token", "pscale_", r"[A-Za-z0-9_.\-]{32,}+"),
    _format("cloudflare-key", "v1.0-", r"[a-f0-9]{20,}+-[a-f0-9]{100,}+"),
    _format("vercel-token", "vcp_", rf"{_ALNUM}{{24,}}+"),
    _format("netlify-token", "nfp_", rf"{_ALNUM}{{30,}}+"),
    _format("supabase-token", "sbp_", r"[a-f0-9]{40}+"),
    _format("supabase-key", "sb_secret_", rf"{_B64URL}{{20,}}+"),
    # forges and registries
    *_formats("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_]{30,}+"),
    _format("github-token", "github_pat_", r"[A-Za-z0-9_]{20,}+"),
    *_formats(
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- glffct- GR1348941",
        r"[A-Za-z0-9_.\-]{20,}+",
    ),
    _format("bitbucket-token", "ATBB", r"[A-Za-z0-9_=.\-]{20,}+"),
    *_formats("atlassian-token", "ATATT3 ATCTT3", r"[A-Za-z0-9_=.\-]{20,}+"),
    _format("npm-token", "npm_", rf"{_ALNUM}{{30,}}+"),
    Format("npm-token", ":_authToken=", re.compile(r"(?<=:_authToken=)\s{0,3}[^\s\"']++")),
    _format("pypi-token", "pypi-", rf"{_B64URL}{{50,}}+"),
    _format("rubygems-key", "rubygems_", r"[a-f0-9]{40,}+"),
    _format("nuget-key", "oy2", r"[a-z0-9]{43}+"),
    _format("docker-token", "dckr_pat_", rf"{_B64URL}{{20,}}+"),
    _format("docker-token", "dckr_oat_", rf"{_B64URL}{{20,}}+"),
    _format("docker-swarm-token", "SWMTKN-1-", rf"{_B64URL}{{40,}}+"),
    _format("clojars-token", "CLOJARS_", r"[A-Za-z0-9]{50,}+"),
    *_formats("artifactory-token", "AKCp AKC", rf"{_ALNUM}{{10,}}+"),
    _format("crates-token", "cio", rf"{_ALNUM}{{32}}+"),
    # models
    *_formats(
        "model-key",
        "sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- gsk_ xai- pplx- tvly- r8_ fw_ csk- nvapi-"
        " tgp_v1_",
        rf"{_B64URL}{{20,}}+",
    ),
    _format("model-key", "sk-", rf"{_B64URL}{{20,}}+"),
    _format("huggingface-token", "hf_", rf"{_ALNUM}{{30,}}+"),
    _format("huggingface-token", "api_org_", rf"{_ALNUM}{{30,}}+"),
    # payment
    *_formats("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", rf"{_ALNUM}{{10,}}+"),
    *_formats("square-token", "sq0atp- sq0csp- sq0idp- EAAA", r"[A-Za-z0-9_\\\-]{22,}+"),
    _format("braintree-token", "access_token$production$", r"[0-9a-z]{16}+\$[0-9a-f]{32}+"),
    *_formats("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[A-Fa-f0-9]{32}+"),
    # messages and people
    *_formats(
        "slack-token",
        "xoxa- xoxb- xoxp- xoxo- xoxs- xoxr- xoxe- xoxe. xapp-",
        r"[A-Za-z0-9.\-]{8,}+",
    ),
    Format(
        "slack-webhook",
        "hooks.slack.com/",
        re.compile(r"(?<=hooks\.slack\.com/)[A-Za-z0-9_/\-]{12,}+"),
    ),
    Format(
        "discord-webhook",
        "/api/webhooks/",
        re.compile(r"(?<=/api/webhooks/)[0-9]{5,30}+/[A-Za-z0-9_\-]{30,}+"),
    ),
    Format(
        "discord-token",
        ".",
        re.compile(
            rf"(?<![A-Za-z0-9_\-])[MNO]{_B64URL}{{23,25}}+\.{_B64URL}{{6}}+\.{_B64URL}{{27,}}+"
        ),
    ),
    Format("telegram-token", ":AA", re.compile(rf"(?<![0-9])[0-9]{{8,10}}+:AA{_B64URL}{{30,}}+")),
    *_formats("twilio-key", "AC SK", r"[a-z0-9]{32}+(?![A-Za-z0-9])"),
    _format("sendgrid-key", "SG.", rf"{_B64URL}{{16,}}+\.{_B64URL}{{16,}}+"),
    Format("mailchimp-key", "-us", re.compile(r"(?<![0-9a-z])[0-9a-z]{32}+-us[0-9]{1,2}+")),
    _format("mailgun-key", "key-", r"[a-f0-9]{32}+"),
    _format("brevo-key", "xkeysib-", r"[a-f0-9]{40,}+[A-Za-z0-9\-]*+"),
    *_formats("facebook-token", "EAAC EAAB EAAG", rf"{_ALNUM}{{60,}}+"),
    # operations and tools
    *_formats("vault-token", "hvs. hvb. hvr.", rf"{_B64URL}{{20,}}+"),
    Format(
        "terraform-token",
        ".atlasv1.",
        re.compile(rf"(?<![{_WORD}]){_ALNUM}{{14}}+\.atlasv1\.{_B64URL}{{40,}}+"),
    ),
    *_formats("grafana-token", "glc_ glsa_", r"[A-Za-z0-9+/=_]{32,}+"),
    *_formats("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9+/=_\-]{40,}+"),
    *_formats("newrelic-key", "NRAK- NRAL- NRJS-", rf"{_ALNUM}{{19,}}+"),
    *_formats("posthog-key", "phx_ phc_", rf"{_ALNUM}{{30,}}+"),
    _format("doppler-token", "dp.", r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{30,}+"),
    _format("dynatrace-token", "dt0", r"[a-z]01\.[A-Z0-9]{24}+\.[A-Z0-9]{64}+"),
    *_formats("dynatrace-token", "dt0c01. dt0s01.", r"[A-Z0-9.]{60,}+"),
    _format("pulumi-token", "pul-", r"[a-f0-9]{40}+"),
    *_formats("linear-key", "lin_api_ lin_oauth_", rf"{_ALNUM}{{30,}}+"),
    _format("notion-token", "ntn_", rf"{_ALNUM}{{30,}}+"),
    _format("notion-token", "secret_", rf"{_ALNUM}{{43}}+"),
    *_formats("figma-token", "figd_ figu_", rf"{_B64URL}{{30,}}+"),
    _format("postman-key", "PMAK-", r"[a-f0-9]{24}+-[a-f0-9]{34}+"),
    *_formats("tailscale-key", "tskey-", rf"{_B64URL}{{20,}}+"),
    _format("onepassword-token", "ops_", rf"{_B64URL}{{60,}}+={{0,2}}"),
    _format("circleci-token", "CCIPAT_", rf"{_B64URL}{{30,}}+"),
    _format("sourcegraph-token", "sgp_", r"[a-f0-9_]{40,}+"),
    *_formats("sonarqube-token", "squ_ sqp_ sqa_", r"[a-f0-9]{40}+"),
    _format("typeform-token", "tfp_", rf"{_B64URL}{{40,}}+"),
    Format(
        "airtable-token", "pat", re.compile(rf"(?<![{_WORD}])pat{_ALNUM}{{14}}+\.[a-f0-9]{{64}}+")
    ),
    _format("contentful-token", "CFPAT-", rf"{_B64URL}{{40,}}+"),
    _format("age-secret-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}+"),
    _format("nkey-seed", "SU", r"[A-Z2-7]{56}+(?![A-Z0-9])"),
    Format(
        "softlayer-key",
        "api.softlayer.com/soap/",
        re.compile(r"(?i:(?<=softlayer\.com/soap/)v3(?:\.1)?/[a-z0-9]{64})"),
    ),
    Format(
        "json-web-token",
        "eyJ",
        re.compile(
            r"(?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_=\-]++\.[A-Za-z0-9_=\-]++(?:\.[A-Za-z0-9_+/=\-]*+)?"
        ),
    ),
)
