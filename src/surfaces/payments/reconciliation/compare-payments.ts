/**
 * Compares the provider's payments with ours. Facts that the provider proves are applied. A payment
 * that we did not make becomes an item.
 */
import { type Static, Type } from 'typebox'
import { isId, sql, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { applyProviderState } from '../operations/apply-provider-state.ts'
import { nextState } from '../operations/state-after-answer.ts'
import { findIntent, intentColumns, IntentRow } from '../operations/rows.ts'
import { booksOf, ProviderFailure, type OpenProvider, type Snapshot } from '../provider/port.ts'
import { openItem, type Disagreement } from './open-item.ts'
import type { Counts, PageResult, Run } from './page-result.ts'

const Known = Type.Object({ ...IntentRow.properties, provider_handle: Type.String() })
type Known = Static<typeof Known>

/** We do not touch an unknown hold while our own record of it may still arrive. */
const orphan_age_seconds = 3600

export async function comparePayments(
  deps: Deps,
  run: Run,
  signal: AbortSignal,
): Promise<PageResult> {
  const { kernel, provider } = deps
  const { from_s, to_s, page_after } = run
  const seen = new Map<string, Known>()
  const { data, has_more, next } = await booksOf(provider).payments({
    from_s,
    ...(to_s === null ? {} : { to_s }),
    ...(page_after ? { after: page_after } : {}),
  })
  const known = await kernel.db.many(
    Known,
    sql`
      -- any tenant: the provider's ids are unique
      select ${intentColumns} from payments.payment_intents i
      where i.provider = ${provider.name}
        and i.provider_handle = any(${data.map(one => one.handle)}::text[])`,
  )
  for (const one of known) seen.set(one.provider_handle, one)
  const fresh = await readDiffering(deps, data, seen, signal)
  const released = new Set<string>()
  const newest_s = Math.max(run.started_s, ...data.map(one => one.created_s))
  for (const one of data) {
    const old = one.created_s < newest_s - orphan_age_seconds
    if (seen.has(one.handle) || one.status !== 'requires_capture' || !old) continue
    if (!(await findNamed(kernel.db, provider, one))) continue
    if (await releaseOrphan(deps, one)) released.add(one.handle)
  }
  return {
    after: has_more ? (next ?? data.at(-1)?.handle ?? null) : null,
    compared: data.length,
    steps: data.flatMap(listed => {
      const snapshot = fresh.get(listed.handle) ?? listed
      const ours = seen.get(listed.handle)
      if (ours) return agrees(ours, snapshot) ? [] : [(tx: Tx) => correct(tx, deps, ours, snapshot)]
      const over = released.has(snapshot.handle)
      return [(tx: Tx) => report(tx, provider, snapshot, over)]
    }),
    finish: async tx => {
      await tx.run(sql`
        -- any tenant: the provider's ids are unique
        update payments.payment_intents set reconciled_in = ${run.id}
        where provider = ${provider.name}
          and provider_handle = any(${data.map(one => one.handle)}::text[])`)
    },
  }
}

/** Most payments agree, and need no transaction. */
function agrees(ours: Known, snapshot: Snapshot): boolean {
  const verdict = nextState(ours, [], { snapshot, declined: null })
  if ('disagrees' in verdict || verdict.moves.length > 0) return false
  return differs(ours, snapshot) === null
}

async function correct(tx: Tx, deps: Deps, ours: Known, snapshot: Snapshot): Promise<Counts> {
  const { version: seen_version } = ours
  const applied = await applyProviderState(tx, deps, ours, { snapshot, seen_version })
  if (applied === 'disagrees') return { fixed: 0, opened: 1 }
  const now = await findIntent(tx, ours)
  if (applied !== 'applied' || !now) return { fixed: 0, opened: 0 }
  const item = differs(now, snapshot)
  const opened = item !== null && (await openItem(tx, item))
  return { fixed: now.version === seen_version ? 0 : 1, opened: opened ? 1 : 0 }
}

async function report(
  tx: Tx,
  provider: OpenProvider,
  snapshot: Snapshot,
  released: boolean,
): Promise<Counts> {
  const item = await unknownPayment(tx, provider, snapshot, released)
  const noted = item !== null && (await openItem(tx, item))
  return { fixed: noted && released ? 1 : 0, opened: noted && !released ? 1 : 0 }
}

const expected: Readonly<Record<string, Snapshot['status']>> = {
  requires_authorization: 'requires_payment_method',
  requires_action: 'requires_action',
  authorized: 'requires_capture',
  captured: 'succeeded',
  cancelled: 'canceled',
}

/**
 * The provider's list is older than our rows. So a payment that differs may only have moved in
 * between: its row is read again, and then its object.
 */
async function readDiffering(
  { kernel, provider }: Deps,
  listed: readonly Snapshot[],
  seen: Map<string, Known>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Snapshot>> {
  const fresh = new Map<string, Snapshot>()
  for (const { handle, status } of listed) {
    const ours = seen.get(handle)
    if (!ours || status === expected[ours.state]) continue
    signal.throwIfAborted()
    const row = await findIntent(kernel.db, ours)
    if (!row) continue
    seen.set(handle, { ...row, provider_handle: ours.provider_handle })
    fresh.set(handle, await provider.read(handle))
  }
  return fresh
}

/**
 * A second hold for a payment of ours is cancelled. A hold that names no payment of ours may belong
 * to another system.
 */
async function releaseOrphan({ provider, kernel }: Deps, { handle }: Snapshot): Promise<boolean> {
  try {
    await provider.cancel(handle, { key: `orphan:${handle}` })
    kernel.log.warn({ handle }, 'a second authorization of a payment was cancelled')
    return true
  } catch (error) {
    // The payment has changed since it was listed. The next run reads it again.
    if (error instanceof ProviderFailure && error.kind === 'unexpected_state') return false
    throw error
  }
}

/**
 * Returns our payment to which the provider's object refers. An object of one account never refers to
 * a payment of another one, whatever it says.
 */
async function findNamed(
  reader: Reader,
  { name }: OpenProvider,
  { tenant_id, intent_id }: Snapshot,
) {
  if (tenant_id === null || intent_id === null || !isId(tenant_id) || !isId(intent_id)) return null
  const ours = await findIntent(reader, { tenant_id, id: intent_id })
  return ours?.provider === name ? ours : null
}

/** Money that was held or captured without us, or twice for one of our payments. */
async function unknownPayment(
  reader: Reader,
  provider: OpenProvider,
  snapshot: Snapshot,
  released: boolean,
): Promise<Disagreement | null> {
  const held = snapshot.status === 'requires_capture'
  if (!held && snapshot.status !== 'succeeded') return null
  const ours = await findNamed(reader, provider, snapshot)
  const twice = ours ? 'duplicate_effect' : 'missing_local'
  return {
    tenant_id: ours?.tenant_id ?? provider.owner_id,
    provider: provider.name,
    discrepancy: held ? 'orphan_authorization' : twice,
    ...(released ? { state: 'auto_resolved' } : {}),
    external_ref: snapshot.handle,
    local_ref: ours?.id ?? null,
    amount_minor: held ? snapshot.capturable_minor : snapshot.received_minor,
    currency: snapshot.currency,
    source: snapshot.charge?.id ?? null,
    details: { object: 'payment', status: snapshot.status, names_intent: snapshot.intent_id },
  }
}

/** A result that we applied long ago must still match the provider. */
function differs(intent: IntentRow, snapshot: Snapshot): Disagreement | null {
  const item = {
    tenant_id: intent.tenant_id,
    provider: intent.provider,
    external_ref: snapshot.handle,
    local_ref: intent.id,
    amount_minor: snapshot.received_minor,
    currency: snapshot.currency,
    details: { local_state: intent.state, status: snapshot.status },
  }
  if (intent.state === 'captured') {
    if (snapshot.status !== 'succeeded') return { ...item, discrepancy: 'state_mismatch' }
    if (snapshot.received_minor !== intent.amount_captured_minor) {
      return { ...item, discrepancy: 'amount_mismatch' }
    }
  }
  const held = snapshot.status === 'requires_capture' || snapshot.status === 'succeeded'
  if (intent.state === 'cancelled' && held) return { ...item, discrepancy: 'state_mismatch' }
  return null
}
