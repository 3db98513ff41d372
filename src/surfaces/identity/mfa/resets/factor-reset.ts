/** A reset of a person's second factors, as an administrator sees it. */
import { Type, type Static } from 'typebox'
import { Id, nullable, oneOf, sql, text, Time, type Reader } from '#dodeca/kernel'
import { problem } from '../../errors.ts'

export const Reason = text(300)

export const FactorReset = Type.Object(
  {
    id: Id,
    account_id: Id,
    requested_by: Id,
    reason: Reason,
    state: oneOf('waiting', 'done', 'stopped', 'withdrawn', 'lapsed'),
    effective_at: Time,
    created_at: Time,
    ended_at: nullable(Time),
  },
  { title: 'FactorReset' },
)
export type FactorReset = Static<typeof FactorReset>

export const resets_factors = 'identity.factors.reset'
export const queue_name = 'identity.factor_resets'

export async function resetOf(reader: Reader, tenant_id: string, id: string): Promise<FactorReset> {
  const reset = await reader.maybe(
    FactorReset,
    sql`
      select id, account_id, requested_by, reason, state, effective_at, created_at, ended_at
      from identity.factor_resets where tenant_id = ${tenant_id} and id = ${id}`,
  )
  if (!reset) throw problem('factor_reset_not_found')
  return reset
}
