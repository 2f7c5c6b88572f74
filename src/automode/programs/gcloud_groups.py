"""The command groups of gcloud: the nouns that may stand before a verb."""

from automode.programs.clients import words

TOP_GROUPS = words("""
access-approval access-context-manager active-directory ai ai-platform alloydb anthos api-gateway
apigee apihub app app-engine apphub artifacts asset assured audit-manager auth backup-dr batch
biglake bigquery bigtable billing blockchain-node-engine bms bq builds certificate-manager
cloud-shell cloudlocationfinder colab components composer compute config container
container-analysis data-catalog data-fusion database-migration dataflow dataform dataplex dataproc
datastore datastream debug deploy deployment-manager developer-connect dns docker domains
edge-cache edge-cloud emulators endpoints essential-contacts eventarc filestore firebase firestore
functions gemini gkehub healthcare hub iam iap identity ids immersive-stream infra-manager kms
kuberun language life-sciences logging looker lustre managed-kafka mcp memcache memorystore
metastore migration ml ml-engine ml-vision model-armor monitoring netapp network-connectivity
network-management network-security network-services networkconnectivity notebooks observability
oracle-database org-policies organizations parametermanager policy-intelligence policy-troubleshoot
principal-access-boundary privateca projects publicca pubsub quotas recaptcha recommender redis
resource-manager resource-settings run runtime-config saas-runtime scc scheduler secrets security
service-directory service-extensions service-health service-management services source
source-manager spanner speech sql storage storage-insights tasks telco-automation trace transcoder
transfer transfer-appliance vector-search video-intelligence vision vmware web-security workbench
workflows workspace-add-ons workstation workstations
""")

GROUPS = words("""
accelerator-types access-bindings access-levels access-points access-policies accounts addresses
agent-pools agents aggregation albums alert-policies amis analysis android api-configs api-keys
apis apks app-profiles appliances application-default application-types applications approvals apt
archive-deployments artifact artifacts assets assignments associations attached-clusters
attachments attestors audit-logs authorization-policies authorized-certificates authorized-networks
authorized-views automation-runs automations autoscaling-policies aws azure
backend-authentication-configs backend-buckets backend-services backup-channels
backup-plan-associations backup-plans backup-policies backup-restore backup-schedules backup-vaults
backups bare-metal basepath-mappings batch-jobs batches binauthz bindings bucket buckets budgets
builds ca-pools cas catalogs certificate-authorities certificate-issuance-configs
certificate-manager certificate-map-entries certificate-maps certificates channel-connections
channels chart cidr-ranges client-certs client-tls-policies clients cloud-bindings
cloud-vm-clusters clusters cmek cmek-config code-repository-indexes collections commitments
compliance-scans components composite composite-types conditions config-controller
config-management config-sync configmanagement configs configurations connection-policies
connection-profiles connections connectivity-tests connectors consent-stores consumer-groups
consumers container-images containers contexts conversations cors-policies cost crl crls
crypto-key-versions custom-classes custom-constraints custom-jobs custom-modules
custom-target-types dashboards data-collection-rules data-connectors data-policies data-products
data-sources database-operations database-types databases datascans dataset-config dataset-configs
datasets db-nodes db-servers db-system-shapes ddl default-object-access-control definitions
delivery-pipelines dependencies deploy-policies deployments descriptors developer-connect
developers dicom-stores directpath disk-types disks dns docker domain-mappings domains
edge-cache-keysets edge-cache-origins edge-cache-services ekm-config ekm-connection ekm-connections
endpoint-groups endpoint-policies endpoints entities entitlements entries entry-groups entry-types
env-types environments errors events exadata exadata-infrastructures exascale exclusions executions
explanations external-access-rules external-addresses external-vpn-gateways feature-store
feature-stores featurestores federation feeds fhir-stores fields files filestore findings
firewall-endpoint-associations firewall-endpoints firewall-policies firewall-rules fleet fleets
flex-templates flows folder-constraints folders forwarding-rules functions future-reservations
gateway-security-policies gateways generic gi-versions git-repositories git-repository-links github
gke gke-hub glossaries go google-apis google-channels googlechannelconfig grants groups grpc-routes
guest-policies guest-policy health-checks health-scores health-sources hl7v2-stores hmac
host-projects hosts hot-tablets http-filters http-health-checks http-routes https-health-checks hub
hub-routes hubs hyperparameter-tuning-jobs iam iam-policies iap iap-policy images import-jobs
inbound-saml-configs index-endpoints indexes indices insight-types insights inspect-templates
instance-configs instance-groups instance-lifecycle instance-partitions instance-settings
instance-templates instances instant-snapshot-groups instant-snapshots intercept-deployments
intercept-endpoint-groups interconnect-attachments interconnect-groups interconnect-locations
interconnect-remote-locations interconnects internal-ranges inventories inventory ios
issuance-configs issues items java job-triggers jobs keyrings keys kubernetes kubernetes-clusters
labels lake-types lakes launch-stages lb-route-extensions lb-traffic-extensions levels licenses
licensing lien liens lifecycle links listings local-repositories locations log-buckets
logical-views logs machine-images machine-types maintenance maintenance-policies managed
managed-cloud-connections managed-folders managed-identities managed-services managed-zones
management-clusters manual-recovery-points maven mcp-policies membership memberships mesh meshes
messages metadata metadata-jobs metrics metrics-scopes migration-jobs migrations
mirroring-deployments mirroring-endpoint-groups model-evaluations model-garden
model-monitoring-jobs models module-types monitored-projects monitoring monitors
multi-cloud-data-transfer-configs multicast named-schedules namespace namespaces nats
network-attachments network-edge-security-services network-endpoint-groups network-peerings
network-policies network-profiles networks nfs-exports nfs-shares node-groups node-pools
node-templates node-types nodes notebooks notes notification-channels notification-configs
notificationchannels notifications npm nvidia oauth oauth-clients objects occurrences on-demand
operation-types operations org-policies org-security-policies organizations orgs os-config
os-images os-inventory os-login os-patch-configurations os-policy-assignment-reports
os-policy-assignments os-upgrade-history packages packet-mirrorings parameters partner-metadata
patch-deployments patch-jobs peering-connections peerings perimeters peripherals
persistent-resources phrase-sets pipelines plans plugins policies policy-based-routes
policy-bindings policy-tags pools portals postgres posture-deployments posture-templates postures
predicates preference-sets preferences presets previews private-clouds private-connections
private-endpoints processes producers products profiles project-configs project-info projects
protected-resources protection-plans provider providers public-advertised-prefixes
public-delegated-prefixes python queries queues quota quota-adjuster quotas ranges rate-plans
recipients recommendations recommenders record-sets region-instance-templates regional-endpoints
regions registrations release-channels releases remote-agent replicas replication-queries
replications repo-configs repos repositories reservation reservation-blocks reservations
reservations-slots resize-requests resource resource-bundles resource-changes resource-policies
resource-policy-associations resource-records resource-value-configs resources response-policies
restore-plans restores results revisions roles rollout-kinds rollout-sequences rollouts
rollouts-plans roots route-tables routers routes rpc rule-sets rules runtimes sa samples
saved-queries saved-searches scan-configs scan-runs scheduled-queries schedules schemas scopes
search-jobs secrets security-center security-gateways security-policies security-profile-groups
security-profiles security-realms server-configs server-tls-policies service-accounts
service-attachments service-bindings service-classes service-connection-maps
service-connection-policies service-lb-policies service-level-objectives service-perimeters
service-projects services session-templates sessions settings shards shared-vpc shares sinks slos
snapshot-schedules snapshot-settings snapshots snippets snoozes sole-tenancy sole-tenant
source-repositories sources spoke-groups spokes ssl-certificates ssl-certs ssl-policies stack-types
state states storage storage-containers storage-pool-types storage-pools stored-info-types streams
studies subjects subnets subordinates subscriptions supported-database-flags supported-versions
sync-profiles syncs synonyms system-profiles tables tablets tag-bindings tag-keys tag-templates
tag-values tags target-grpc-proxies target-http-proxies target-https-proxies target-instances
target-pools target-projects target-ssl-proxies target-tcp-proxies target-vpn-gateways targets task
tasks taxonomies tcp-routes templates tenants tensorboard-experiments tensorboard-runs
tensorboard-time-series tensorboards test-cases test-runs tests tiers tls-inspection-policies
tls-routes topics tpu-vm tpus traces traffic-filters transaction triggers trust-configs trusts ttls
tunnels types unmanaged uptime uptime-checks url-lists url-maps urlmaps usages user-creds
user-workloads-config-maps user-workspaces users vaults versions views vm-clusters vmware
vmware-engine-networks volumes vpc vpc-peerings vpcs vpn vpn-gateways vpn-tunnels
wasm-plugin-versions wasm-plugins web web-app worker-pools workers workflow-templates
workforce-pools workload-identity-pools workload-sources workloads workspaces workstations xpn yum
zone zones
""")
