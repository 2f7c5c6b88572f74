"""One secret of each kind that must be found, put together here: no file holds a whole one."""

from itertools import cycle, islice

from automode.classifier.redaction import Redactor
from automode.classifier.secret_formats import find_secrets
from tests.rows import each_row


def _run(letters: str, length: int) -> str:
    return "".join(islice(cycle(letters), length))


def hexa(length: int) -> str:
    return _run("9f3a7c1e5b2d8046", length)


def mixed(length: int) -> str:
    return _run("a9Kd3Zq7Rb1Xw5Ty8Lm2", length)


def large(length: int) -> str:
    return _run("Q7XK2MZ5RT3WNB4P", length)


def small(length: int) -> str:
    return _run("k3x9q7zb2m5w8tn4", length)


def digits(length: int) -> str:
    return _run("4829173650", length)


def letters(length: int) -> str:
    return _run("aKdZqRbXwTyLmNoP", length)


def base64(length: int) -> str:
    return _run("aB3+xY7/kL9mQ2w0", length)


def uuid() -> str:
    return "-".join(map(hexa, (8, 4, 4, 4, 12)))


_SLACK_NUMBERS = "-".join((digits(12), digits(12), digits(12)))

# Every kind that the first table, which was our own, could find.
SAMPLES = (
    *(mark + large(16) for mark in ("AKIA", "ASIA", "ABIA", "ACCA")),
    "A3T" + large(17),
    "AKIA" + _run("10X8Q9", 16),
    "ABSK" + mixed(132),
    "bedrock-api-key-" + mixed(120),
    "AIza" + mixed(35),
    "GOCSPX-" + mixed(28),
    "ya29." + mixed(120),
    "1//0" + mixed(60),
    "AccountKey=" + base64(86) + "==",
    "SharedAccessKey=" + base64(43) + "=",
    "sig=" + mixed(46) + "%3D",
    "Ab38Q~" + mixed(34),
    "LTAI" + mixed(12),
    "LTAI" + mixed(20),
    *(mark + hexa(64) for mark in ("dop_v1_", "doo_v1_", "dor_v1_")),
    "HRKU-" + uuid(),
    "HRKU-AA" + mixed(58),
    "dapi" + hexa(32),
    *(mark + mixed(43) for mark in ("pscale_tkn_", "pscale_pw_", "pscale_oauth_")),
    "v1.0-" + hexa(24) + "-" + hexa(146),
    "vcp_" + mixed(56),
    "nfp_" + mixed(36),
    "sbp_" + hexa(40),
    "sb_secret_" + mixed(31),
    *(mark + mixed(36) for mark in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    "github_pat_" + mixed(22) + "_" + mixed(59),
    *(mark + mixed(20) for mark in ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glffct-")),
    "glcbt-64_" + mixed(20),
    "glimt-" + mixed(25),
    "glptt-" + hexa(40),
    "glagent-" + mixed(50),
    "gloas-" + mixed(64),
    "GR1348941" + mixed(20),
    "ATBB" + mixed(32),
    *(mark + mixed(186) for mark in ("ATATT3", "ATCTT3")),
    "npm_" + mixed(36),
    "//registry.example/:_authToken=" + uuid(),
    "pypi-AgEIcHlwaS5vcmc" + mixed(150),
    "pypi-AgENdGVzdC5weXBpLm9yZw" + mixed(150),
    "rubygems_" + hexa(48),
    "oy2" + small(43),
    "dckr_pat_" + mixed(27),
    "dckr_oat_" + mixed(32),
    "SWMTKN-1-" + small(50) + "-" + small(25),
    "CLOJARS_" + small(60),
    "AKCp" + mixed(69),
    "AKC" + mixed(20),
    "cio" + mixed(32),
    "sk-ant-api03-" + mixed(93) + "AA",
    "sk-ant-oat01-" + mixed(93) + "AA",
    *("sk-" + mark + mixed(74) for mark in ("proj-", "svcacct-", "admin-", "")),
    "sk-or-v1-" + hexa(64),
    "gsk_" + mixed(52),
    "xai-" + mixed(80),
    "pplx-" + mixed(48),
    "tvly-" + mixed(32),
    "r8_" + mixed(37),
    "fw_" + mixed(24),
    "csk-" + small(48),
    "nvapi-" + mixed(64),
    "tgp_v1_" + mixed(43),
    "hf_" + letters(34),
    "hf_" + mixed(34),
    "api_org_" + letters(34),
    *(mark + mixed(24) for mark in ("sk_live_", "sk_test_", "rk_live_", "rk_test_")),
    "whsec_" + mixed(32),
    *(mark + mixed(22) for mark in ("sq0atp-", "sq0idp-")),
    "sq0csp-" + mixed(43),
    "EAAA" + mixed(60),
    "access_token$production$" + small(16) + "$" + hexa(32),
    *(mark + hexa(32) for mark in ("shpat_", "shpca_", "shppa_", "shpss_")),
    "xoxa-2-" + _SLACK_NUMBERS + "-" + hexa(32),
    "xoxb-" + digits(12) + "-" + digits(13) + "-" + mixed(24),
    "xoxp-" + _SLACK_NUMBERS + "-" + hexa(32),
    *(mark + _SLACK_NUMBERS + "-" + hexa(10) for mark in ("xoxo-", "xoxs-")),
    "xoxr-" + mixed(40),
    "xoxe-1-" + mixed(146),
    "xoxe.xoxb-1-" + mixed(164),
    "xapp-1-A" + large(10) + "-" + digits(13) + "-" + hexa(64),
    "https://hooks.slack.com/services/T" + large(8) + "/B" + large(10) + "/" + mixed(24),
    "https://discord.com/api/webhooks/" + digits(18) + "/" + mixed(68),
    "M" + mixed(23) + "." + mixed(6) + "." + small(38),
    digits(10) + ":AA" + mixed(33),
    *(mark + hexa(32) for mark in ("AC", "SK")),
    "SG." + mixed(22) + "." + mixed(43),
    hexa(32) + "-us14",
    "key-" + hexa(32),
    "xkeysib-" + hexa(64) + "-" + mixed(16),
    *(mark + mixed(160) for mark in ("EAAC", "EAAB", "EAAG")),
    *(mark + mixed(95) for mark in ("hvs.", "hvb.", "hvr.")),
    mixed(14) + ".atlasv1." + mixed(67),
    "glc_" + mixed(120) + "==",
    "glsa_" + mixed(32) + "_" + hexa(8),
    "sntrys_eyJpYXQiO" + mixed(60) + "LCJyZWdpb25fdXJs" + mixed(40) + "_" + mixed(43),
    "sntryu_" + hexa(64),
    *(mark + mixed(27) for mark in ("NRAK-", "NRAL-", "NRII-", "NRJS-")),
    *(mark + mixed(43) for mark in ("phx_", "phc_")),
    *(f"dp.{kind}." + mixed(43) for kind in ("pt", "st", "ct", "sa", "scim", "audit")),
    *(mark + large(24) + "." + large(64) for mark in ("dt0c01.", "dt0s01.")),
    "pul-" + hexa(40),
    "lin_api_" + mixed(40),
    "lin_oauth_" + hexa(64),
    "ntn_" + digits(11) + mixed(35),
    "secret_" + mixed(43),
    *(mark + mixed(40) for mark in ("figd_", "figu_")),
    "PMAK-" + hexa(24) + "-" + hexa(34),
    "tskey-auth-" + mixed(12) + "-" + mixed(32),
    "ops_eyJ" + mixed(260),
    "CCIPAT_" + mixed(22) + "_" + hexa(40),
    "sgp_" + hexa(16) + "_" + hexa(40),
    *(mark + hexa(40) for mark in ("squ_", "sqp_", "sqa_")),
    "tfp_" + mixed(44) + "_" + mixed(14),
    "pat" + mixed(14) + "." + hexa(64),
    "CFPAT-" + mixed(43),
    "AGE-SECRET-KEY-1" + _run("QPZRY9X8GF2TVDW0", 58),
    "SU" + _run("AKQ7XB2M5RWZ3NTL", 56),
    "http://api.softlayer.com/soap/v3.1/" + hexa(64),
    ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", mixed(43))),
)

# Some of what came with the maintained source, and what we add where it is left out.
MORE = (
    "AGE-SECRET-KEY-PQ-1" + large(58),
    "CAIS" + base64(300),
    "FLWSECK-" + hexa(32) + "-X",
    "dt0s02." + large(8) + "." + large(64),
    "fc-" + hexa(32),
    "jina_" + mixed(60),
    "key_" + hexa(64),
    "packagist_uut_" + hexa(68),
    "pat-na1-" + uuid(),
    "phs_" + mixed(43),
    "sk_" + hexa(48),
    "sl." + mixed(135),
    "slk_" + hexa(64),
    "v1.0-" + hexa(64) + "-" + hexa(160),
    mixed(76) + "AZDO" + small(4),
    base64(76) + "+ASt" + mixed(4) + "==",
    "s." + mixed(24),
    "A3-" + large(6) + "-" + large(11) + "-" + "-".join((large(5), large(5), large(5))),
    "AIK_CI_" + mixed(24),
    "apify_api_" + mixed(36),
    "bkua_" + small(40),
    "cfut_" + mixed(40) + hexa(8),
    "configcat-sdk-1/" + mixed(22) + "/" + mixed(22),
    "glpat-" + mixed(27) + ".01." + small(9),
    "lsv2_pt_" + hexa(32) + "_" + hexa(10),
    "napi_" + mixed(64),
    "packagist_ort_" + hexa(68),
    "pcsk_" + mixed(5) + "_" + mixed(63),
    "re_" + mixed(8) + "_" + mixed(24),
    "sha256~" + mixed(43),
    "wandb_v1_" + mixed(77),
    "xnd_production_" + mixed(60),
    digits(15) + "|" + mixed(30),
    hexa(32) + "." + mixed(16),
    "https://x.webhook.office.com/webhookb2/"
    + uuid()
    + "@"
    + uuid()
    + "/IncomingWebhook/"
    + hexa(32),
    "ADAFRUIT_IO = '" + mixed(32) + "'",
    'datadog: "' + hexa(32) + '"',
    "heroku_id=" + uuid(),
    '<add key="snyk.api.token">' + uuid(),
    "Endpoint=https://x.azconfig.io;Id=ab12;Secret=" + base64(43) + "=",
    'key: "' + base64(86) + '=="',
)


@each_row("secret", [*SAMPLES, *MORE])
def test_a_sample_is_replaced_wherever_it_stands(secret: str) -> None:
    tail = secret[-9:]  # the address before a secret may stay
    for text in (
        secret,
        f"x '{secret}' y",
        f"curl -d {secret}; ls",
        f"a\n{secret}\nb",
        f"({secret})",
    ):
        shown = Redactor(b"k").text(text)

        assert tail not in shown
        assert "[secret:" in shown


@each_row("secret", [*SAMPLES, *MORE])
def test_two_with_one_space_between_them_are_both_found(secret: str) -> None:
    assert len(find_secrets(f"{secret} {secret}")) == 2 * len(find_secrets(secret)) > 0
