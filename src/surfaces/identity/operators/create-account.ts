/**
 * Creates an account for an operator: active, with a verified address, a password and roles, in one
 * transaction.
 */
import { newId } from '#dodeca/kernel'
import { requireEmail } from '../accounts/email.ts'
import { insertAccount } from '../accounts/insert-account.ts'
import type { Deps } from '../deps.ts'
import { requirePassword } from '../passwords/check-password.ts'
import { assignRole } from '../roles/assign-role.ts'
import type { AccountLine } from '../schemas.ts'
import { tenantBySlug } from '../tenants/find-tenant.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'
import { findAccount } from './find-account.ts'
import type { NewAccount } from '../face.ts'

export async function createAccount(
  deps: Deps,
  { tenant: slug, email, password, display_name, role_ids }: NewAccount,
  actor: string,
): Promise<AccountLine | null> {
  const { hasher, kernel } = deps
  const address = requireEmail(email)
  await requirePassword(deps, password, address.normalized)
  const { id: tenant_id } = await tenantBySlug(kernel.db, slug)
  const encoded = await hasher.hash(password)
  const id = newId()
  const scope = emailScope(kernel, tenant_id)
  const made = await kernel.db.tx(async tx => {
    const person = { id, tenant_id, scope, address, encoded, display_name, locale: null }
    if (!(await insertAccount(tx, deps, { ...person, proven: true }))) return false
    tx.audit('identity.accounts.create', id, { by: { tenant_id, id: actor } })
    for (const role_id of role_ids) {
      await assignRole(tx, deps, { account_id: id, tenant_id, role_id }, { actor })
    }
    return true
  })
  return made ? await findAccount(deps, { tenant: slug, account: id }) : null
}
