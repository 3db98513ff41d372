/** The organizations of a person: their home, and those in which they are a guest. */
import { Type } from 'typebox'
import { Id, page, sql, Time, type List, type Reader } from '#dodeca/kernel'

export const MyOrganization = Type.Object(
  {
    id: Id,
    slug: Type.String(),
    name: Type.String(),
    /** Whether the account belongs to it. In all others it is a guest. */
    home: Type.Boolean(),
    role_ids: Type.Array(Type.String(), { maxItems: 1000 }),
    created_at: Time,
  },
  { title: 'MyOrganization' },
)

export function listOrganizations(reader: Reader, account_id: string, list: List) {
  return page(reader, {
    scope: list,
    row: MyOrganization,
    place: ['id'],
    fetch: ({ id }, n) => organizationsOf(account_id, id, n),
  })
}

/** The newest first. */
export function organizationsOf(account_id: string, after: string | null, n: number) {
  return sql`
    select t.id, t.slug, t.name, t.id = a.tenant_id as home, t.created_at,
      array(select r.role_id from identity.role_assignments r
        where r.tenant_id = t.id and r.account_id = a.id order by r.role_id) as role_ids
    from identity.accounts a
    join identity.tenants t on t.state = 'active' and (t.id = a.tenant_id
      or t.id in (select r.tenant_id from identity.role_assignments r where r.account_id = a.id))
    where a.id = ${account_id} and (${after}::uuid is null or t.id < ${after}::uuid)
    order by t.id desc
    limit ${n}`
}
