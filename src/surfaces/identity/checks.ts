/**
 * Checks for `dodeca doctor` that identity's rows are consistent. Each check passes after every
 * commit.
 */
import { Type } from 'typebox'
import { sql, type Check, type PermissionCatalog } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

export function checks({ kernel: { db }, permissions }: Deps): readonly Check[] {
  return [
    {
      name: 'identity',
      says: 'No session outlives its account, no API key a membership, one key signs, and no role mixes separated duties',
      run: async () => {
        const rows = await db.many(
          Fault,
          sql`
            select 'session ' || s.id || ' lives, but its account is ' || a.status as says
            from identity.sessions s join identity.accounts a on a.id = s.account_id
            where s.revoked_at is null and s.expires_at > kernel.now()
              and a.status in ('disabled', 'deleted')
            union all
            select 'account ' || a.id || ' is deleted and still has a credential'
            from identity.accounts a join identity.credentials c on c.account_id = a.id
            where a.status = 'deleted'
            union all
            select 'API key ' || k.id || ' is active, but its owner is no member of its tenant'
            from identity.api_keys k join identity.accounts a on a.id = k.account_id
            where k.state = 'active' and a.tenant_id <> k.tenant_id
              and not exists (select from identity.role_assignments r
                where r.tenant_id = k.tenant_id and r.account_id = a.id)
            union all
            -- Before the first start there are no accounts.
            select 'the number of active signing keys is ' || count(*) filter (where state = 'active')
            from identity.signing_keys
            having count(*) > 0 and count(*) filter (where state = 'active') <> 1`,
        )
        return [...rows.map(row => row.says), ...mixedRoles(permissions)]
      },
    },
  ]
}

/** The constraint covers roles that tenants define; this check covers the built-in ones. */
function mixedRoles(permissions: PermissionCatalog): string[] {
  const duties = new Map<string, Set<string>>()
  for (const { roles, duty } of permissions.values()) {
    if (!duty) continue
    for (const role of roles) duties.set(role, (duties.get(role) ?? new Set<string>()).add(duty))
  }
  return [...duties].flatMap(([role, held]) =>
    held.size > 1 ? [`the built-in role ${role} holds ${[...held].join(' and ')}`] : [],
  )
}
