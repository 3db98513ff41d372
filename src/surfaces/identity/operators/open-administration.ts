/**
 * The use cases of identity for the command line. They are the use cases of the API, called without
 * authentication.
 */
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { changeStatus } from '../accounts/change-status.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { rotateSigningKey } from '../keys/rotate-signing-key.ts'
import { issueRandom } from '../one-time.ts'
import { builtInRoles } from '../roles/built-in.ts'
import { assignRole, holdAccount, revokeRole } from '../roles/assign-role.ts'
import { default_tenant_id } from '../schemas.ts'
import { changeTenant } from '../tenants/change-tenant.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { Tenant, tenantBySlug, tenantColumns } from '../tenants/find-tenant.ts'
import { createAccount } from './create-account.ts'
import { endRestored } from './end-restored.ts'
import { enrolTotp } from './enrol-totp.ts'
import { findAccount, listLines } from './find-account.ts'
import type { Administration, Who } from '../face.ts'

export function openAdministration(deps: Deps): Administration {
  const { db } = deps.kernel
  return {
    createTenant: (draft, actor) => db.tx(tx => createTenant(tx, draft, actor)),
    tenant: slug =>
      db.maybe(Tenant, sql`select ${tenantColumns} from identity.tenants where slug = ${slug}`),
    tenants: limit =>
      db.many(
        Tenant,
        sql`select ${tenantColumns} from identity.tenants order by created_at, id limit ${limit}`,
      ),
    disableTenant: async (slug, actor) => {
      const { id } = await tenantBySlug(db, slug)
      return await db.tx(tx => changeTenant(tx, deps, id, { state: 'disabled' }, { actor }))
    },
    createAccount: async (person, actor) => {
      await deps.hasher.prepare()
      return await createAccount(deps, person, actor)
    },
    accounts: (filter, limit) => listLines(deps, filter, limit),
    grant: (who, role_id, actor) => turnRole(deps, assignRole, who, role_id, actor),
    revoke: (who, role_id, actor) => turnRole(deps, revokeRole, who, role_id, actor),
    roles: slug => rolesOf(deps, slug),
    enrolTotp: (who, replace, actor) => enrolTotp(deps, who, replace, actor),
    disableAccount: async (who, actor) => {
      const { id } = await findAccount(deps, who)
      const { id: tenant_id } = await tenantBySlug(db, who.tenant)
      const change = { tenant_id, id, status: 'disabled' } as const
      await db.tx(tx => changeStatus(tx, deps, change, { actor }))
      return await findAccount(deps, who)
    },
    resetToken: (who, actor) => resetToken(deps, who, actor),
    endRestored: (old, actor) => endRestored(deps, old, actor),
    rotateSigningKey: (mode, actor) =>
      db.tx(tx => rotateSigningKey(tx, deps, mode, { actor, tenant_id: default_tenant_id })),
  }
}

async function rolesOf({ kernel: { db }, permissions }: Deps, slug: string): Promise<string[]> {
  const { id } = await tenantBySlug(db, slug)
  const own = await db.many(
    Type.Object({ role_id: Type.String() }),
    sql`select role_id from identity.roles where tenant_id = ${id} order by role_id`,
  )
  const all = [...builtInRoles(permissions), ...own.map(one => one.role_id)]
  return [...new Set(all)].sort()
}

async function turnRole(
  deps: Deps,
  turn: typeof assignRole | typeof revokeRole,
  who: Who,
  role_id: string,
  actor: string,
): Promise<boolean> {
  const { id: account_id } = await findAccount(deps, who)
  const { id: tenant_id } = await tenantBySlug(deps.kernel.db, who.tenant)
  return await deps.kernel.db.tx(async tx => {
    await holdAccount(tx, account_id, tenant_id)
    return await turn(tx, deps, { account_id, tenant_id, role_id }, { actor })
  })
}

/** Random, because it is printed once and never mailed, so it never has to be derived again. */
async function resetToken({ kernel }: Deps, who: Who, actor: string) {
  const { id: account_id, status } = await findAccount({ kernel }, who)
  if (status === 'disabled') throw problem('invalid_transition', { current_state: status })
  const { id: tenant_id } = await tenantBySlug(kernel.db, who.tenant)
  const { token, expires_at } = await kernel.db.tx(async tx => {
    tx.audit('identity.accounts.reset_password', account_id, { by: { tenant_id, id: actor } })
    return await issueRandom(tx, {
      purpose: 'password_reset',
      ref: newId(),
      tenant_id,
      account_id,
      ttl_seconds: kernel.settings['identity.reset_ttl_seconds'],
    })
  })
  const base = kernel.settings['identity.link_base'] ?? `${kernel.public_url}/account`
  return { token, link: `${base}/reset?${new URLSearchParams({ token })}`, expires_at }
}
