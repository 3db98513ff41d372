/**
 * A circuit breaker for each provider. The circuit opens after ten failures in a row, or if half of
 * twenty messages in a minute fail. It stays open for 30 s, doubling up to 15 minutes. Then one
 * message is let through, and the circuit closes if that message succeeds. The first process that
 * notices the change emits the event.
 */
import { Type } from 'typebox'
import { Id, newId, openCircuit, sql, type Db, type Log } from '#dodeca/kernel'
import type { Outcome, Provider } from './outcome.ts'

export type Breaker = {
  isOpen(): boolean
  /**
   * Null while the circuit is open. Each admission must be settled, with null if nothing was sent.
   */
  admit(): { settle(outcome: Outcome | null): void } | null
}

const limits = {
  failures_in_row: 10,
  failure_share: 0.5,
  least_calls: 20,
  window_ms: 60_000,
  open_ms: 30_000,
  open_ms_max: 900_000,
}
const Turned = Type.Object({ id: Id, version: Type.Integer() })
/** Events of providers belong to the deployment, so they are emitted in its first tenant. */
const platform_tenant_id = '01900000-0000-7000-8000-000000000001'

export function openBreaker(
  { name, channel }: Pick<Provider, 'name' | 'channel'>,
  { db, log }: { readonly db: Db; readonly log: Log },
): Breaker {
  const circuit = openCircuit(limits, () => performance.now())
  let degraded = false
  const look = () => {
    if (degraded === (circuit.state() !== 'closed')) return
    degraded = !degraded
    void announce(db, { name, channel }, degraded).catch((error: unknown) =>
      log.warn({ err: error, provider: name }, 'the state of a provider could not be announced'),
    )
  }
  return {
    isOpen: () => circuit.state() === 'open',
    admit: () => {
      const admission = circuit.admit()
      return (
        admission && {
          settle: outcome => {
            admission.settle(outcome && weightOf(outcome))
            look()
          },
        }
      )
    },
  }
}

/** Failures caused by the destination do not count against the provider. */
function weightOf(outcome: Outcome): number {
  const failed = outcome.kind === 'failed' && outcome.at_destination !== true
  return failed || outcome.kind === 'unknown' ? 1 : 0
}

/** If many processes notice the change, only one emits the event. */
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
