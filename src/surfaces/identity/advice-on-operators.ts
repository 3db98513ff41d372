/**
 * Logs a message when a production process starts and no account can administer the platform. The
 * message says why.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Operators = Type.Object({ operators: Type.Integer(), able: Type.Integer() })

export async function adviceOnOperators({ kernel }: Pick<Deps, 'kernel'>): Promise<string[]> {
  if (kernel.profile !== 'production') return []
  const { operators, able } = await kernel.db.one(
    Operators,
    sql`
      select count(*)::int as operators,
        count(*) filter (where exists (select from identity.mfa_methods m
          where m.account_id = a.id and m.status = 'active'))::int as able
      from identity.accounts a
      where a.status = 'active' and exists (select from identity.role_assignments r
        where r.account_id = a.id and r.role_id = 'platform_operator')`,
  )
  if (operators === 0) {
    return [
      'No account has the role platform_operator. Create the first administrator: npx dodeca user create <address> --roles=tenant_admin,platform_operator',
    ]
  }
  if (able > 0 || !kernel.settings['identity.admin_requires_mfa']) return []
  return [
    'No platform operator has a second factor, so administration is refused. Add one: npx dodeca user enrol-totp <address>, or at /account/',
  ]
}
