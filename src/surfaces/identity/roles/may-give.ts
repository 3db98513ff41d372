/**
 * Who may give or take which role where. Within a tenant its administrators do, except roles that act on
 * the whole platform; those, and roles in other tenants, are for platform operators.
 */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isOfPlatform, isPlatformRole, operator_permission } from './built-in.ts'

const Held = Type.Object({ permission: Type.String() })

export async function demandMayGive(
  reader: Reader,
  { permissions }: Pick<Deps, 'permissions'>,
  grants: ReadonlySet<string>,
  { tenant_id, role_id }: { readonly tenant_id: string; readonly role_id: string },
): Promise<void> {
  if (grants.has(operator_permission)) return
  if (isPlatformRole(role_id)) throw problem('permission_denied')
  const held = await reader.many(
    Held,
    sql`
      select permission from identity.role_permissions
      where tenant_id = ${tenant_id} and role_id = ${role_id}`,
  )
  if (held.some(({ permission }) => isOfPlatform(permissions, permission))) {
    throw problem('permission_denied')
  }
}
