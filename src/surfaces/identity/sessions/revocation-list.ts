/**
 * The sessions whose signed tokens are no longer valid. When a revocation commits, its process adds
 * the session to this set and wakes the other processes. They then read the revocation. Every
 * process also reads once a second, so a lost wake-up delays a revocation by at most a second. Each
 * read looks back far enough to see transactions that committed late. An entry is removed when
 * every token of its session has expired. The list is valid for two seconds after the last read: a
 * process that stood still, or had no database, reads it before it accepts a token again. A session
 * that moved to another cell with its tenant is refused in all tenants but that one, which may come
 * back.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { DatabaseBusy, logFailure, nullable, sql, tenant_states_topic } from '#dodeca/kernel'
import type { Reader, Sign } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'

export type Denied = {
  /** Whether the session has ended in the tenant. Reads the list first if it may not be used. */
  hasEnded(session_id: string, tenant_id: string): boolean | Promise<boolean>
  add(session_ids: readonly string[]): void
  onAdd(listener: (session_id: string) => void): void
  /** Whether the list may be used. */
  isValid(): boolean
  /** Reads the list. Throws if that takes too long, because the database is unavailable. */
  validate(): Promise<void>
  readonly sign: Sign
  /** Reads the revocations within the lifetime of a token, then keeps reading until `stop`. */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * The value of the sign summarizes which sessions are revoked and which keys sign. The sum is over
 * ids and does not compare times, because a transaction that commits late has an older time than
 * one that was read already.
 */
export const revocations_topic = 'identity.revocations'
const value = sql`
    select concat_ws(' ', r.n, r.mix,
      (select count(*) from identity.gone_sessions
        where gone_at > kernel.now() - interval '30 seconds'),
      (select string_agg(kid || ':' || state, ',' order by kid)
        from identity.signing_keys where state in ('next', 'active', 'retired')))
    from (select count(*) as n, sum(hashtext(id::text)) as mix from identity.sessions
      where revoked_at is not null and revoked_at > kernel.now() - interval '30 seconds') r`

const valid_ms = 2000
/** A caller that waits longer for a read, or than for a free connection, gets an error. */
const patience_ms_min = 1500

const tick_ms = 250

/** The wait after a failed read. */
const again_ms = 1000
const overlap_seconds = 30
/** How far the clocks of two processes may differ. */
export const margin_seconds = 60

const News = Type.Object({
  revoked: Type.Array(Type.String()),
  /** Each session with the tenant in which it goes on, if any. */
  gone: Type.Record(Type.String(), nullable(Type.String())),
  keys: Type.String(),
  at: Type.String(),
})

type Ended = {
  /** The monotonic time at which every token of the session has expired. */
  readonly until_ms: number
  /** The tenant in which the session has not ended. */
  readonly but: string | null
}

export function openDenied(
  kernel: Pick<Kernel, 'reserved' | 'settings' | 'log' | 'onWake'>,
  keys: SigningKeys,
): Denied {
  const { reserved, settings, log } = kernel
  const life_seconds = settings['identity.access_ttl_seconds'] + margin_seconds
  const ended = openEnded(life_seconds)
  let since: string | null = null
  /** How often tenants have moved or come back, now and at the last read. */
  let moves = 0
  let moves_read = 0
  let unsubscribe = () => {}
  const lease = openLease()

  const ask = async () => {
    const began_ms = performance.now()
    const moves_before = moves
    const from = moves_before === moves_read ? since : null
    const news = await readNews(reserved, from, life_seconds)
    for (const id of news.revoked) ended.add(id, null)
    for (const [id, tenant_id] of Object.entries(news.gone)) ended.add(id, tenant_id)
    since = news.at
    moves_read = moves_before
    lease.begin(began_ms)
    if (news.keys !== keys.loaded()) await keys.load()
    ended.prune()
  }
  const polls = openPolls(ask, log)
  const patience_ms = Math.max(patience_ms_min, settings['kernel.database_wait_ms'])
  const validate = () => renew(lease, polls, patience_ms)
  return {
    isValid: lease.isValid,
    validate,
    hasEnded: (session_id, tenant_id) =>
      lease.isValid()
        ? ended.has(session_id, tenant_id)
        : validate().then(() => ended.has(session_id, tenant_id)),
    sign: {
      topic: revocations_topic,
      value,
      // The sign was also the same if it changed before a read that has not ended or has failed.
      same: read_ms => {
        if (polls.isSettled()) lease.prolong(read_ms)
      },
    },
    add: session_ids => {
      for (const id of session_ids) ended.add(id, null)
    },
    onAdd: ended.onAdd,
    start: async () => {
      await ask()
      const wakes = [
        kernel.onWake(() => void polls.ask(), [revocations_topic]),
        // A tenant that comes back brings sessions that were revoked in the other cell a while ago.
        kernel.onWake(() => {
          moves++
          void polls.ask()
        }, [tenant_states_topic]),
      ]
      unsubscribe = () => wakes.forEach(wake => wake())
    },
    stop: async () => {
      unsubscribe()
      await polls.stop()
    },
  }
}

/** The ended sessions, each until its tokens have expired. */
function openEnded(life_seconds: number) {
  const all = new Map<string, Ended>()
  const listeners: ((session_id: string) => void)[] = []
  return {
    has: (session_id: string, tenant_id: string) => {
      const found = all.get(session_id)
      return found !== undefined && found.but !== tenant_id
    },
    add: (session_id: string, but: string | null) => {
      const known = all.get(session_id)
      const more = !known || (known.but !== null && but === null)
      if (more) for (const listener of listeners) listener(session_id)
      const until_ms = performance.now() + life_seconds * 1000
      all.set(session_id, { until_ms, but: more ? but : known.but })
    },
    onAdd: (listener: (session_id: string) => void) => void listeners.push(listener),
    prune: () => {
      for (const [id, { until_ms }] of all) if (until_ms < performance.now()) all.delete(id)
    },
  }
}

function openPolls(read: () => Promise<void>, log: Kernel['log']) {
  let asking: Promise<void> | undefined
  let again = false
  /** The last read failed, so what it should have read is still unknown. */
  let owed = false
  let timer: NodeJS.Timeout | undefined
  /** Only one read runs at a time. Callers that arrive meanwhile share one further read. */
  const ask = (): Promise<void> => {
    if (asking) {
      again = true
      return asking
    }
    clearTimeout(timer)
    asking = read()
      .then(() => {
        owed = false
      })
      .catch((error: unknown) => {
        owed = true
        logFailure(log, { err: error }, 'revocations could not be read')
        timer = setTimeout(() => void ask(), again_ms)
      })
      .finally(() => {
        asking = undefined
        if (again) {
          again = false
          void ask()
        }
      })
    return asking
  }
  return {
    ask,
    hasFailed: () => owed,
    isSettled: () => !asking && !owed,
    stop: async () => {
      again = false
      clearTimeout(timer)
      await asking
      clearTimeout(timer)
    },
  }
}

/** Knows how long the list may be used: `valid_ms` from the begin of the last read. */
function openLease() {
  /** The monotonic time up to which the list is known to be complete. */
  let complete_ms = -Infinity
  return {
    isValid: () => performance.now() < complete_ms + valid_ms,
    begin: (read_ms: number) => {
      complete_ms = read_ms
    },
    /** After a longer time the sign no longer covers everything that happened in it. */
    prolong: (read_ms: number) => {
      if (read_ms < complete_ms + overlap_seconds * 1000) complete_ms = read_ms
    },
  }
}

/** Reads until the list may be used. Throws if the database does not reply in time. */
async function renew(
  { isValid }: ReturnType<typeof openLease>,
  polls: ReturnType<typeof openPolls>,
  patience_ms: number,
): Promise<void> {
  let late = false
  const patience = ticks(patience_ms).then(() => (late = true))
  // A read that began before the process stood still says nothing about the time since.
  do await Promise.race([polls.ask(), patience])
  while (!isValid() && !polls.hasFailed() && !late)
  if (!isValid()) throw new DatabaseBusy()
}

/**
 * Waits while the process runs. The time in which it stands still, such as on a busy machine, is not
 * the database's, and counts as one tick.
 */
async function ticks(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= tick_ms) await wait(tick_ms, undefined, { ref: false })
}

function readNews(reader: Pick<Reader, 'one'>, since: string | null, life_seconds: number) {
  const from =
    since === null
      ? sql`(kernel.now() - make_interval(secs => ${life_seconds}))`
      : sql`(least(${since}::timestamptz, kernel.now())
          - make_interval(secs => ${overlap_seconds}))`
  return reader.one(
    News,
    sql`
      select
        array(select id from identity.sessions
          where revoked_at is not null and revoked_at > ${from}) as revoked,
        coalesce((select jsonb_object_agg(id, moved_tenant_id) from identity.gone_sessions
          where gone_at > ${from}), '{}') as gone,
        coalesce((select string_agg(kid || ':' || state, ',' order by kid collate "C")
          from identity.signing_keys where state in ('next', 'active', 'retired')), '') as keys,
        kernel.now()::text as at`,
  )
}
