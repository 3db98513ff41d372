/**
 * The sessions whose signed tokens no longer count. A revocation enters its own process's set at its
 * commit and reaches the others by a wake-up; every process also asks once a second, looking back far
 * enough to meet transactions that committed late. So a lost wake-up costs at most that second, and an
 * entry is forgotten only when every token of its session has expired by itself.
 */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../settings.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'

export type Denied = {
  has(session_id: string): boolean
  add(session_ids: readonly string[]): void
  onAdd(hear: (session_id: string) => void): void
  /** Reads what was revoked within the life of a token, then keeps asking until `stop`. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** What is revoked and which keys sign, as the pulse reads them. */
export const revocation_sign = {
  topic: 'identity.revocations',
  value: sql`
    select concat_ws(' ', r.n, r.last, (select string_agg(kid || ':' || state, ',' order by kid)
      from identity.signing_keys where state in ('next', 'active', 'retired')))
    from (select count(*) as n, max(revoked_at) as last from identity.sessions
      where revoked_at is not null and revoked_at > kernel.now() - interval '30 seconds') r`,
}

/** Until the next question, where one failed. */
const again_ms = 1000
const overlap_seconds = 30
const margin_seconds = 60

const News = Type.Object({
  revoked: Type.Array(Type.String()),
  keys: Type.String(),
  at: Type.String(),
})

export function openDenied(
  kernel: Pick<Kernel, 'db' | 'settings' | 'log' | 'onWake'>,
  keys: SigningKeys,
): Denied {
  const { db, settings, log } = kernel
  const life_seconds = settings['identity.access_ttl_seconds'] + margin_seconds
  const until = new Map<string, number>()
  const hearers: ((session_id: string) => void)[] = []
  let since: string | null = null
  let asking: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  let unhear = () => {}

  const add = (session_ids: readonly string[]) => {
    for (const id of session_ids) {
      if (!until.has(id)) for (const hear of hearers) hear(id)
      until.set(id, performance.now() + life_seconds * 1000)
    }
  }
  const ask = async () => {
    const news = await readNews(db, since, life_seconds)
    add(news.revoked)
    since = news.at
    if (news.keys !== keys.loaded()) await keys.load()
    for (const [id, end] of until) if (end < performance.now()) until.delete(id)
  }
  /** One question at a time: whoever asks meanwhile is answered by one more. */
  const poll = (): Promise<void> => {
    if (asking) {
      again = true
      return asking
    }
    asking = ask()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'revocations could not be read')
        timer = setTimeout(() => void poll(), again_ms)
      })
      .finally(() => {
        asking = undefined
        if (again) {
          again = false
          void poll()
        }
      })
    return asking
  }
  return {
    has: session_id => until.has(session_id),
    add,
    onAdd: hear => void hearers.push(hear),
    start: async () => {
      await ask()
      unhear = kernel.onWake(() => void poll(), [revocation_sign.topic])
    },
    stop: async () => {
      clearTimeout(timer)
      unhear()
      await asking
    },
  }
}

function readNews(reader: Reader, since: string | null, life_seconds: number) {
  return reader.one(
    News,
    sql`
      select
        array(select id from identity.sessions where revoked_at is not null and revoked_at >
          coalesce(least(${since}::timestamptz, kernel.now())
              - make_interval(secs => ${overlap_seconds}),
            kernel.now() - make_interval(secs => ${life_seconds}))) as revoked,
        coalesce((select string_agg(kid || ':' || state, ',' order by kid collate "C")
          from identity.signing_keys where state in ('next', 'active', 'retired')), '') as keys,
        kernel.now()::text as at`,
  )
}
