/**
 * Reads the grants of accounts and API keys for work that runs without their request: schedules,
 * queued jobs, webhooks. It is called when the work runs. If the account, key or tenant is not
 * active, there are no grants. A second factor cannot be checked then; if one was required, the
 * holder presented it when they requested the work. What a narrow session requested has only the grants
 * within its scope, and none once the session has ended.
 */
import { Type } from 'typebox'
import { heldOf, nullable, sql, withinScope, type Db, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Inside, Holder } from '../face.ts'
import { rolePermissions } from './account-grants.ts'
import { isForTenant } from './built-in.ts'

const Row = Type.Object({
  place: Type.Integer(),
  /** For an API key: its own grants. */
  given: nullable(Type.Array(Type.String())),
  /** The key belongs to the tenant, so no account limits its grants. */
  of_tenant: Type.Boolean(),
  trusted: Type.Boolean(),
  scope: nullable(Type.Array(Type.String())),
  roles: Type.Array(Type.String()),
  permissions: Type.Array(Type.String()),
})

type Grants = ReadonlySet<string>
const nothing: Grants = new Set()

/** In the order of the holders. */
export async function holderGrants(
  reader: Reader,
  { permissions: catalog }: Pick<Deps, 'permissions'>,
  holders: readonly Holder[],
): Promise<Grants[]> {
  const rows = await reader.many(
    Row,
    sql`
      select h.place::int as place, h.given, h.of_tenant, t.trusted, s.scope,
        array_remove(array_agg(distinct r.role_id), null) as roles,
        array_remove(array_agg(distinct p.permission), null) as permissions
      from (
        select a.place, a.tenant_id, a.session_id, k.permissions as given,
          case when k.id is null then a.principal_id else k.account_id end as account_id,
          k.id is not null and k.account_id is null as of_tenant
        from unnest(${holders.map(one => one.tenant_id)}::uuid[],
          ${holders.map(one => one.principal_id)}::uuid[],
          ${holders.map(one => one.session_id ?? null)}::uuid[])
          with ordinality as a (tenant_id, principal_id, session_id, place)
        left join identity.api_keys k on k.tenant_id = a.tenant_id and k.id = a.principal_id
          and k.state = 'active' and (k.expires_at is null or k.expires_at > kernel.now())
      ) h
      left join identity.accounts c on c.id = h.account_id and c.status = 'active'
      left join identity.tenants home on home.id = c.tenant_id
      join identity.tenants t on t.id = h.tenant_id and t.state = 'active'
      left join identity.sessions s on s.id = h.session_id and s.account_id = c.id
        and s.revoked_at is null and s.expires_at > kernel.now()
      left join identity.role_assignments r
        on r.tenant_id = h.tenant_id and r.account_id = c.id
      left join identity.role_permissions p
        on p.tenant_id = r.tenant_id and p.role_id = r.role_id
      where (h.of_tenant or home.state = 'active'
          and (c.tenant_id = h.tenant_id or r.role_id is not null))
        and (h.session_id is null or s.id is not null)
      group by h.place, h.given, h.of_tenant, t.trusted, s.scope`,
  )
  const found = new Map(rows.map(row => [row.place - 1, row]))
  return holders.map(({ reads }, at) => {
    const row = found.get(at)
    if (!row) return nothing
    if (row.of_tenant) return new Set(row.given?.filter(one => isForTenant(catalog, one, row)))
    const built_in = rolePermissions(catalog, new Set(['member', ...row.roles]))
    const held = new Set([...built_in, ...row.permissions])
    if (row.given !== null) return new Set(row.given.flatMap(one => heldOf(held, one)))
    const { scope } = row
    return scope === null ? held : withinScope(catalog, new Set(scope), held, reads ? 'GET' : '')
  })
}

const life_ms = 500
const known_max = 10_000

/**
 * The same, cached for half a second in every process. A removed grant has no effect after a
 * second, and no notification is needed that could be lost. A webhook sender reads the grants of
 * the same few owners some hundred times a second.
 */
export function openRecentGrants(
  db: Db,
  deps: Pick<Deps, 'permissions'>,
): Inside['recentGrantsOf'] {
  const known = new Map<string, { readonly grants: Grants; readonly at: number }>()
  return async holders => {
    const oldest = performance.now() - life_ms
    // Found now: the others may be removed while these are read.
    const found = new Map<string, Grants>()
    const asked = new Map<string, Holder>()
    for (const one of holders) {
      const before = known.get(keyOf(one))
      if (before && before.at >= oldest) found.set(keyOf(one), before.grants)
      else asked.set(keyOf(one), one)
    }
    if (asked.size > 0) {
      const at = performance.now()
      const fresh = await holderGrants(db, deps, [...asked.values()])
      if (known.size + asked.size > known_max) known.clear()
      for (const [place, key] of [...asked.keys()].entries()) {
        const grants = fresh[place] ?? nothing
        found.set(key, grants)
        known.set(key, { grants, at })
      }
    }
    return holders.map(one => found.get(keyOf(one)) ?? nothing)
  }
}

function keyOf({ tenant_id, principal_id, session_id, reads }: Holder): string {
  return `${tenant_id} ${principal_id} ${session_id ?? ''}${reads ? ' reads' : ''}`
}
