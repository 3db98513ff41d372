/**
 * Proves the balance. For each currency, the clearing account must equal the sum of the provider's
 * balance transactions and the balance that the provider itself reports. Payments continue
 * meanwhile. So a difference counts as a drift only if two runs in a row find it.
 */
import { type Static, Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { booksOf } from '../provider/port.ts'
import { clearingByCurrency } from './clearing.ts'
import { openItem } from './open-item.ts'
import type { Counts, PageResult, Run } from './page-result.ts'

export const Proof = Type.Record(
  Type.String(),
  Type.Object({
    /** The balance in the ledger. */
    clearing_minor: Type.Integer(),
    /** The net of the recorded balance transactions. */
    recorded_minor: Type.Integer(),
    /** The balance that the provider reports. */
    provider_minor: Type.Integer(),
  }),
)
export type Proof = Static<typeof Proof>
const Before = Type.Object({ proof: nullable(Proof) })

export async function proveBalance(deps: Deps, run: Run): Promise<PageResult> {
  const { kernel, provider } = deps
  const balance = await booksOf(provider).balance()
  const lines = await clearingByCurrency(kernel.db, provider)
  const proof: Proof = {}
  for (const [currency, provider_minor] of balance) {
    proof[currency] = { clearing_minor: 0, recorded_minor: 0, provider_minor }
  }
  for (const { currency, clearing_minor, recorded_minor } of lines) {
    const provider_minor = balance.get(currency) ?? 0
    proof[currency] = { clearing_minor, recorded_minor, provider_minor }
  }
  return {
    after: null,
    compared: Object.keys(proof).length,
    steps: [tx => compareProofs(tx, deps, run, proof)],
  }
}

async function compareProofs(tx: Tx, { provider }: Deps, run: Run, proof: Proof): Promise<Counts> {
  await tx.run(sql`
    update payments.reconciliation_runs set proof = ${sql.json(proof)}::jsonb
    where id = ${run.id}`)
  const before = await tx.maybe(
    Before,
    sql`
      select proof from payments.reconciliation_runs
      where provider = ${provider.name} and state = 'succeeded' and id < ${run.id}
      order by id desc limit 1`,
  )
  let opened = 0
  for (const [currency, now] of Object.entries(proof)) {
    const earlier = before?.proof?.[currency]
    if (!differs(now) || !earlier || !differs(earlier)) continue
    const item = {
      tenant_id: provider.owner_id,
      provider: provider.name,
      discrepancy: 'balance_drift',
      external_ref: currency,
      local_ref: null,
      amount_minor: now.provider_minor - now.clearing_minor,
      currency,
      details: now,
    } as const
    if (await openItem(tx, item)) opened++
  }
  return { fixed: 0, opened }
}

function differs({ clearing_minor, provider_minor }: Proof[string]): boolean {
  return clearing_minor !== provider_minor
}
