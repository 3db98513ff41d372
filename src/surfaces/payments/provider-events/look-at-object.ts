/**
 * Reads one object at the provider and applies its current state. The order, number and contents of
 * the events about the object do not matter.
 */
import { Type } from 'typebox'
import { Id, sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { applyDispute } from '../disputes/apply-dispute.ts'
import { applyProviderState } from '../operations/apply-provider-state.ts'
import { ProviderFailure, type DisputeSnapshot } from '../provider/port.ts'
import { applyRefund, findRefundOf, reportForeignRefund } from '../refunds/apply-refund.ts'
import { applyPayout } from '../settlements/apply-payout.ts'

const Found = Type.Object({ tenant_id: Id, id: Id, version: Type.Integer() })
const looks_max = 5

export async function lookAtObject(deps: Deps, object_ref: string): Promise<void> {
  try {
    await look(deps, object_ref)
  } catch (error) {
    // An object that the provider does not know, or no longer knows, changes nothing.
    if (error instanceof ProviderFailure && error.kind === 'refused') return
    throw error
  }
}

async function look(deps: Deps, object_ref: string): Promise<void> {
  const { books, kindOf } = deps.provider
  const kind = kindOf(object_ref)
  if (kind === 'payment') return await lookAtPayment(deps, object_ref)
  if (kind === 'refund') return await lookAtRefund(deps, object_ref)
  if (!books) return
  if (kind === 'dispute') return await lookAtDispute(deps, await books.readDispute(object_ref))
  if (kind === 'payout') return await applyPayout(deps, await books.readPayout(object_ref))
  const handle = kind === 'charge' ? await books.handleOfCharge(object_ref) : null
  if (handle) await lookAtPayment(deps, handle)
}

export function findByHandle({ kernel, provider }: Deps, handle: string, reader?: Reader) {
  return (reader ?? kernel.db).maybe(
    Found,
    sql`
      -- any tenant: the ids of an account are unique
      select tenant_id, id, version from payments.payment_intents
      where provider = ${provider.name} and provider_handle = ${handle}`,
  )
}

/** A payment that is not ours changes nothing here. Reconciliation finds it. */
async function lookAtPayment(deps: Deps, handle: string): Promise<void> {
  for (let looks = 0; looks < looks_max; looks++) {
    const intent = await findByHandle(deps, handle)
    if (!intent) return
    const snapshot = await deps.provider.read(handle)
    const report = { snapshot, seen_version: intent.version }
    const applied = await deps.kernel.db.tx(tx => applyProviderState(tx, deps, intent, report))
    if (applied !== 'stale') return
  }
  throw new Error(`the payment ${handle} moved at each of ${looks_max} looks`)
}

async function lookAtRefund(deps: Deps, id: string): Promise<void> {
  const { kernel, provider } = deps
  const snapshot = await provider.readRefund(id)
  const refund = await findRefundOf(kernel.db, provider.name, snapshot)
  if (refund) return await kernel.db.tx(tx => applyRefund(tx, refund, snapshot))
  const intent = snapshot.handle ? await findByHandle(deps, snapshot.handle) : undefined
  if (!intent) return
  await kernel.db.tx(tx => reportForeignRefund(tx, provider, snapshot, intent))
}

async function lookAtDispute(deps: Deps, snapshot: DisputeSnapshot): Promise<void> {
  const intent = snapshot.handle ? await findByHandle(deps, snapshot.handle) : undefined
  if (!intent) return
  await deps.kernel.db.tx(tx => applyDispute(tx, deps, intent, snapshot))
}
