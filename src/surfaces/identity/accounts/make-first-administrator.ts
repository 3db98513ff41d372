/**
 * Creates the first account of a new deployment: in the default tenant, with a verified address. In
 * development it gets every built-in role but those of the duties support and keys, because no account
 * may collect two duties; in production only the administrative roles. Later starts find that the
 * address is taken and change nothing.
 */
import { Type } from 'typebox'
import { Id, newId, sql, StartError } from '#dodeca/kernel'
import type { FirstAdministrator } from '../face.ts'
import type { Deps } from '../deps.ts'
import { faultOf } from '../passwords/check-password.ts'
import { default_tenant_id } from '../schemas.ts'
import { builtInRoles } from '../roles/built-in.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'
import { parseEmail, type Address } from './email.ts'

const production_roles = ['tenant_admin', 'platform_operator']
const other_duties = new Set(['support_viewer', 'key_administrator'])

export async function makeFirstAdministrator(
  { kernel, hasher, permissions }: Pick<Deps, 'kernel' | 'hasher' | 'permissions'>,
  { email, password }: FirstAdministrator,
): Promise<void> {
  const address = parseEmail(email)
  if (!address)
    throw new StartError('ADMIN_EMAIL is not a mail address. Give one, such as root@example.com.')
  const scope = emailScope(kernel, default_tenant_id)
  if (await isTaken(kernel, scope, address)) return
  const fault = await faultOf({ kernel }, password, address.normalized)
  if (fault) {
    throw new StartError(
      `ADMIN_PASSWORD is refused (${fault}). Choose 12 characters or more that are hard to guess.`,
    )
  }
  const id = newId()
  const encoded = await hasher.hash(password)
  const roles =
    kernel.profile === 'production'
      ? production_roles
      : builtInRoles(permissions).filter(one => !other_duties.has(one))
  await kernel.db.tx(async tx => {
    const made = await tx.run(sql`
      insert into identity.accounts (tenant_id, id, email, email_normalized, email_scope, status,
        verified_at, display_name)
      values (${default_tenant_id}, ${id}, ${address.email}, ${address.normalized}, ${scope},
        'active', kernel.now(), 'Administrator')
      on conflict (email_scope, email_normalized) where status <> 'deleted' do nothing`)
    if (made === 0) return
    await tx.run(sql`
      insert into identity.credentials (tenant_id, account_id, password_hash)
      values (${default_tenant_id}, ${id},
        ${hasher.seal(encoded, { table: 'identity.credentials', id })})`)
    await tx.run(sql`
      insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
      select ${id}, ${default_tenant_id}, role_id, 'system' from unnest(${roles}::text[]) role_id`)
    tx.emit({
      type: 'account.registered',
      tenant_id: default_tenant_id,
      aggregate_type: 'account',
      aggregate_id: id,
      aggregate_version: 1,
      data: { account_id: id, tenant_id: default_tenant_id },
    })
  })
}

async function isTaken(
  { db }: Pick<Deps['kernel'], 'db'>,
  scope: string,
  { normalized }: Address,
): Promise<boolean> {
  const found = await db.maybe(
    Type.Object({ id: Id }),
    sql`
      select id from identity.accounts
      where tenant_id = ${default_tenant_id} and email_scope = ${scope}
        and email_normalized = ${normalized} and status <> 'deleted'`,
  )
  return found !== undefined
}
