/**
 * Ends the reservation of a run once: `inference.settle` counts the usage and writes the usage
 * rows.
 */
import { Type, type Static } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'

export const Settled = Type.Object({
  input_units: Type.Integer(),
  cached_input_units: Type.Integer(),
  output_units: Type.Integer(),
  cost: Type.String(),
  currency: Type.String(),
  price_version: Type.Integer(),
  source: Type.String(),
})
export type Settled = Static<typeof Settled>

export type Spent = {
  /** `ambiguous` is charged as reserved. `released` was never sent. */
  readonly as: 'succeeded' | 'failed' | 'cancelled' | 'blocked' | 'ambiguous' | 'released'
  readonly input: number
  readonly cached_input: number
  readonly output: number
  /** A part of the output. */
  readonly reasoning: number
  readonly source: 'provider' | 'estimated'
  readonly model_snapshot: string | null
  readonly provider_request_id: string | null
  readonly compute_ms: number
}

export const nothing_known: Omit<Spent, 'as'> = {
  input: 0,
  cached_input: 0,
  output: 0,
  reasoning: 0,
  source: 'estimated',
  model_snapshot: null,
  provider_request_id: null,
  compute_ms: 0,
}

export type RunKey = {
  readonly tenant_id: string
  readonly operation_id: string
  readonly run: number
}

/** Undefined if it has ended already. */
export async function settleRun(
  tx: Tx,
  { tenant_id, operation_id, run }: RunKey,
  spent: Spent,
): Promise<Settled | undefined> {
  return await tx.maybe(
    Settled,
    sql`
      select input_units, cached_input_units, output_units, cost::text, currency, price_version,
        source
      from inference.settle(${tenant_id}, ${operation_id}, ${run}, ${spent.as}, ${spent.input},
        ${spent.cached_input}, ${spent.output}, ${spent.source}, ${spent.model_snapshot},
        ${spent.provider_request_id}, ${spent.compute_ms})`,
  )
}
