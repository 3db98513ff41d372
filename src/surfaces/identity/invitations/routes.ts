/** Routes about invitations of guests: of the caller's organization, and to the caller. */
import { looked, oneOf, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { answerInvitation } from './answer-invitation.ts'
import { Invitation, MyInvitation, requireInvitation, stateOf } from './invitation-row.ts'
import { inviteGuest, InviteGuest } from './invite-guest.ts'
import { listMyInvitations } from './my-invitations.ts'
import { withdrawInvitation } from './withdraw-invitation.ts'

const State = oneOf('pending', 'accepted', 'declined', 'withdrawn', 'expired')
const at = '/v1/organization/invitations'
const mine = '/v1/me/invitations'

const { open, list, get, post, del } = routesOf<Deps>({
  absent: 'invitation_not_found',
  permission: 'identity.accounts.invite',
  added: true,
})

const answers = {
  idempotency: 'optional',
  permission: 'authenticated',
  sends: [],
  reply: MyInvitation,
  fails: ['invalid_transition', 'permission_denied', 'session_bound'],
} as const

export const invitationRoutes = open({
  listOrganizationInvitations: list(at, 'List the invitations of my organization, newest first', {
    from: 'identity.invitations',
    row: Invitation,
    columns: { state: stateOf },
    time: 'id',
    filters: { state: looked(State, state => sql`${stateOf} = ${state}`) },
    find: [],
  }),

  getOrganizationInvitation: get(
    `${at}/{invitation_id}`,
    'Get an invitation of my organization',
    { sends: [], reply: Invitation },
    async ({ tx, params, principal }) =>
      await requireInvitation(tx, principal.tenant_id, params.invitation_id),
  ),

  inviteGuest: post(
    at,
    'Invite a guest, or send an invitation again',
    {
      description:
        'The reply is the same for every address. A person with an account that has proven the address sees the invitation at `GET /v1/me/invitations` and accepts it there. Without `role_ids` the guest is a plain member.',
      asks_grants: true,
      idempotency: 'optional',
      // The reply has the address of the person, which an erasure must find.
      record: 'reference',
      body: InviteGuest,
      instead: { roles: 'role_ids' },
      replies: { 202: Invitation },
      location: `${at}/{id}`,
      fails: ['permission_denied', 'rate_limited', 'role_not_found', 'validation_failed'],
    },
    {
      handle: async ({ tx, body, principal, grants }, deps) => {
        const inviter = { principal, grants: await grants() }
        return await inviteGuest(tx, deps, body, inviter)
      },
      again: async ({ tx, principal, resource_ref }) => {
        const id = resource_ref.slice(resource_ref.lastIndexOf('/') + 1)
        return await requireInvitation(tx, principal.tenant_id, id)
      },
    },
  ),

  withdrawInvitation: del(
    `${at}/{invitation_id}`,
    'Withdraw a pending invitation',
    { fails: ['invalid_transition'] },
    async ({ tx, params, principal }) =>
      await withdrawInvitation(tx, principal, params.invitation_id),
  ),

  listMyInvitations: list(
    mine,
    'List the pending invitations to my address, newest first',
    {
      permission: 'authenticated',
      item: MyInvitation,
      fails: ['permission_denied', 'session_bound'],
    },
    async ({ tx, principal, list: scope }) => await listMyInvitations(tx, principal, scope),
  ),

  acceptInvitation: post(
    `${mine}/{invitation_id}/accept`,
    'Accept an invitation',
    answers,
    async ({ tx, params: { invitation_id: id }, principal, request }, deps) =>
      await answerInvitation(tx, deps, principal, { id, answer: 'accepted' }, request),
  ),

  declineInvitation: post(
    `${mine}/{invitation_id}/decline`,
    'Decline an invitation',
    answers,
    async ({ tx, params: { invitation_id: id }, principal, request }, deps) =>
      await answerInvitation(tx, deps, principal, { id, answer: 'declined' }, request),
  ),
})
