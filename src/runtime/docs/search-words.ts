/**
 * What people type for things that have another name here: the words of other products, and of the
 * trade. And words that tell nothing about what is asked.
 */

export const empty_words: ReadonlySet<string> = new Set(
  `a about all an and any are as at be but by can do does for from get gets has have how i if in into is
  it its me my no not of on or our own so that the their them then there this to use using was we what
  when where which why will with without you your`.split(/\s+/),
)

/** Each line: a word, and what the pages say. */
const lines = `
algolia: search retrieval
alert: metrics
apns: push
auth: login
authentication: login identity
authorization: permission role
ban: suspend disable
bullmq: jobs queue
bucket: storage
bug: error
cancel: stop
cart: shop
charge: payment capture
chatbot: inference answer
checkout: payment shop
container: process
cookie: session
cron: schedule
csv: export
currency: money
custom: own
customer: tenant account
db: postgresql database
declined: refused
deadletter: dead
deliverability: mail
delete: erase deletion
deploy: production start
dns: domain
docker: machine production
email: mail
embeddings: retrieval vectors
expired: expires
fcm: push
forgot: forgotten reset
gdpr: erase export
google: provider
grafana: metrics
hook: webhook
image: picture derivative
impersonate: support
invoice: order tax
jwks: keys token
jwt: token
kafka: events
key: keys
keycloak: provider openid
kubernetes: nodes
latency: slow
llm: model inference
logs: log
login: log_in
logout: log_out
magic: mailed
mfa: factor totp
migrate: import
moderation: report moderator
monitoring: metrics health
mute: mutes block
network: connection
node: javascript
oauth: login_for_your_apps client
oidc: openid provider
okta: provider openid
openai: model inference
otp: totp code
paid: payment captured
pagination: cursor lists
pagerduty: metrics
passkey: passkeys
paypal: payments provider
pdf: document
permission: role
permissions: roles
pitr: backup
plan: subscription
presigned: signed upload
prometheus: metrics
queue: jobs
quickstart: getting_started
rag: retrieval answers
redis: postgresql
resize: derivatives
restart: stopping
rls: tenant
rotate: new
s3: storage bucket upload
saml: provider
scale: nodes sizing
sdk: client
signup: register
sign: register signature
sms: sms
spam: mail
spend: cost budget quota
sso: provider organization
stripe: payments
stuck: waits pending
subscription: subscriptions
supabase: tenant
svix: webhooks
tax: taxes
temporal: workflows
throttle: rate
thumbnails: derivatives
timezone: time_zone
token: tokens
twilio: sms
typescript: client
upgrade: version
uptime: health
user: person account
users: people accounts
vat: tax
vector: retrieval
websocket: socket
widget: element elements
whitelist: allowed
zendesk: support
`

export const other_words: ReadonlyMap<string, readonly string[]> = new Map(
  lines
    .trim()
    .split('\n')
    .map(line => {
      const [word = '', others = ''] = line.split(': ')
      return [word, others.split(' ')] as const
    }),
)
