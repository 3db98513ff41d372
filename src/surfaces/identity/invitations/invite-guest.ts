/**
 * Invites the person with an address as a guest. Whether the address has an account changes nothing:
 * the row, the reply and the mail are the same. A second invitation of the address renews the first.
 */
import { Type, type Static } from 'typebox'
import { closed, lacks, newId, sql, Version, type Principal, type Tx } from '#dodeca/kernel'
import { requireEmail } from '../accounts/email.ts'
import type { Deps } from '../deps.ts'
import { requestMail } from '../mails/request.ts'
import { member_role, requireRole } from '../roles/assign-role.ts'
import { requireMayGive } from '../roles/built-in.ts'
import { RoleId } from '../roles/schemas.ts'
import { Email, Locale } from '../schemas.ts'
import { announceInvitation, Invitation, stateOf } from './invitation-row.ts'
import { limitInvitations } from './limit-invitations.ts'

export const InviteGuest = closed(
  {
    email: Email,
    role_ids: Type.Optional(Type.Array(RoleId, { minItems: 1, maxItems: 20, uniqueItems: true })),
    locale: Type.Optional(Locale),
  },
  { title: 'InviteGuest' },
)

const assigns = 'identity.roles.assign'
const Made = Type.Object({ ...Invitation.properties, version: Version })

type Inviter = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

export async function inviteGuest(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  { email, role_ids = [member_role], locale }: Static<typeof InviteGuest>,
  { principal, grants }: Inviter,
): Promise<Invitation> {
  const { kernel } = deps
  const { tenant_id, id: invited_by } = principal
  const address = requireEmail(email)
  for (const role_id of role_ids) {
    if (role_id === member_role) continue
    if (!grants.has(assigns)) throw lacks(assigns)
    await requireMayGive(tx, deps, grants, { tenant_id, role_id })
    await requireRole(tx, deps, { tenant_id, role_id })
  }
  await limitInvitations(tx, kernel, tenant_id, address.normalized)
  const ttl_seconds = kernel.settings['identity.invitation_ttl_seconds']
  const { version, ...invitation } = await tx.one(
    Made,
    sql`
      insert into identity.invitations as t
        (tenant_id, id, email, email_normalized, role_ids, invited_by, expires_at)
      values (${tenant_id}, ${newId()}, ${address.email}, ${address.normalized}, ${role_ids},
        ${invited_by}, kernel.now() + make_interval(secs => ${ttl_seconds}))
      on conflict (tenant_id, email_normalized) where state = 'pending' do update
      set role_ids = excluded.role_ids, invited_by = excluded.invited_by, email = excluded.email,
        expires_at = excluded.expires_at, version = t.version + 1
      returning t.id, t.role_ids, ${stateOf} as state, t.expires_at, t.created_at, t.email,
        t.invited_by, t.version`,
  )
  const { id, state } = invitation
  announceInvitation(tx, version === 1 ? 'created' : 'changed', { tenant_id, id, state, version })
  tx.audit('identity.invitations.create', id)
  await requestMail(tx, {
    template: 'organization_invitation',
    tenant_id,
    account_id: null,
    address: address.email,
    locale: locale ?? null,
    invitation_id: id,
  })
  return invitation
}
