/** Routes about the accounts of a tenant. An account of another tenant does not exist here (404). */
import { Type } from 'typebox'
import { lacks, nullable, reply, routesOf, sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { isInDomainOf } from '../domains/domain-row.ts'
import { problem } from '../errors.ts'
import { Fields, profile_body_bytes } from '../profiles/profile.ts'
import { operator_permission, requireMayGive } from '../roles/built-in.ts'
import { keepAdministrator } from '../roles/keep-administrator.ts'
import { requireRank } from '../roles/require-rank.ts'
import { Account, type AccountRow } from '../schemas.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { requireStepUp } from '../step-up.ts'
import { changeMetadata } from './change-metadata.ts'
import { changeStatus } from './change-status.ts'
import { requireEmail } from './email.ts'
import { eraseAccount } from './erase-account.ts'
import { accountInTenant } from './find-account.ts'
import { invite, Invite } from './invite-account.ts'
import { listAccounts } from './list-accounts.ts'

const deletes = 'identity.accounts.delete'
const assigns = 'identity.roles.assign'

const disables = 'identity.accounts.disable'
const updates = 'identity.accounts.update'

const AccountWithRoles = Type.Object(
  {
    ...Account.properties,
    profile: Fields,
    metadata: Fields,
    role_ids: Type.Array(Type.String(), { maxItems: 1000 }),
  },
  { title: 'AccountWithRoles' },
)
const More = Type.Object({
  role_ids: Type.Array(Type.String()),
  profile: Fields,
  metadata: Fields,
})

const ChangeAccount = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.Literal('active'), Type.Literal('disabled')], {
        description:
          'Disabling ends the sessions, and disables the webhook subscriptions of the account: they stay disabled when the account is enabled again.',
      }),
    ),
    metadata: Type.Optional(nullable(Fields)),
  },
  { additionalProperties: false, minProperties: 1 },
)

const { open, get, create, patch, del } = routesOf<Deps>({
  absent: 'account_not_found',
  read: 'identity.accounts.read',
  added: true,
})

export const accountRoutes = open({
  listAccounts,

  getAccount: get(
    '/v1/accounts/{account_id}',
    'Get an account of the tenant, with its profile, metadata and roles there',
    { tool: 'read', sends: ['etag'], reply: AccountWithRoles },
    async ({ tx, params, principal }) =>
      await detailsOf(tx, principal.tenant_id, params.account_id),
  ),

  updateAccount: patch(
    '/v1/accounts/{account_id}',
    'Disable or enable an account, or change its metadata',
    {
      sends: ['etag'],
      description:
        'Disabling ends all sessions of the account immediately, and its API keys are no longer accepted; it requires `identity.accounts.disable`. `metadata` is a merge patch: members that are null are removed. It requires `identity.accounts.update`. The person sees the metadata and cannot change it.',
      permission: 'authenticated',
      for_others: disables,
      asks_grants: true,
      body: ChangeAccount,
      body_limit_bytes: profile_body_bytes,
      reply: AccountWithRoles,
      fails: [
        'permission_denied',
        'precondition_failed',
        'invalid_transition',
        'last_operator',
        'last_administrator',
      ],
    },
    async ({ tx, params, body, principal, grants, request, if_match }, deps) => {
      const { tenant_id, id: actor } = principal
      const { account_id: id } = params
      const { status, metadata } = body
      const held = await grants()
      for (const [given, needed] of [
        [status, disables],
        [metadata, updates],
      ] as const) {
        if (given !== undefined && !held.has(needed)) throw lacks(needed)
      }
      await requireRank(tx, { account_id: id, principal, grants: held })
      if (metadata !== undefined) {
        await changeMetadata(tx, { tenant_id, id, metadata, if_match }, actor)
      }
      if (status !== undefined) {
        const check = await keepAdministrator(tx, deps, { account_id: id, principal, grants: held })
        // The metadata of the same request has passed the condition.
        const change = {
          tenant_id,
          id,
          status,
          if_match: metadata === undefined ? if_match : undefined,
        }
        await changeStatus(tx, deps, change, { actor, seen: request })
        if (status === 'disabled') await check()
      }
      return await detailsOf(tx, tenant_id, id)
    },
  ),

  eraseAccount: del(
    '/v1/accounts/{account_id}',
    'Erase your own account, or one of the tenant',
    {
      for_others: deletes,
      description:
        'Requires a recent authentication. All sessions end, and personal data is erased irrevocably.',
      permission: 'authenticated',
      asks_grants: true,
      fails: [
        'permission_denied',
        'session_bound',
        'step_up_required',
        'last_operator',
        'last_administrator',
      ],
    },
    async ({ tx, params, principal, grants, request }, deps) => {
      const { account_id } = params
      const mine = principal.kind === 'account' && principal.id === account_id
      if (!mine && !(await grants()).has(deletes)) throw lacks(deletes)
      const tenant_id = mine ? await homeOf(tx, account_id) : principal.tenant_id
      const account = await accountInTenant(tx, tenant_id, account_id)
      if (!account) throw problem('account_not_found')
      await requireRank(tx, { account_id, principal, grants: await grants() })
      if (mine) await requireOwnSession(tx, principal)
      await requireStepUp(tx, deps.kernel, principal)
      const change = { account_id, principal, grants: await grants(), erases: true } as const
      const check = await keepAdministrator(tx, deps, change)
      if (await eraseAccount(tx, deps, account, { actor: principal.id, seen: request })) {
        await check()
        tx.audit('identity.accounts.delete', account_id, { by: { tenant_id, id: principal.id } })
      }
    },
  ),

  inviteAccount: create(
    '/v1/invitations',
    'Invite a person, or send a pending invitation again',
    {
      idempotency: 'optional',
      // The reply has the address of the person, which an erasure must find.
      record: 'reference',
      description:
        'Makes an account of your tenant, so the address must be in a domain that the tenant has verified, unless you hold `identity.tenants.manage`; invite other people as guests with `POST /v1/organization/invitations`. The person sets the password with the mailed token through `POST /v1/password-resets`. Roles count from then on, if you still may assign them. A person who has an account in another tenant keeps it, and gets the roles as a guest: the reply is the same.',
      permission: 'identity.accounts.invite',
      body: Invite,
      instead: { roles: 'role_ids' },
      replies: { 200: Account, 201: Account },
      fails: ['already_exists', 'permission_denied', 'role_not_found', 'validation_failed'],
    },
    {
      handle: async ({ tx, body, principal, grants, request }, deps) => {
        const { tenant_id, id: actor } = principal
        const { role_ids = [] } = body
        const held = await grants()
        if (role_ids.length > 0 && !held.has(assigns)) throw lacks(assigns)
        for (const role_id of role_ids) await requireMayGive(tx, deps, held, { tenant_id, role_id })
        if (!held.has(operator_permission)) await requireOwnDomain(tx, tenant_id, body.email)
        const { account, made } = await invite(tx, deps, tenant_id, body, { actor, seen: request })
        return invited(account, made)
      },
      again: async ({ tx, principal, resource_ref, status }) => {
        const id = resource_ref.slice(resource_ref.lastIndexOf('/') + 1)
        // Also an account that was deleted since: it is still the outcome of the invitation.
        const found = await accountInTenant(tx, principal.tenant_id, id)
        if (!found) throw problem('account_not_found')
        return invited(found, status === 201)
      },
    },
  ),
})

/** An account of the tenant is in the hands of its administrators. So its address must be, too. */
async function requireOwnDomain(reader: Reader, tenant_id: string, email: string): Promise<void> {
  if (await isInDomainOf(reader, tenant_id, requireEmail(email).normalized)) return
  throw lacks(
    operator_permission,
    'Accounts of your tenant need an address in a domain that it has verified (`POST /v1/organization/domains`). Invite this person as a guest: `POST /v1/organization/invitations`.',
  )
}

/** The home tenant of an account. Its token may work in another tenant. */
async function homeOf(reader: Reader, id: string): Promise<string> {
  const home = await reader.maybe(
    Type.Object({ tenant_id: Account.properties.tenant_id }),
    sql`select tenant_id from identity.accounts where id = ${id}`,
  )
  if (!home) throw problem('account_not_found')
  return home.tenant_id
}

async function detailsOf(reader: Reader, tenant_id: string, id: string) {
  const account = await living(reader, tenant_id, id)
  const more = await reader.one(
    More,
    sql`
      select a.profile, a.metadata, array(select role_id from identity.role_assignments
        where tenant_id = ${tenant_id} and account_id = a.id order by role_id) as role_ids
      from identity.accounts a
      where a.tenant_id = ${tenant_id} and a.id = ${id}`,
  )
  return { ...account, ...more }
}

async function living(reader: Reader, tenant_id: string, id: string): Promise<AccountRow> {
  const account = await accountInTenant(reader, tenant_id, id)
  if (!account || account.status === 'deleted') throw problem('account_not_found')
  return account
}

function invited({ version: _version, ...account }: AccountRow, made: boolean) {
  const headers = { location: `/v1/accounts/${account.id}` }
  return made ? reply(201, account, headers) : reply(200, account, headers)
}
