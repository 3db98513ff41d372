/** Routes about the members of the caller's organization: its own accounts, and its guests. */
import { Type } from 'typebox'
import { Id, nullable, page, routesOf, sql, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { removeMember } from './remove-member.ts'

const Member = Type.Object(
  {
    account_id: Id,
    email: nullable(Type.String()),
    display_name: nullable(Type.String()),
    status: Type.String(),
    /** A guest belongs to another organization, and is a member by its roles here. */
    guest: Type.Boolean(),
    role_ids: Type.Array(Type.String(), { maxItems: 1000 }),
  },
  { title: 'Member' },
)

const { open, list, del } = routesOf<Deps>({ absent: 'account_not_found', added: true })

export const memberRoutes = open({
  listMembers: list(
    '/v1/organization/members',
    'List the members of my organization, newest first',
    { permission: 'identity.accounts.read', item: Member },
    async ({ tx, principal: { tenant_id }, list: scope }) =>
      await page(tx, {
        scope,
        row: Member,
        place: ['account_id'],
        fetch: ({ account_id }, n) => membersOf(tenant_id, account_id, n),
      }),
  ),

  removeMember: del(
    '/v1/organization/members/{account_id}',
    'Remove a guest from my organization, or leave it',
    {
      description:
        'All roles of the guest here end, and the sessions that worked here and the API keys here with them. To leave, send your own id.',
      permission: 'authenticated',
      for_others: 'identity.roles.assign',
      asks_grants: true,
      fails: ['invalid_transition', 'last_administrator', 'last_operator', 'permission_denied'],
    },
    async ({ tx, params, principal, grants, request }, deps) => {
      const caller = { principal, grants: await grants() }
      await removeMember(tx, deps, params.account_id, caller, request)
    },
  ),
})

/** Each half reads no more rows than a page has. */
function membersOf(tenant_id: string, after: string | null, n: number): Sql {
  return sql`
    select a.id as account_id, a.email, a.display_name, a.status,
      a.tenant_id <> ${tenant_id} as guest,
      array(select r.role_id from identity.role_assignments r
        where r.tenant_id = ${tenant_id} and r.account_id = a.id order by r.role_id) as role_ids
    from (
      (select id from identity.accounts
        where tenant_id = ${tenant_id} and status <> 'deleted' and kind = 'person'
          and (${after}::uuid is null or id < ${after}::uuid)
        order by id desc limit ${n})
      union
      (select distinct account_id from identity.role_assignments
        where tenant_id = ${tenant_id} and (${after}::uuid is null or account_id < ${after}::uuid)
        order by account_id desc limit ${n})
    ) m
    join identity.accounts a on a.id = m.id
    order by a.id desc
    limit ${n}`
}
