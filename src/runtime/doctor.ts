/**
 * The checks of an installation. Each check returns its result and the next step. Surfaces add
 * their invariants as checks. A check that cannot run is a violation too, because a missing result
 * does not mean that there is no fault.
 */
import { statfs } from 'node:fs/promises'
import { Type } from 'typebox'
import { sql, type Check, type Clock, type Db, type Keyring } from '#dodeca/kernel'
import type { Migration } from '../kernel/database/migrate.ts'

export type Finding = {
  readonly check: string
  readonly says: string
  /** Only a violation makes the doctor fail. */
  readonly state: 'ok' | 'warning' | 'violation'
  readonly found: readonly string[]
  /** The next step, or null if there is nothing to do. */
  readonly advice: string | null
}

export type DoctorOptions = {
  readonly db: Db
  readonly clock: Clock
  readonly keys: Keyring
  readonly data_dir: string
  pending(): Promise<readonly Migration[]>
  /** The checks of the surfaces. */
  readonly checks: readonly Check[]
}

export type Answer = Pick<Finding, 'state' | 'found' | 'advice'>
export type Question = {
  readonly name: string
  readonly says: string
  ask(options: DoctorOptions): Promise<Answer>
}

const skew_ms_max = 1000
const key_age_days_max = 365
const outbox_seconds_max = 60
const free_bytes_min = 1024 ** 3
const free_share_min = 0.1
const connection_share_max = 0.9
const shown_max = 20

const own: readonly Question[] = [
  { name: 'durability', says: 'PostgreSQL writes what it confirms to the disk', ask: durability },
  { name: 'clock', says: 'This machine and PostgreSQL agree on the time', ask: clockSkew },
  { name: 'migrations', says: 'All migrations are applied to the database', ask: migrations },
  { name: 'keys', says: 'The current encryption key is not too old', ask: keyAge },
  { name: 'parks', says: 'No event is parked without retries left', ask: deadParks },
  { name: 'outbox', says: 'Events get their positions at once', ask: outboxAge },
  { name: 'disk', says: 'The data folder has free space', ask: diskSpace },
  { name: 'connections', says: 'PostgreSQL has free connections', ask: connections },
]

export function questions(checks: readonly Check[]): Question[] {
  return [
    ...own,
    ...checks.map(check => ({
      name: check.name,
      says: check.says,
      ask: async () => {
        const found = await check.run()
        return found.length === 0 ? fine() : violation(found, adviceOnInvariants)
      },
    })),
  ]
}

export async function examine(
  asked: readonly Question[],
  options: DoctorOptions,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, says, ask } of asked) {
    const answer = await ask(options).catch((error: unknown) =>
      violation(
        [`the check could not run: ${(error as Error).message}`],
        'Correct that (`npx dodeca migrate`, if tables are missing), then run the check again.',
      ),
    )
    findings.push({ check: name, says, ...answer, found: shortened(answer.found) })
  }
  return findings
}

const adviceOnInvariants =
  'An invariant is violated: keep a backup of this state, look at the rows named, and report it.'

function shortened(found: readonly string[]): readonly string[] {
  if (found.length <= shown_max) return found
  return [...found.slice(0, shown_max), `… and ${found.length - shown_max} more`]
}

export function fine(...found: string[]): Answer {
  return { state: 'ok', found, advice: null }
}

export function warning(found: string, advice: string): Answer {
  return { state: 'warning', found: [found], advice }
}

export function violation(found: readonly string[], advice: string): Answer {
  return { state: 'violation', found, advice }
}

const Named = Type.Object({ name: Type.String(), value: Type.String() })

async function durability({ db }: DoctorOptions): Promise<Answer> {
  const settings = await db.many(
    Named,
    sql`
      select name, setting as value
      from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit')
      order by name`,
  )
  const off = settings.filter(({ value }) => value === 'off').map(({ name }) => `${name} is off`)
  if (off.length === 0) return fine(settings.map(one => `${one.name} ${one.value}`).join(', '))
  return violation(
    off,
    'A crash can lose or damage confirmed data. Switch it on in the PostgreSQL settings and restart.',
  )
}

const Time = Type.Object({ ms: Type.Number() })

/**
 * Takes the fastest of five queries, because the error of the measurement is half of the round
 * trip.
 */
async function clockSkew({ db, clock }: DoctorOptions): Promise<Answer> {
  let best = { skew_ms: 0, journey_ms: Number.POSITIVE_INFINITY }
  for (let round = 0; round < 5; round++) {
    const before = clock.nowMs() - clock.offsetSeconds() * 1000
    const began = performance.now()
    const { ms } = await db.one(
      Time,
      sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
    )
    const journey_ms = performance.now() - began
    if (journey_ms < best.journey_ms) {
      best = { skew_ms: ms - before - journey_ms / 2, journey_ms }
    }
  }
  const found = `PostgreSQL is ${Math.round(best.skew_ms)} ms ahead`
  if (Math.abs(best.skew_ms) <= skew_ms_max) return fine(found)
  return violation([found], 'Set both clocks by NTP, because tokens and signatures depend on them.')
}

async function migrations({ pending }: DoctorOptions): Promise<Answer> {
  const missing = await pending()
  if (missing.length === 0) return fine()
  return violation(
    missing.map(
      one => `${one.schema}/${String(one.number).padStart(4, '0')}-${one.name} is pending`,
    ),
    'Run `npx dodeca migrate`, or start the platform once.',
  )
}

const Age = Type.Object({ days: Type.Number() })

export const rotate_action = 'kernel.encryption_keys.rotate'

/**
 * The age is known only for keys that this platform made in a rotation, because the time is read
 * from the audit log.
 */
async function keyAge({ db, keys }: DoctorOptions): Promise<Answer> {
  const [current] = keys.kids
  const made = await db.maybe(
    Age,
    sql`
      select (extract(epoch from now() - occurred_at) / 86400)::float8 as days
      from kernel.audit_events
      where tenant_id is null and action = ${rotate_action} and target = ${current}
      order by id desc
      limit 1`,
  )
  if (!made) return fine(`${current} is the current one; its age is not known`)
  const found = `${current} is ${Math.floor(made.days)} days old`
  if (made.days <= key_age_days_max) return fine(found)
  return warning(found, 'Create a new one with `npx dodeca keys rotate encryption`.')
}

const Parks = Type.Object({ consumer: Type.String(), parks: Type.Integer() })

async function deadParks({ db }: DoctorOptions): Promise<Answer> {
  const dead = await db.many(
    Parks,
    sql`
      select consumer, count(*) as parks
      from kernel.event_parks
      where blocking and state = 'dead'
      group by consumer
      order by consumer`,
  )
  if (dead.length === 0) return fine()
  return violation(
    dead.map(({ consumer, parks }) => `${consumer}: ${parks} dead`),
    'See `npx dodeca events parks`, remove the cause, then `events retry` or `events skip` each.',
  )
}

const Outbox = Type.Object({
  waiting: Type.Integer(),
  seconds: Type.Number(),
  processes: Type.Integer(),
})

async function outboxAge({ db }: DoctorOptions): Promise<Answer> {
  const { waiting, seconds, processes } = await db.one(
    Outbox,
    sql`
      select count(*) as waiting,
        coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0)::float8 as seconds,
        (select count(*) from pg_stat_activity
         where datname = current_database() and application_name = 'dodeca sequencer') as processes
      from kernel.outbox_events`,
  )
  const found = `${waiting} events wait, the oldest for ${Math.round(seconds)} s`
  if (waiting === 0 || seconds <= outbox_seconds_max) return fine(found)
  if (processes === 0)
    return warning(found, 'No worker runs: start the platform with ROLES=worker.')
  return violation(
    [found],
    'A worker runs but assigns no positions: read its log, then restart it.',
  )
}

async function diskSpace({ data_dir }: DoctorOptions): Promise<Answer> {
  const { bavail, blocks, bsize } = await statfs(data_dir)
  const free_bytes = bavail * bsize
  const share = bavail / Math.max(1, blocks)
  const found = `${(free_bytes / 1024 ** 3).toFixed(1)} GiB free (${Math.round(share * 100)} %)`
  const advice = `Free or add space for ${data_dir}: a full disk stops the database.`
  if (free_bytes < free_bytes_min) return violation([found], advice)
  return share < free_share_min ? warning(found, advice) : fine(found)
}

const Connections = Type.Object({ used: Type.Integer(), max: Type.Integer() })

export async function connections({ db }: Pick<DoctorOptions, 'db'>): Promise<Answer> {
  const { used, max } = await db.one(
    Connections,
    sql`
      select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
        least(current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int,
          nullif(rolconnlimit, -1)) as max
      from pg_roles where rolname = current_user`,
  )
  const found = `${used} of ${max} connections are in use`
  if (used <= max * connection_share_max) return fine(found)
  return violation(
    [found],
    'Lower KERNEL_DATABASE_POOL, run fewer processes, or raise max_connections.',
  )
}
