/** The books of one account with a provider, compared with the balance that the provider has. */
import { Type } from 'typebox'
import { expect } from 'vitest'
import { sql } from '#dodeca/kernel'
import { requestRun } from '../../src/surfaces/payments/reconciliation/request-run.ts'
import { eventually, type World } from '../world.ts'

const Proof = Type.Object({ clearing: Type.Integer(), provider: Type.Integer() })
const window = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

export async function expectProof(
  { platform }: Pick<World, 'platform'>,
  provider: string,
  patience_ms: number,
): Promise<void> {
  const { db } = platform.kernel
  const run = await db.tx(tx => requestRun(tx, provider, { ...window, requested_by: 'test' }))
  const proof = await eventually(
    'the books are compared',
    () =>
      db.maybe(
        Proof,
        sql`
          select (proof -> 'EUR' ->> 'clearing_minor')::bigint as clearing,
            (proof -> 'EUR' ->> 'provider_minor')::bigint as provider
          from payments.reconciliation_runs where id = ${run} and state = 'succeeded'`,
      ),
    patience_ms,
  )
  expect(proof.clearing).toBe(proof.provider)
  expect(proof.provider).not.toBe(0)
}
