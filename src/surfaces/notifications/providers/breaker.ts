/**
 * Keeps messages away from a provider that fails: ten failures in a row, or half of twenty in a minute, and
 * it rests for 30 s, doubling to a quarter of an hour. The first process that sees it turn says so once, and
 * once when it works again.
 */
import type { Db } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Log } from '../../../kernel/observability/log.ts'
import { Type } from 'typebox'
import type { Outcome, Provider } from './outcome.ts'

export type Breaker = {
  /** Whether a message may be tried now. */
  admits(): boolean
  settle(outcome: Outcome): void
}

const in_row_max = 10
const least = 20
const window_ms = 60_000
const rest_ms = { first: 30_000, longest: 900_000 }
const Turned = Type.Object({ id: Id, version: Type.Integer() })
/** Provider events belong to the deployment, and so to its first tenant. */
const platform_tenant_id = '01900000-0000-7000-8000-000000000001'

export function openBreaker(
  { name, channel }: Pick<Provider, 'name' | 'channel'>,
  { db, log }: { readonly db: Db; readonly log: Log },
  now: () => number = () => performance.now(),
): Breaker {
  let in_row = 0
  let recent: { at: number; failed: boolean }[] = []
  let open_until = 0
  let rests = 0
  let probing = false
  const turn = (degraded: boolean) => {
    void announce(db, { name, channel }, degraded).catch((error: unknown) =>
      log.warn({ err: error, provider: name }, 'the state of a provider could not be announced'),
    )
  }
  const open = () => {
    const rest = Math.min(rest_ms.longest, rest_ms.first * 2 ** rests)
    if (rests === 0) turn(true)
    rests++
    open_until = now() + rest
    probing = false
  }
  return {
    admits: () => {
      if (rests === 0) return true
      if (now() < open_until || probing) return false
      probing = true
      return true
    },
    settle: outcome => {
      const failed = outcome.kind === 'failed' && outcome.at_destination !== true
      if (rests > 0) {
        if (failed || outcome.kind === 'unknown') return open()
        rests = 0
        in_row = 0
        recent = []
        probing = false
        return turn(false)
      }
      in_row = failed ? in_row + 1 : 0
      const at = now()
      recent = [...recent.filter(one => one.at > at - window_ms).slice(-200), { at, failed }]
      const failures = recent.filter(one => one.failed).length
      if (in_row >= in_row_max || (recent.length >= least && failures * 2 >= recent.length)) open()
    },
  }
}

/** Of many processes that see the same, one says it. */
async function announce(
  db: Db,
  { name, channel }: Pick<Provider, 'name' | 'channel'>,
  degraded: boolean,
): Promise<void> {
  await db.tx(async tx => {
    const turned = await tx.maybe(
      Turned,
      sql`
        insert into notifications.provider_health as h (provider, id, degraded, version)
        select ${name}, ${newId()}, ${degraded}, 1
        where ${degraded} or exists (select from notifications.provider_health where provider = ${name})
        on conflict (provider) do update
          set degraded = excluded.degraded, version = h.version + 1, changed_at = kernel.now()
          where h.degraded <> excluded.degraded
        returning id, version`,
    )
    if (!turned) return
    tx.emit({
      type: degraded ? 'notification_provider.degraded' : 'notification_provider.recovered',
      tenant_id: platform_tenant_id,
      aggregate_type: 'notification_provider',
      aggregate_id: turned.id,
      aggregate_version: turned.version,
      data: { provider: name, channel },
    })
  })
}
