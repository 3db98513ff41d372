/**
 * A setting is a row of a table with its kind, default, unit, bounds and one sentence. The kernel
 * declares its own settings here, and each surface in its `settings.ts`. A setting
 * `links.code_length` is set by the environment variable LINKS_CODE_LENGTH. Unless it is text, `GET
 * /v1/limits` lists it.
 */
import { StartError } from './errors/start-error.ts'

type Number_ = {
  kind: 'number'
  default: number
  unit: string
  says: string
  min: number
  max: number
}
type Flag = { kind: 'flag'; default: boolean | 'production' | 'development'; says: string }
type List = { kind: 'list'; default: readonly string[]; says: string; secret?: true }
type Numbers = { kind: 'numbers'; default: readonly number[]; unit: string; says: string }
type Text = {
  kind: 'text'
  default: string | null
  says: string
  /** The value may also be in a file, which the variable <NAME>_FILE names. */
  secret?: true
  /** The value must be a URL. */
  url?: true
  oneOf?: readonly string[]
  /**
   * The units of a text with several parts, such as `dns:2000,total:20000`. Each part is its own
   * limit.
   */
  parts?: Readonly<Record<string, string>>
}
export type Setting = Number_ | Flag | List | Numbers | Text

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
const parts = (
  says: string,
  fallback: string,
  units: Readonly<Record<string, string>>,
): Text & { default: string } => ({ ...text(says, fallback), parts: units })
const optional = (says: string): Text => ({ kind: 'text', default: null, says })
const address = (says: string): Text => ({ ...optional(says), url: true })
const secret = (says: string): Text => ({ ...optional(says), secret: true })
const secrets = (says: string): List => ({ ...list(says), secret: true })

/** The kinds of settings: `setting.count(20, 'jobs', 'Jobs that one process runs at once')`. */
export const setting = {
  address,
  count,
  flag,
  list,
  numbers,
  optional,
  parts,
  secret,
  secrets,
  text,
}

export type SettingTable = Readonly<Record<string, Setting>>

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

/** The values of a table with which the process was started. */
export type SettingsOf<T extends SettingTable> = { readonly [N in keyof T]: Value<T[N]> }

// prettier-ignore
export const kernelSettings = {
  'kernel.metrics_key': secret('Bearer token with which /metrics is read without an account, of 32 characters or more'),
  'kernel.database_direct_url': secret('Address of PostgreSQL itself, where DATABASE_URL leads through a transaction pooler'),
  'kernel.database_pool': count(10, 'connections', 'Connections of one process to the database', 2, 500),
  'kernel.database_prepare': flag(true, 'Whether statements are prepared under a name and parsed once per connection; false behind PgBouncer older than 1.21'),
  'kernel.database_wait_ms': count(2000, 'ms', 'Wait for a free connection before answering 503 overloaded', 10, 60_000),
  'kernel.statement_timeout_ms': count(5000, 'ms', 'Longest time of one SQL statement', 100, 600_000),
  'kernel.trusted_proxies': list('Addresses or networks whose X-Forwarded-For is trusted'),
  'kernel.cors_origins': list(
    'Origins that browsers may call from; in development without it each origin of this machine, without cookies',
  ),
  'kernel.keyring': secret('Keys as kid:base64 of 32 bytes, comma-separated, the current one first'),
  'kernel.pepper': secret('Key of the hashes that must stay equal for ever (base64 of 32 bytes)'),
  'kernel.body_limit_bytes': count(1024 * 1024, 'bytes', 'Largest JSON body, unless the route sets another limit', 1024, 2 ** 30),
  'kernel.event_types_most': count(1000, 'types', 'Event types that are declared over HTTP', 1, 100_000),
  'kernel.event_schema_bytes': count(32 * 1024, 'bytes', 'The JSON Schema of an event type', 256, 2 ** 20),
  'kernel.event_data_bytes': count(64 * 1024, 'bytes', 'The data of one published event as JSON', 256, 2 ** 20),
  'kernel.headers_seconds': count(20, 's', 'Time for the headers of a request to arrive, from the opening of the connection or the end of the request before', 1, 600),
  'kernel.idle_seconds': count(72, 's', 'How long a connection without requests is kept', 1, 3600),
  'kernel.body_seconds': count(30, 's', 'Time for a request body to arrive, unless the route sets another limit', 1, 3600),
  'kernel.rate_read_per_minute': count(600, 'requests/min', 'Reads of one principal', 1),
  'kernel.rate_write_per_minute': count(120, 'requests/min', 'Writes of one principal', 1),
  'kernel.rate_expensive_per_minute': count(20, 'requests/min', 'Expensive requests of one principal', 1),
  'kernel.rate_matches_per_minute': count(60, 'requests/min', 'Searches of one principal in all lists (GET /v1/matches)', 1),
  'kernel.rate_webhook_in_per_minute': count(600, 'requests/min', 'Inbound webhooks of one provider account', 1),
  'kernel.rate_tenant_factor': count(10, 'times', 'Requests of a whole tenant, as a multiple of those of one principal', 1),
  'kernel.rate_factor': count(1, 'times', 'Multiplies every request rate of the platform', 0.001, 1e9),
  'kernel.throttle_loopback': flag('production', 'Whether network buckets count callers on this machine'),
  'kernel.list_look_max': count(5000, 'rows', 'Most rows that one request of a list reads for a filter or order without an index', 100, 100_000),
  'kernel.csv_rows_max': count(100_000, 'rows', 'Most rows of a list that is exported as CSV', 1, 1_000_000),
  'kernel.csv_at_once': count(2, 'exports', 'Exports of lists that one caller runs at once; a process runs four times as many', 1, 100),
  'kernel.slow_request_ms': count(1000, 'ms', 'A request that takes longer is logged at info; all others at debug', 1, 600_000),
  'kernel.request_log_days': count(7, 'days', 'How long failed and slow requests are kept for GET /v1/requests (0: none is kept)', 0, 365),
  'kernel.request_log_per_second': count(5, 'rows/s', 'Failed and slow requests that one process keeps; a tenant has a quarter of it', 1, 10_000),
  'kernel.request_log_burst': count(500, 'rows', 'Failed and slow requests that one process keeps at once; a tenant has a quarter of it', 4, 100_000),
  'kernel.overload_delay_ms': count(250, 'ms', 'Longest wait of a request for a busy process, before 503 overloaded', 10, 60_000),
  'kernel.idempotency_retention_hours': count(168, 'hours', 'How long recorded outcomes are replayed', 24, 24 * 400),
  'kernel.idempotency_wait_ms': count(2000, 'ms', 'Wait for another request with the same key before 409', 0, 30_000),
  'kernel.events_retention_days': count(30, 'days', 'How long the event log is kept', 1, 3650),
  'kernel.inbox_retention_days': count(35, 'days', 'How long the ids of processed events are kept', 1, 3650),
  'kernel.park_schedule': numbers([1, 5, 30, 120, 600], 's', 'Waits before a failing event is retried'),
  'kernel.tool_result_bytes': count(65_536, 'bytes', 'Most of the result of a tool that a model gets', 1024, 8_388_608),
  'kernel.tool_approval_seconds': count(300, 's', 'How long the yes to a call of a tool may take', 10, 3600),
  'kernel.drain_seconds': count(-1, 's', 'Time between "not ready" and closing (-1: 0 in development, 5 in production)', -1, 300),
  'kernel.shutdown_seconds': count(30, 's', 'Longest time of a shutdown', 1, 600),
  'kernel.sse_heartbeat_seconds': count(15, 's', 'Interval of heartbeats on a quiet event stream', 1, 300),
  'kernel.sse_stall_seconds': count(30, 's', 'Longest idle time of an upstream, or of a reader, on an event stream', 1, 600),
  'kernel.event_sink': { ...text('Where the event log is also published: none or nats', 'none'), oneOf: ['none', 'nats'] },
  'kernel.bus': { ...text('What carries hints between processes: postgres or nats', 'postgres'), oneOf: ['postgres', 'nats'] },
  'kernel.nats_url': { ...secrets('Addresses of the NATS servers, separated by commas'), default: ['nats://127.0.0.1:4222'] },
  'kernel.nats_credentials': secret('Text of the .creds file with which NATS knows this platform'),
  'kernel.nats_ca': optional('Certificates, as PEM, of the authority of the NATS servers; connections must then use TLS'),
  'kernel.nats_replicas': count(1, 'servers', 'NATS servers that each keep the stream of events, where the platform creates it', 1, 5),
  'kernel.objects_engine': { ...text('Where files are stored: local (DATA_DIR) or s3', 'local'), oneOf: ['local', 's3'] },
  'kernel.objects_s3_endpoint': address('Address of an S3-compatible service other than AWS'),
  'kernel.objects_s3_bucket': text('Bucket in which files are stored', 'dodeca'),
  'kernel.objects_s3_region': text('Region of the bucket', 'us-east-1'),
  'kernel.objects_s3_access_key': secret('Access key of the bucket'),
  'kernel.objects_s3_secret_key': secret('Secret key of the bucket'),
  'kernel.objects_s3_path_style': flag(true, 'Whether the name of the bucket is part of the path instead of the host name'),
  'kernel.objects_s3_timeout_ms': count(30_000, 'ms', 'Longest wait for the object store, and longest idle time of its replies', 100, 600_000),
  'kernel.sandbox': flag('development', 'Starts the sandbox: mail, SMS and providers that only exist on this machine (development only)'),
  'kernel.faults': text('Fault points set at the start, such as kernel.after_commit=kill@3 (development only)', ''),
} as const satisfies SettingTable

export type KernelSettings = SettingsOf<typeof kernelSettings>

/** What rules on settings know besides the settings. */
export type Deployment = {
  readonly profile: 'development' | 'production'
  readonly admin_email: string | null
  readonly public_url: string
}

/** Each rule has a sentence about the combination that cannot work and the value to change. */
export type SettingFault = readonly [fault: boolean, sentence: string]

/** Returns the sentences of the broken rules. */
export function faultsIn(cases: readonly SettingFault[]): string[] {
  return cases.flatMap(([fault, sentence]) => (fault ? [sentence] : []))
}

/**
 * Runs functions that read settings and throw a StartError. Returns the sentences, each with the
 * name of its variable.
 */
export function refusals(readers: Readonly<Record<string, () => unknown>>): string[] {
  return Object.entries(readers).flatMap(([name, read]) => {
    try {
      read()
      return []
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      return [error.message.includes(name) ? error.message : `${name}: ${error.message}`]
    }
  })
}

function hasKeysOfS3(settings: KernelSettings): boolean {
  return Boolean(
    settings['kernel.objects_s3_access_key'] && settings['kernel.objects_s3_secret_key'],
  )
}

/** Values and combinations of the kernel's settings that cannot work. */
export function kernelSettingFaults(settings: KernelSettings): string[] {
  const { 'kernel.drain_seconds': drain, 'kernel.shutdown_seconds': shutdown } = settings
  const metrics_key = settings['kernel.metrics_key']
  return faultsIn([
    [
      metrics_key !== null && metrics_key.length < 32,
      'KERNEL_METRICS_KEY must have 32 characters or more. Make one with "openssl rand -hex 32".',
    ],
    [
      settings['kernel.nats_url'].some(url => !/^(nats|tls):\/\/[^/]+$/.test(url)),
      'KERNEL_NATS_URL must be addresses such as nats://nats1:4222,nats://nats2:4222.',
    ],
    [
      drain >= shutdown,
      'KERNEL_DRAIN_SECONDS must be below KERNEL_SHUTDOWN_SECONDS, because otherwise every stop is cut off while it waits. Lower the first or raise the second.',
    ],
    [
      settings['kernel.inbox_retention_days'] < settings['kernel.events_retention_days'],
      'KERNEL_INBOX_RETENTION_DAYS must not be below KERNEL_EVENTS_RETENTION_DAYS, because otherwise an event that is read again is processed twice. Raise the first or lower the second.',
    ],
    [
      settings['kernel.objects_engine'] === 's3' && !hasKeysOfS3(settings),
      'KERNEL_OBJECTS_ENGINE=s3 requires KERNEL_OBJECTS_S3_ACCESS_KEY and KERNEL_OBJECTS_S3_SECRET_KEY. Set both.',
    ],
  ])
}
