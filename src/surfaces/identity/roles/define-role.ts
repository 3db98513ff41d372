/**
 * Defines a role of a tenant. An exclusion constraint forbids a role with two separated duties, so
 * that neither concurrent requests nor an operator in the database can store one.
 */
import { Type } from 'typebox'
import { lacks, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { builtInRoles, requireKnown, isOfPlatform, operator_permission } from './built-in.ts'
import type { DefineRole, Role } from './schemas.ts'

const Defined = Type.Object({ created_at: Time })

export type Definer = {
  readonly id: string
  readonly tenant_id: string
  readonly grants: ReadonlySet<string>
}

export async function defineRole(
  tx: Tx,
  { permissions, kernel }: Pick<Deps, 'permissions' | 'kernel'>,
  { role_id, name, permissions: grants }: DefineRole,
  definer: Definer,
): Promise<Role> {
  requireKnown(permissions, grants)
  const reaches = grants.some(grant => isOfPlatform(permissions, grant))
  if (reaches && !definer.grants.has(operator_permission)) throw lacks(operator_permission)
  const { tenant_id } = definer
  if (role_id === 'member' || builtInRoles(permissions).includes(role_id)) {
    throw problem('already_exists', { detail: 'A built-in role has this id. Choose another one.' })
  }
  await kernel.counted(
    tx,
    `identity.roles:${tenant_id}`,
    kernel.settings['identity.roles_per_tenant'],
    sql`select from identity.roles where tenant_id = ${tenant_id}`,
  )
  const defined = await tx.maybe(
    Defined,
    sql`
      insert into identity.roles (tenant_id, role_id, name)
      values (${tenant_id}, ${role_id}, ${name})
      on conflict do nothing returning created_at`,
  )
  if (!defined) throw problem('already_exists')
  await tx.run(sql`
    insert into identity.role_permissions (tenant_id, role_id, permission)
    select ${tenant_id}, ${role_id}, permission from unnest(${grants}::text[]) as permission`)
  tx.audit('identity.roles.define', `role:${role_id}`)
  const sorted = [...grants].sort()
  return { role_id, name, permissions: sorted, built_in: false, created_at: defined.created_at }
}
