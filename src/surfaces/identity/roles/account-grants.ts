/**
 * Reads the grants of an account from the rows in the same request, so that a removed role has no
 * effect any more. If administration requires a second factor, a session without one has only the
 * grants of a member.
 */
import { Type } from 'typebox'
import { allowsSome, allowsType, nullable, sql } from '#dodeca/kernel'
import type { PermissionCatalog, Principal, Problem, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hasFactor } from '../step-up.ts'

const Held = Type.Object({ role_id: Type.String(), permission: nullable(Type.String()) })

export type AccountGrants = {
  readonly held: ReadonlySet<string>
  /** What the roles also allow, in a session with a second factor. */
  readonly withheld: ReadonlySet<string>
}

type Who = Pick<Principal, 'id' | 'tenant_id' | 'session_id' | 'aal'>

export async function accountGrants(
  reader: Reader,
  deps: Pick<Deps, 'permissions' | 'kernel'>,
  who: Who,
): Promise<ReadonlySet<string>> {
  return (await readGrants(reader, deps, who)).held
}

/**
 * The grants of an account in the tenant of its token: the grants of every member, and the grants
 * of the account's roles in that tenant. An account is a member of its own tenant. In another
 * tenant it is a member only while it has a role there.
 */
export async function readGrants(
  reader: Reader,
  { permissions, kernel }: Pick<Deps, 'permissions' | 'kernel'>,
  { id, tenant_id, session_id, aal }: Who,
): Promise<AccountGrants> {
  const rows = await reader.many(
    Held,
    sql`
      select coalesce(r.role_id, 'member') as role_id, p.permission
      from identity.accounts a
      left join identity.role_assignments r on r.tenant_id = ${tenant_id} and r.account_id = a.id
      left join identity.role_permissions p
        on p.tenant_id = r.tenant_id and p.role_id = r.role_id
      where a.id = ${id} and a.status = 'active'
        and (a.tenant_id = ${tenant_id} or r.role_id is not null)
        and (${session_id}::uuid is null or exists (select from identity.sessions s
          where s.id = ${session_id}::uuid and s.revoked_at is null))`,
  )
  if (rows.length === 0) return none
  const built_in = rolePermissions(
    permissions,
    new Set(['member', ...rows.map(one => one.role_id)]),
  )
  const custom = rows.flatMap(row => row.permission ?? [])
  const all = custom.length > 0 ? built_in.union(new Set(custom)) : built_in
  const weak = kernel.settings['identity.admin_requires_mfa'] && aal !== 'aal2'
  return weak ? withoutFactor(permissions, all) : { held: all, withheld: none.withheld }
}

const none: AccountGrants = { held: new Set(), withheld: new Set() }
const divided = new WeakMap<ReadonlySet<string>, AccountGrants>()

/** Built-in roles have the same set at each request, so it is divided once. */
function withoutFactor(permissions: PermissionCatalog, all: ReadonlySet<string>): AccountGrants {
  const before = divided.get(all)
  if (before) return before
  const held = new Set([...all].filter(one => isForMembers(permissions, one)))
  const made = { held, withheld: all.difference(held) }
  divided.set(all, made)
  return made
}

/** A role with the permission that has no effect, because the session has no second factor. */
export async function whyTooWeak(
  reader: Reader,
  deps: Pick<Deps, 'permissions' | 'kernel'>,
  principal: Principal,
  permission: string,
): Promise<Problem | null> {
  if (principal.kind !== 'account' || principal.aal === 'aal2') return null
  const strong = await accountGrants(reader, deps, { ...principal, aal: 'aal2' })
  const [name = '', type] = permission.split(':')
  const holds = type === undefined ? allowsSome(strong, name) : allowsType(strong, name, type)
  if (!holds) return null
  const has = await hasFactor(reader, principal.id)
  const code = has ? 'step_up_required' : 'mfa_enrollment_required'
  const where = `${deps.kernel.public_url}/account/`
  const own = has ? `Confirm this one with a code at ${where}.` : `Add one at ${where}.`
  const next = principal.scope ? 'Log in with it, and begin a new session for the client.' : own
  const detail = `Your role holds \`${permission}\`, but it counts only in a session with a second factor. ${next}`
  return problem(code, { detail, more: { permission } })
}

type Catalog = {
  readonly by_role: ReadonlyMap<string, ReadonlySet<string>>
  /** The grants of several roles, by the names of these. */
  readonly together: Map<string, ReadonlySet<string>>
}

/** The grants of built-in roles, from the catalog, in the order of their names. */
export function rolePermissions(
  permissions: PermissionCatalog,
  roles: ReadonlySet<string>,
): ReadonlySet<string> {
  const { by_role, together } = catalogOf(permissions)
  const names = [...roles].filter(role => by_role.has(role)).sort()
  const key = names.join(' ')
  const before = together.get(key)
  if (before) return before
  const all = new Set(names.flatMap(role => [...(by_role.get(role) ?? [])]).sort())
  together.set(key, all)
  return all
}

const known = new WeakMap<PermissionCatalog, Catalog>()

/** The catalog does not change while the process runs, so this is computed once. */
function catalogOf(permissions: PermissionCatalog): Catalog {
  const before = known.get(permissions)
  if (before) return before
  const by_role = new Map<string, Set<string>>()
  for (const [name, { roles, typed }] of permissions) {
    for (const role of roles) {
      const grants = by_role.get(role) ?? new Set()
      by_role.set(role, grants.add(typed ? `${name}:*` : name))
    }
  }
  const made = { by_role, together: new Map() }
  known.set(permissions, made)
  return made
}

function isForMembers(permissions: PermissionCatalog, grant: string): boolean {
  return permissions.get(grant.split(':')[0] ?? '')?.roles.includes('member') === true
}
