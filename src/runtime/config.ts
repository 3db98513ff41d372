/**
 * The one typed configuration: a table, one line a setting (name, kind, default, unit, sentence). Every
 * setting is the environment variable of its name in capitals, and every limit among them is an entry
 * of `GET /v1/limits`. A name or value that is not understood stops the start with a sentence that helps.
 */
import { resolve } from 'node:path'
import { suggestion } from '../kernel/errors/did-you-mean.ts'
import { StartError } from '../kernel/errors/start-error.ts'
import { settings as notifications } from '../surfaces/notifications/settings.ts'

type Number_ = {
  kind: 'number'
  default: number
  unit: string
  says: string
  min: number
  max: number
}
type Flag = { kind: 'flag'; default: boolean | 'production' | 'development'; says: string }
type List = { kind: 'list'; default: readonly string[]; says: string }
type Numbers = { kind: 'numbers'; default: readonly number[]; unit: string; says: string }
type Text = {
  kind: 'text'
  default: string | null
  says: string
  secret?: true
  oneOf?: readonly string[]
}
type Setting = Number_ | Flag | List | Numbers | Text

const count = (fallback: number, unit: string, says: string, min = 0, max = 2 ** 40): Number_ => ({
  kind: 'number',
  default: fallback,
  unit,
  says,
  min,
  max,
})
const flag = (fallback: Flag['default'], says: string): Flag => ({
  kind: 'flag',
  default: fallback,
  says,
})
const list = (says: string): List => ({ kind: 'list', default: [], says })
const numbers = (fallback: readonly number[], unit: string, says: string): Numbers => ({
  kind: 'numbers',
  default: fallback,
  unit,
  says,
})
const text = (says: string, fallback: string): Text & { default: string } => ({
  kind: 'text',
  default: fallback,
  says,
})
const secret = (says: string): Text => ({ kind: 'text', default: null, says, secret: true })

// prettier-ignore
const table = {
  'kernel.database_direct_url': secret('Address of PostgreSQL itself, where DATABASE_URL leads through a transaction pooler'),
  'kernel.database_pool': count(10, 'connections', 'Connections of one process to the database', 2, 500),
  'kernel.database_wait_ms': count(2000, 'ms', 'Wait for a free connection before answering 503 overloaded', 10, 60_000),
  'kernel.statement_timeout_ms': count(5000, 'ms', 'Longest time of one SQL statement', 100, 600_000),
  'kernel.trusted_proxies': list('Addresses or networks whose X-Forwarded-For is believed'),
  'kernel.cors_origins': list('Origins that browsers may call from'),
  'kernel.keyring': secret('Keys as kid:base64 of 32 bytes, comma-separated, the current one first'),
  'kernel.pepper': secret('Key of the hashes that must stay equal for ever (base64 of 32 bytes)'),
  'kernel.body_limit_bytes': count(1024 * 1024, 'bytes', 'Largest JSON body, where a route does not say otherwise', 1024, 2 ** 30),
  'kernel.rate_read_per_minute': count(600, 'requests/min', 'Reads of one principal', 1),
  'kernel.rate_write_per_minute': count(120, 'requests/min', 'Writes of one principal', 1),
  'kernel.rate_expensive_per_minute': count(20, 'requests/min', 'Expensive requests of one principal', 1),
  'kernel.rate_webhook_in_per_minute': count(600, 'requests/min', 'Inbound webhooks of one provider account', 1),
  'kernel.rate_tenant_factor': count(10, 'times', 'What a whole tenant may do, as a multiple of one principal', 1),
  'kernel.rate_factor': count(1, 'times', 'Multiplies every request rate of the platform', 0.001, 1e9),
  'kernel.throttle_loopback': flag('production', 'Whether network buckets count callers on this machine'),
  'kernel.overload_delay_ms': count(500, 'ms', 'Delay of the event loop above which requests are answered 503 overloaded', 10, 60_000),
  'kernel.idempotency_retention_hours': count(168, 'hours', 'How long recorded outcomes are replayed', 24, 24 * 400),
  'kernel.idempotency_wait_ms': count(2000, 'ms', 'Wait for a rival request with the same key before 409', 0, 30_000),
  'kernel.events_retention_days': count(30, 'days', 'How long the event log is kept', 1, 3650),
  'kernel.inbox_retention_days': count(35, 'days', 'How long processed event ids are remembered', 1, 3650),
  'kernel.park_schedule': numbers([1, 5, 30, 120, 600], 's', 'Waits before a failing event is tried again'),
  'kernel.drain_seconds': count(-1, 's', 'Time between "not ready" and closing (-1: 0 in development, 5 in production)', -1, 300),
  'kernel.shutdown_seconds': count(30, 's', 'Longest time of a shutdown', 1, 600),
  'kernel.sse_heartbeat_seconds': count(15, 's', 'Comment sent on a quiet event stream', 1, 300),
  'kernel.sse_stall_seconds': count(30, 's', 'Longest silence of an upstream, or of a reader, on an event stream', 1, 600),
  'kernel.event_sink': { ...text('Where the event log is also published: none or nats', 'none'), oneOf: ['none', 'nats'] },
  'kernel.nats_url': text('Address of the NATS server', 'nats://127.0.0.1:4222'),
  'kernel.sandbox': flag('development', 'Starts the sandbox: mail, SMS and providers that only exist on this machine'),
  'kernel.faults': text('Fault points set at the start, such as kernel.after_commit=kill@3 (development only)', ''),
  'identity.access_ttl_seconds': count(300, 's', 'Life of an access token', 10, 3600),
  'identity.refresh_ttl_seconds': count(14 * 86_400, 's', 'Longest pause between two refreshes of a session', 60),
  'identity.session_max_seconds': count(30 * 86_400, 's', 'Longest life of a session', 60),
  'identity.refresh_grace_seconds': count(10, 's', 'How long a used refresh token still answers with its successor', 0, 60),
  'identity.refresh_grace_replays': count(30, 'replays', 'How often a used refresh token answers with its successor', 0, 1000),
  'identity.refresh_prune_seconds': count(86_400, 's', 'How long used refresh tokens are kept as rows', 1),
  'identity.verification_ttl_seconds': count(86_400, 's', 'Life of a registration and of its mailed token', 60),
  'identity.reset_ttl_seconds': count(1800, 's', 'Life of a mailed password reset token', 60),
  'identity.invitation_ttl_seconds': count(7 * 86_400, 's', 'Life of a mailed invitation', 60),
  'identity.mfa_challenge_ttl_seconds': count(300, 's', 'Life of a second-factor challenge', 10),
  'identity.mfa_method_ttl_seconds': count(600, 's', 'Time to activate a new second factor', 10),
  'identity.step_up_seconds': count(600, 's', 'How fresh an authentication must be for dangerous acts', 1),
  'identity.oidc_state_ttl_seconds': count(600, 's', 'Time to log in at an identity provider', 10),
  'identity.oidc_ticket_ttl_seconds': count(60, 's', 'Life of a ticket from an identity provider', 5),
  'identity.device_ttl_seconds': count(180 * 86_400, 's', 'How long a device stays known after a login', 60),
  'identity.sessions_per_account': count(100, 'sessions', 'Live sessions of an account; the oldest is revoked', 1, 10_000),
  'identity.api_keys_per_account': count(20, 'keys', 'Active API keys of an account', 1, 10_000),
  'identity.roles_per_tenant': count(100, 'roles', 'Roles that a tenant defines for itself', 1, 10_000),
  'identity.mfa_methods_per_account': count(10, 'factors', 'Second factors of an account', 1, 100),
  'identity.pending_registrations_per_email': count(3, 'registrations', 'Registrations of one address that wait for a proof', 1, 100),
  'identity.body_limit_bytes': count(16 * 1024, 'bytes', 'Largest body of an identity request', 1024, 2 ** 20),
  'identity.hash_max_ms': count(60, 'ms', 'Time that one password hash may take where the cost is chosen', 1, 5000),
  'identity.hash_queue': count(64, 'hashes', 'Password hashes that wait in one process', 1, 10_000),
  'identity.hash_wait_ms': count(2000, 'ms', 'Wait for a password hash before 503 overloaded', 10, 60_000),
  'identity.login_account_burst': count(5, 'attempts', 'Wrong passwords for one account in a row', 1, 10_000),
  'identity.login_account_interval_seconds': count(30, 's', 'Time in which one more attempt is granted for an account', 0.001, 86_400),
  'identity.login_device_burst': count(10, 'attempts', 'Wrong passwords from one known device in a row', 1, 10_000),
  'identity.login_network_burst': count(30, 'attempts', 'Wrong passwords from one network in a row', 1, 1_000_000),
  'identity.login_network_interval_seconds': count(10, 's', 'Time in which one more attempt is granted for a network', 0.001, 86_400),
  'identity.mfa_attempts_per_hour': count(20, 'attempts', 'Second-factor attempts of one account in an hour', 1, 100_000),
  'identity.registrations_per_hour': count(10, 'registrations', 'Registrations from one network in an hour', 1, 1_000_000),
  'identity.registrations_per_email_per_hour': count(3, 'registrations', 'Registrations of one address in an hour', 1, 1_000_000),
  'identity.resets_per_hour': count(20, 'requests', 'Password reset requests from one network in an hour', 1, 1_000_000),
  'identity.resets_per_email_per_hour': count(3, 'requests', 'Password reset requests for one address in an hour', 1, 1_000_000),
  'identity.refreshes_per_minute': count(60, 'refreshes', 'Refreshes of one session in a minute', 1, 1_000_000),
  'identity.security_events_retention_days': count(400, 'days', 'How long security events are kept', 30, 4000),
  'identity.require_verified_email': flag('production', 'An account exists only after its address was proven'),
  'identity.admin_requires_mfa': flag('production', 'Administrative permissions count only with a second factor'),
  'identity.email_scope': { ...text('Whether an address is one account on the platform (global) or in each tenant', 'global'), oneOf: ['global', 'tenant'] },
  'identity.tenant_from': { ...text('What names the tenant of a login: the body, or the host name', 'body'), oneOf: ['body', 'host'] },
  'identity.issuer': secret('Issuer of tokens, where it is not PUBLIC_URL'),
  'identity.link_base': secret('Where the links in mails lead, where it is not PUBLIC_URL/console'),
  'identity.redirect_uris': list('Addresses that a login at an identity provider may return to, exactly'),
  'identity.oidc_providers': secret('Identity providers as JSON, or the path of a file that holds it'),
  'identity.smtp_url': secret('Mail server for identity mails, such as smtps://user:password@mail.example.com'),
  'identity.mail_from': text('Sender of identity mails', 'Dodeca <no-reply@dodeca.localhost>'),
  'jobs.concurrency': count(20, 'jobs', 'Jobs that one process runs at once', 1, 10_000),
  'jobs.claim_batch': count(100, 'jobs', 'Jobs that one claim takes at most', 1, 1000),
  'jobs.poll_ms': count(1000, 'ms', 'How often a runner looks for work without being woken', 10, 60_000),
  'jobs.lease_seconds': count(30, 's', 'Lease of an attempt, where its type does not say otherwise', 1, 900),
  'jobs.lease_losses': count(3, 'losses', 'Lost leases after which a job fails as worker_lost', 1, 100),
  'jobs.timeout_seconds': count(600, 's', 'Longest time of one attempt, where its type does not say otherwise', 1, 30 * 86_400),
  'jobs.max_attempts': count(5, 'attempts', 'Attempts of a job, where its type does not say otherwise', 1, 50),
  'jobs.backoff_base_ms': count(2000, 'ms', 'Longest wait before the second attempt; it doubles with each one', 1, 3_600_000),
  'jobs.backoff_cap_ms': count(900_000, 'ms', 'Longest wait before any attempt', 1, 86_400_000),
  'jobs.cancel_grace_seconds': count(30, 's', 'Time to stop at a safe point after a cancel or a deadline', 0, 3600),
  'jobs.stop_grace_seconds': count(10, 's', 'Time that running jobs have when their process stops', 0, 600),
  'jobs.tenant_running': count(1000, 'jobs', 'Jobs of a tenant that run at once', 1, 1_000_000),
  'jobs.tenant_waiting': count(100_000, 'jobs', 'Jobs of a tenant that wait', 1, 100_000_000),
  'jobs.parameters_bytes': count(16 * 1024, 'bytes', 'Parameters of a job as JSON', 256, 2 ** 20),
  'jobs.schema_bytes': count(32 * 1024, 'bytes', 'One JSON Schema of a job type', 256, 2 ** 20),
  'jobs.schedule_ahead_days': count(366, 'days', 'How far ahead a job may be scheduled', 1, 3660),
  'jobs.progress_kept': count(1000, 'entries', 'Entries of progress that are kept of a job', 1, 1_000_000),
  'jobs.progress_retention_days': count(7, 'days', 'How long the progress of an ended job is kept', 1, 3650),
  'jobs.result_limit_bytes': count(32 * 2 ** 20, 'bytes', 'Largest result that a worker stores as bytes', 1024, 2 ** 30),
  'jobs.result_url_seconds': count(300, 's', 'How long the address of a result can be used', 10, 86_400),
  'jobs.watch_max_per_principal': count(20, 'streams', 'Event streams of jobs that one principal has open', 1, 100_000),
  'jobs.watch_seconds': count(3600, 's', 'Longest life of one event stream of a job', 1, 86_400),
  'jobs.schedule_catch_up_max': count(100, 'runs', 'Missed runs of a schedule that are made up for at once', 1, 10_000),
  'jobs.schedules_per_tenant': count(100, 'schedules', 'Schedules of a tenant', 1, 100_000),
  'jobs.results_retention_days': count(7, 'days', 'How long results are kept', 1, 3650),
  'jobs.retention_days': count(30, 'days', 'How long ended jobs are kept', 1, 3650),
  'links.code_length': count(8, 'characters', 'Length of random codes, where a request does not say otherwise', 7, 32),
  'links.reserved': list('Further codes that nobody may take as an alias'),
  'links.short_hosts': list('Hosts beside PUBLIC_URL that serve the links of the platform; the first is shown in short addresses'),
  'links.extra_suffixes': list('Suffixes beside the public ones under which destinations and domains are accepted'),
  'links.ip_destinations': flag(false, 'Destinations may be public IP addresses'),
  'links.protected_hosts': list('Hosts beside the built-in ones whose look-alikes are suspicious'),
  'links.expiry_min_seconds': count(60, 's', 'Nearest expiry of a link', 1),
  'links.expiry_max_days': count(3653, 'days', 'Farthest expiry of a link', 1, 36_525),
  'links.creates_per_minute': count(60, 'links/min', 'Links that one owner makes in a minute', 1, 1e9),
  'links.creates_per_day': count(10_000, 'links/day', 'Links that one owner makes in a day', 1, 1e9),
  'links.body_limit_bytes': count(16 * 1024, 'bytes', 'Largest body of a request about links, but for a batch', 1024, 2 ** 20),
  'links.list_rows': count(10_000, 'links', 'Links that one request for a list looks at; where few of them match, a page ends before it is full, and the next one goes on', 10, 1e6),
  'links.domains_per_owner': count(10, 'domains', 'Domains of one owner', 1, 100_000),
  'links.verification_ttl_seconds': count(7 * 86_400, 's', 'Time to prove a new domain', 60),
  'links.verifications_per_minute': count(6, 'attempts/min', 'Attempts to prove one domain in a minute', 1, 1e6),
  'links.domain_check_seconds': count(86_400, 's', 'Time between two looks at the DNS record of a domain', 60),
  'links.domain_misses': count(3, 'looks', 'Looks in a row without the DNS record before a domain is suspended', 1, 100),
  'links.dns_servers': list('DNS servers (address or address:port) that are asked for the records of domains; none: those of the system'),
  'links.reports_per_hour': count(10, 'reports/h', 'Abuse reports from one network in an hour', 1, 1e6),
  'links.reports_retention_days': count(365, 'days', 'How long abuse reports are kept', 1, 3650),
  'links.young_report_hours': count(24, 'hours', 'How long a report makes new links to the same destination suspicious', 0, 8760),
  'links.blocklist_patterns': count(100, 'patterns', 'Patterns on the blocklist; each is compared with every new destination', 0, 10_000),
  'links.url_reputation': { ...text('Who is asked about destinations beside the built-in rules: none or web_risk', 'none'), oneOf: ['none', 'web_risk'] },
  'links.web_risk_url': secret('Address of the Web Risk API, where it is not https://webrisk.googleapis.com'),
  'links.web_risk_key': secret('Key of the Web Risk API'),
  'links.cache_entries': count(200_000, 'links', 'Links that one process redirects from memory', 100, 10_000_000),
  'links.absent_entries': count(50_000, 'codes', 'Unknown codes that one process remembers for five seconds', 100, 10_000_000),
  'links.misses_per_minute': count(60, 'requests/min', 'Requests of one network for codes that lead nowhere', 1, 1e9),
  'links.stale_if_db_down_seconds': count(0, 's', 'How long redirects go on from memory while the database cannot be asked; a deleted link may work as long', 0, 86_400),
  'links.country_header': text('Header in which a trusted proxy names the country of the visitor, such as cf-ipcountry', ''),
  'links.click_spool': flag(true, 'Clicks wait for the database in files of DATA_DIR, so that the end of a process loses none'),
  'links.click_spool_bytes': count(256 * 1024 * 1024, 'bytes', 'Largest size of the spool of one process; further clicks are lost and counted', 1024, 2 ** 40),
  'links.click_retention_days': count(90, 'days', 'How long single clicks are kept; their daily sums stay', 1, 3650),
  'links.purge': { ...text('Who is told to forget a changed link at the edge: none, purge (HTTP PURGE) or webhook', 'none'), oneOf: ['none', 'purge', 'webhook'] },
  'links.purge_url': secret('Address of the edge cache, or of the webhook'),
  'webhooks.sender_enabled': flag(true, 'Whether worker processes send webhooks'),
  'webhooks.retry_schedule': numbers([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400], 's', 'Waits before each attempt of a delivery'),
  'webhooks.max_event_age_seconds': count(96 * 3600, 's', 'Age from which a delivery is not tried again; time on hold does not count', 1),
  'webhooks.max_held_age_seconds': count(14 * 86_400, 's', 'Age from which a delivery is not tried again, whatever was on hold', 1),
  'webhooks.allow_http': flag('development', 'Whether endpoints without TLS may be sent to'),
  'webhooks.allowed_ports': text('Ports of endpoints, and ranges such as 8000-8999', '443,8443'),
  'webhooks.allowed_private_cidrs': list('Private nets (10.1.0.0/16) or places (127.0.0.1:9000) that may be sent to'),
  'webhooks.dns_servers': list('DNS servers that resolve endpoints, where not those of the system'),
  'webhooks.timeouts': text('Longest time of each phase of an attempt, in ms', 'dns:2000,connect:3000,tls:3000,write:5000,first_byte:10000,body:5000,total:20000'),
  'webhooks.breaker': text('When a failing endpoint is left alone, and for how long', 'failures:10,open_ms:30000,max_open_ms:900000'),
  'webhooks.degraded_seconds': count(86_400, 's', 'Time without success after which a subscription counts as degraded', 1),
  'webhooks.auto_disable_seconds': count(5 * 86_400, 's', 'Time without success after which a subscription is disabled', 1),
  'webhooks.lease_seconds': count(30, 's', 'How long a sender holds endpoints and deliveries without a sign of life', 2, 600),
  'webhooks.in_flight': count(512, 'requests', 'Webhooks under way in one process', 1, 10_000),
  'webhooks.in_flight_slow': count(128, 'requests', 'Webhooks under way to slow endpoints in one process', 1, 10_000),
  'webhooks.max_subscriptions': count(100, 'subscriptions', 'Webhook subscriptions of a tenant', 1, 20_000),
  'webhooks.verifications_per_hour': count(10, 'challenges', 'Challenges that are sent to one subscription in an hour', 1, 100_000),
  'webhooks.replay_per_minute': count(10, 'replays', 'Replays of one subscription in a minute', 1, 1_000_000),
  'webhooks.replay_tenant_per_minute': count(100, 'replays', 'Replays of a tenant in a minute', 1, 1_000_000),
  'webhooks.replay_deliveries_max': count(100_000, 'deliveries', 'Deliveries that one replay of a subscription sends again', 1, 10_000_000),
  'webhooks.deliveries_retention_days': count(90, 'days', 'How long deliveries are kept', 7, 3650),
  'webhooks.attempts_retention_days': count(30, 'days', 'How long attempts of deliveries are kept', 7, 3650),
  'webhooks.inbound_max_bytes': count(1024 * 1024, 'bytes', 'Largest inbound webhook; 25 MiB where the scheme is github', 1024, 2 ** 25),
  'webhooks.inbound_ack_ms': count(5000, 'ms', 'Time in which an inbound webhook is stored, before the provider is told to come again', 100, 60_000),
  'webhooks.inbound_tolerance_seconds': count(300, 's', 'Age of an inbound webhook, where its source does not say otherwise', 0, 86_400),
  'webhooks.receipts_retention_days': count(400, 'days', 'How long receipts of inbound webhooks are kept; a repeat is known as long', 1, 3650),
  'webhooks.receipt_payloads_retention_days': count(30, 'days', 'How long the bytes of inbound webhooks are kept', 1, 3650),
  'webhooks.keyring': secret('A keyring of its own for the secrets of webhooks'),
  ...notifications,
} as const satisfies Record<string, Setting>

type Value<S> = S extends { kind: 'number' }
  ? number
  : S extends { kind: 'flag' }
    ? boolean
    : S extends { kind: 'list' }
      ? readonly string[]
      : S extends { kind: 'numbers' }
        ? readonly number[]
        : S extends { default: string }
          ? string
          : string | null
export type SettingName = keyof typeof table
export type Settings = { readonly [N in SettingName]: Value<(typeof table)[N]> }

export type Limit = {
  name: string
  value: number | boolean | number[]
  unit: string
  default: number | boolean | number[]
  applies_to: string
}

export type Profile = 'development' | 'production'
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export type Config = {
  readonly database_url: string | null
  readonly host: string
  readonly port: number
  readonly public_url: string
  readonly data_dir: string
  readonly profile: Profile
  readonly roles: readonly ('api' | 'worker')[]
  readonly log_level: LogLevel
  readonly admin_email: string | null
  readonly admin_password: string | null
  readonly otel_endpoint: string | null
  readonly settings: Settings
  readonly limits: readonly Limit[]
}

type Environment = Readonly<Record<string, string | undefined>>

const prefixes =
  /^(KERNEL|IDENTITY|COMMERCE|SOCIAL|UPLOADS|NOTIFICATIONS|CHAT|INFERENCE|RETRIEVAL|PAYMENTS|LINKS|JOBS|WEBHOOKS)_/

/** The configuration of this process. `overrides` are the command line's, and win. */
export function loadConfig(overrides: Environment = {}, env: Environment = process.env): Config {
  const all: Environment = { ...env, ...overrides }
  refuseUnknown(all)
  const profile = choice(all, 'PROFILE', ['development', 'production'] as const, 'development')
  const host = all['HOST'] || '127.0.0.1'
  const port = integer(all, 'PORT', 8080, 0, 65_535)
  const settings = readSettings(all, profile)
  if (profile === 'production' && settings['kernel.faults']) {
    throw new StartError('KERNEL_FAULTS is for development: unset it, or set PROFILE=development.')
  }
  return {
    profile,
    host,
    port,
    settings,
    database_url: databaseUrl(all),
    public_url: publicUrl(all, host, port),
    data_dir: resolve(all['DATA_DIR'] || './data'),
    roles: roles(all),
    log_level: choice(
      all,
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const,
      'info',
    ),
    admin_email: all['ADMIN_EMAIL'] || null,
    admin_password: all['ADMIN_PASSWORD'] || null,
    otel_endpoint: all['OTEL_EXPORTER_OTLP_ENDPOINT'] || null,
    limits: limitsOf(settings, profile),
  }
}

function variable(name: string): string {
  return name.replace('.', '_').toUpperCase()
}

function refuseUnknown(env: Environment): void {
  const known = Object.keys(table).map(variable)
  for (const name of Object.keys(env)) {
    if (!prefixes.test(name) || known.includes(name)) continue
    throw new StartError(
      `There is no setting ${name}.${suggestion(name, known)} \`npx dodeca help settings\` lists all of them.`,
    )
  }
}

function readSettings(env: Environment, profile: Profile): Settings {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(table) as [string, Setting][]) {
    values[name] = read(variable(name), env[variable(name)], setting, profile)
  }
  return values as Settings
}

function read(
  name: string,
  given: string | undefined,
  setting: Setting,
  profile: Profile,
): unknown {
  if (given === undefined || given === '') return fallback(setting, profile)
  if (setting.kind === 'number') {
    const value = Number(given)
    if (!Number.isFinite(value) || value < setting.min || value > setting.max) {
      throw new StartError(
        `${name} must be a number from ${setting.min} to ${setting.max} (${setting.unit}). ${setting.says}.`,
      )
    }
    return value
  }
  if (setting.kind === 'flag') {
    if (given !== 'true' && given !== 'false')
      throw new StartError(`${name} must be true or false. ${setting.says}.`)
    return given === 'true'
  }
  if (setting.kind === 'list')
    return given
      .split(',')
      .map(one => one.trim())
      .filter(Boolean)
  if (setting.kind === 'numbers') {
    const values = given.split(',').map(Number)
    if (!values.every(value => Number.isFinite(value) && value >= 0)) {
      throw new StartError(
        `${name} must be numbers separated by commas (${setting.unit}). ${setting.says}.`,
      )
    }
    return values
  }
  if (setting.oneOf && !setting.oneOf.includes(given)) {
    throw new StartError(`${name} must be one of ${setting.oneOf.join(', ')}. ${setting.says}.`)
  }
  return given
}

function fallback(setting: Setting, profile: Profile): unknown {
  if (setting.kind !== 'flag') return setting.default
  return typeof setting.default === 'boolean' ? setting.default : setting.default === profile
}

function limitsOf(settings: Settings, profile: Profile): Limit[] {
  return (Object.entries(table) as [SettingName, Setting][]).flatMap(([name, setting]) => {
    if (setting.kind === 'text' || setting.kind === 'list') return []
    return [
      {
        name,
        value: settings[name] as Limit['value'],
        unit: setting.kind === 'flag' ? 'flag' : setting.unit,
        default: fallback(setting, profile) as Limit['default'],
        applies_to: setting.says,
      },
    ]
  })
}

/** Every setting with its variable, default and sentence, for the command line's help. */
export function describeSettings(): { variable: string; default: string; says: string }[] {
  return (Object.entries(table) as [string, Setting][]).map(([name, setting]) => ({
    variable: variable(name),
    default:
      setting.default === null || setting.default === '' ? '(none)' : String(setting.default),
    says: setting.says,
  }))
}

function databaseUrl(env: Environment): string | null {
  const url = env['DATABASE_URL']
  if (!url) return null
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new StartError(
      'DATABASE_URL must look like postgres://user:password@host:5432/database. Leave it unset to use the embedded PostgreSQL.',
    )
  }
  return url
}

function publicUrl(env: Environment, host: string, port: number): string {
  const given = env['PUBLIC_URL']
  if (!given) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
    throw new StartError(
      'PUBLIC_URL must be an http or https address, such as https://api.example.com.',
    )
  }
  return given.replace(/\/+$/, '')
}

function roles(env: Environment): ('api' | 'worker')[] {
  const given = (env['ROLES'] || 'api,worker').split(',').map(one => one.trim())
  const known = given.filter(one => one === 'api' || one === 'worker')
  if (known.length !== given.length)
    throw new StartError('ROLES must be api, worker, or api,worker.')
  return known
}

function choice<const T extends readonly string[]>(
  env: Environment,
  name: string,
  options: T,
  otherwise: T[number],
): T[number] {
  const given = env[name] || otherwise
  if (!options.includes(given))
    throw new StartError(`${name} must be one of ${options.join(', ')}.`)
  return given
}

function integer(
  env: Environment,
  name: string,
  otherwise: number,
  min: number,
  max: number,
): number {
  const given = env[name]
  if (!given) return otherwise
  const value = Number(given)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new StartError(`${name} must be a whole number from ${min} to ${max}.`)
  }
  return value
}
