/**
 * Makes sure that the platform always has an operator. The last active account with that role
 * cannot be disabled or erased, and cannot lose the role. Every use case that removes an operator
 * calls this after the change and before its commit. It locks the row of the platform's tenant: if
 * two operators remove each other at the same time, one request is refused.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { default_tenant_id } from '../schemas.ts'

const Answer = Type.Object({ it: Type.Boolean() })
export const operator_role = 'platform_operator'

export async function keepOperator(tx: Tx): Promise<void> {
  await tx.run(sql`
    select from identity.tenants where id = ${default_tenant_id} for no key update`)
  const { it } = await tx.one(
    Answer,
    sql`
      select exists (select from identity.role_assignments r
        join identity.accounts a on a.id = r.account_id and a.status = 'active'
        join identity.tenants t on t.id = r.tenant_id and t.state = 'active'
        join identity.tenants home on home.id = a.tenant_id and home.state = 'active'
        where r.role_id = ${operator_role}) as it`,
  )
  if (!it) throw problem('last_operator')
}

/** The same check for a tenant that is disabled: of its accounts, and of roles in it. */
export async function keepOperatorOutside(tx: Tx, tenant_id: string): Promise<void> {
  const { it } = await tx.one(
    Answer,
    sql`
      select exists (select from identity.role_assignments r
        join identity.accounts a on a.id = r.account_id and a.status = 'active'
        where r.role_id = ${operator_role}
          and ${tenant_id} in (r.tenant_id, a.tenant_id)) as it`,
  )
  if (it) await keepOperator(tx)
}

/**
 * The same check for an account that is disabled or erased. It applies only if the account is an
 * operator.
 */
export async function keepOperatorBeside(tx: Tx, account_id: string): Promise<void> {
  if (await isOperator(tx, account_id)) await keepOperator(tx)
}

async function isOperator(tx: Tx, account_id: string): Promise<boolean> {
  const { it } = await tx.one(
    Answer,
    sql`
      select exists (select from identity.role_assignments
        where account_id = ${account_id} and role_id = ${operator_role}) as it`,
  )
  return it
}
