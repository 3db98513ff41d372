/**
 * Limits the declines of one caller in an hour, because thieves try stolen cards by the hundred. An
 * authorization that was sent may still be declined. So it has one of the places that are left, and
 * an authorization beyond them is sent when another one has ended. A lock of the caller decides who
 * gets a place.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { jitter, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { ProviderFailure } from '../provider/port.ts'
import type { IntentKey, OperationRow } from './rows.ts'

export const too_many_declines = 'too_many_declines'
const hour_seconds = 3600
/** How long a request waits for a place. After that, the resolver sends the authorization. */
const wait_ms_max = 3000
const look_ms = 50

type Caller = { readonly tenant_id: string; readonly principal_id: string | null }
type Place = 'free' | 'full' | 'over'

/** Returns whether the authorization may be sent now. Refuses it after too many declines. */
export async function takePlace(tx: Tx, deps: Deps, caller: Caller): Promise<boolean> {
  const place = await findPlace(tx, deps, caller)
  if (place === 'over') throw refusedForDeclines()
  return place === 'free'
}

/** An authorization without a place is begun, but not sent. */
export async function leavePlace(tx: Tx, { tenant_id, id }: IntentKey): Promise<void> {
  await tx.run(sql`
    update payments.payment_operations set sent_at = null
    where tenant_id = ${tenant_id} and id = ${id} and state = 'created'`)
}

export function refusedForDeclines() {
  return problem('rate_limited', {
    detail: 'Too many payments were declined within an hour. Wait before you try another card.',
    retry_after: hour_seconds,
    headers: { 'retry-after': String(hour_seconds) },
  })
}

/** For an authorization that was begun without a place. Nothing of it was sent yet. */
export async function waitForPlace(
  deps: Deps,
  operation: OperationRow,
  waits: boolean,
): Promise<void> {
  const until = performance.now() + (waits ? wait_ms_max : 0)
  for (;;) {
    const place = await deps.kernel.db.tx(async tx => {
      const found = await findPlace(tx, deps, operation)
      if (found === 'free') await noteSent(tx, operation)
      return found
    })
    if (place === 'free') return
    if (place === 'over') throw new ProviderFailure('refused', too_many_declines)
    if (performance.now() > until) throw new ProviderFailure('not_sent', 'many_under_way')
    await pause(look_ms * (0.5 + jitter()))
  }
}

const Counts = Type.Object({ declined: Type.Integer(), sent: Type.Integer() })

async function findPlace(
  tx: Tx,
  { kernel }: Deps,
  { tenant_id, principal_id }: Caller,
): Promise<Place> {
  if (principal_id === null) return 'free'
  const most = kernel.settings['payments.declines_per_hour']
  const lock = `payments.declines:${principal_id}`
  // Sent together. The second statement sees what was committed while the first one waited.
  const [, { declined, sent }] = await Promise.all([
    tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`),
    tx.one(Counts, countStatement({ tenant_id, principal_id }, most)),
  ])
  if (declined >= most) return 'over'
  return declined + sent < most ? 'free' : 'full'
}

/** @internal for a test of its plan */
export function countStatement({ tenant_id, principal_id }: Caller, most: number): Sql {
  return sql`
    select (
      select count(*)::int from (
        select from payments.payment_operations
        where tenant_id = ${tenant_id} and principal_id = ${principal_id}
          and declined
          and resolved_at > kernel.now() - make_interval(secs => ${hour_seconds})
        limit ${most}) one) as declined, (
      select count(*)::int from payments.payment_operations
      where tenant_id = ${tenant_id} and principal_id = ${principal_id}
        and type = 'authorize' and state in ('created', 'pending_provider')
        -- an operator must decide about those that are older
        and sent_at > now() - make_interval(secs => ${hour_seconds})) as sent`
}

async function noteSent(tx: Tx, { tenant_id, id }: OperationRow): Promise<void> {
  await tx.run(sql`
    update payments.payment_operations set sent_at = coalesce(sent_at, now())
    where tenant_id = ${tenant_id} and id = ${id} and state in ('created', 'pending_provider')`)
}
