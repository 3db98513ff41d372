/**
 * Invitations of guests, their state and their events.
 *
 * | state       | ends by                                                                        |
 * | ----------- | ------------------------------------------------------------------------------ |
 * | `pending`   | `accepted`, `declined` by the person; `withdrawn` by the organization; `expired` |
 * | `accepted`  | final, as the others are                                                       |
 *
 * No token proves the person: an account sees and answers an invitation if it has proven the address.
 * One conditional statement ends an invitation.
 */
import { Type, type Static } from 'typebox'
import { Id, sql, Time, Version, type Reader, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'

export const stateOf = sql`
  case when t.state = 'pending' and t.expires_at <= kernel.now() then 'expired' else t.state end`

const shown = {
  id: Id,
  role_ids: Type.Array(Type.String(), { maxItems: 20 }),
  state: Type.String(),
  expires_at: Time,
  created_at: Time,
}

/** As the organization sees it. */
export const Invitation = Type.Object(
  { ...shown, email: Type.String(), invited_by: Id },
  { title: 'OrganizationInvitation' },
)
export type Invitation = Static<typeof Invitation>

/** As the invited person sees it. */
export const MyInvitation = Type.Object(
  { ...shown, tenant_id: Id, slug: Type.String(), name: Type.String() },
  { title: 'MyInvitation' },
)
export type MyInvitation = Static<typeof MyInvitation>

export const Ended = Type.Object({
  tenant_id: Id,
  id: Id,
  role_ids: shown.role_ids,
  state: Type.String(),
  invited_by: Id,
  version: Version,
})
export type Ended = Static<typeof Ended>

export function announceInvitation(
  tx: Tx,
  what: 'created' | 'changed',
  { tenant_id, id, state, version }: Pick<Ended, 'tenant_id' | 'id' | 'state' | 'version'>,
): void {
  tx.emit({
    type: `invitation.${what}`,
    tenant_id,
    aggregate_type: 'invitation',
    aggregate_id: id,
    aggregate_version: version,
    data: { invitation_id: id, state },
  })
}

export async function requireInvitation(
  reader: Reader,
  tenant_id: string,
  id: string,
): Promise<Invitation> {
  const invitation = await reader.maybe(
    Invitation,
    sql`
      select t.id, t.role_ids, ${stateOf} as state, t.expires_at, t.created_at, t.email, t.invited_by
      from identity.invitations t where t.tenant_id = ${tenant_id} and t.id = ${id}`,
  )
  if (!invitation) throw problem('invitation_not_found')
  return invitation
}
