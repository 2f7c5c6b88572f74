"""The rules of the source that we do not take over, and why. All others must be translatable."""

_READABLE = """
adobe-client-id aikido-client-id algolia-application-id artifactory-jfrog-url asana-client-id
auth0-client-id.1 auth0-domain.1 azure-client-id azure-storage-account-name azure-tenant-id
bitbucket-client-id browserstack-username.1 canva-client-id clickhouse-cloud-key-id
cloudflare-account-id.1 cloudinary-api-key cloudinary-cloud-name devcycle-client-sdk-key
devcycle-mobile-sdk-key discord-client-id ebay-client-id flutterwave-public-key
langfuse-public-key.1 lark-app-id linkedin-client-id lob-pub-api-key looker-client-id
mailgun-pub-key messagebird-client-id miro-client-id mongodb-atlas-service-account-id
mux-access-token-id.1 new-relic-user-api-id paypal-client-id.1 plaid-client-id planetscale-id
plivo-auth-id polymarket-address ramp-client-id razorpay-key-id.1 salesforce-instance-url.1
sendbird-access-id snowflake-account-host.1 sumologic-access-id supabase-project-url
tableau-personal-access-token-name.1 tableau-server-host.1 upstash-redis-rest-url.1 wiz-client-id.1
zoho-client-id.1
hcpclientcredentials-client-id packagistorgreadtoken-repository packagistorgupdatetoken-repository
"""
_VAGUE = """
alibaba-secret-key alibaba-sts-access-key-secret alibaba-sts-security-token aws-secret-access-key
aws-session-token freemius-secret-key hashicorp-tf-password polymarket-passphrase
bitwardenoauth2access cloudflareapitoken hcpclientcredentials
"""
_WHOLE_DOCUMENTS = """
gcp-application-default-credentials gcp-service-account kubernetes-secret-yaml
"""
_BY_PLACE = """
curl-auth-header curl-auth-user generic-credential-uri mongodb-connection-string
nuget-config-password private-key
sidekiq-sensitive-url bitbucketcredentials codecatalystcredentials codecommitcredentials
"""
_WITH_THE_ADDRESS = """
azure-servicebus-connection-string gitlab-incoming-mail-address-token microsoft-teams-webhook
slack-webhook-url
"""
_OUR_ROW = """
azure-storage-account-key facebook-access-token jwt temporal-cloud-api-key.1
vault-service-token zai-api-key
"""
_ORDINARY_CODE = """
alibaba-sts-access-key-id
"""

REASONS = (
    ("names an account, a host or a public key: a judge must be able to read it", _READABLE),
    (
        "says too little without the filters of the source; `redaction.py` finds telling names",
        _VAGUE,
    ),
    (
        "reads whole documents, in more than linear time; what has a telling name in them is found",
        _WHOLE_DOCUMENTS,
    ),
    ("found by `redaction.py` by its place: in an address, a header, a PEM", _BY_PLACE),
    ("hides the address with the secret; our row leaves the address readable", _WITH_THE_ADDRESS),
    ("too slow, without a mark, or too wide; our row for it does better", _OUR_ROW),
    ("matches names in ordinary code, such as `STS.` and a method", _ORDINARY_CODE),
)

LEFT_OUT = {rule: reason for reason, rules in REASONS for rule in rules.split()}
