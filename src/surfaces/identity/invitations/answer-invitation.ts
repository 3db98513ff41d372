/**
 * Accepts or declines an invitation. The account's row is locked first, so that its address stays the
 * proven one until the commit. Accepting depends on the inviter: one who lost the right to invite lets
 * no one in, and a role counts only if the inviter still may assign it.
 */
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requirePerson } from '../require-person.ts'
import { assignRole, holdAccount, member_role } from '../roles/assign-role.ts'
import { mayStillGive, mayStillInvite } from '../roles/confirm-roles.ts'
import { withDutiesApart } from '../roles/separate-duties.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { announceInvitation, Ended, MyInvitation } from './invitation-row.ts'
import { my_columns, ofAccount } from './my-invitations.ts'

type Answer = 'accepted' | 'declined'
type Needs = Pick<Deps, 'kernel' | 'permissions' | 'denied'>

export async function answerInvitation(
  tx: Tx,
  deps: Needs,
  principal: Pick<Principal, 'id' | 'kind' | 'session_id'>,
  { id, answer }: { readonly id: string; readonly answer: Answer },
  seen: Seen,
): Promise<MyInvitation> {
  requirePerson(principal)
  await requireOwnSession(tx, principal)
  const { id: account_id } = principal
  await holdAccount(tx, account_id, null)
  const ended = await tx.maybe(
    Ended,
    sql`
      update identity.invitations i
      set state = ${answer}, version = i.version + 1
      from (select t.tenant_id, t.id from ${ofAccount(account_id)} and t.id = ${id}) mine
      where i.tenant_id = mine.tenant_id and i.id = mine.id
        and i.state = 'pending' and i.expires_at > kernel.now()
      returning i.tenant_id, i.id, i.role_ids, i.state, i.invited_by, i.version`,
  )
  if (ended) {
    if (answer === 'accepted') await join(tx, deps, account_id, ended, seen)
    announceInvitation(tx, 'changed', ended)
    const { tenant_id } = ended
    tx.audit(`identity.invitations.${answer}`, id, { by: { tenant_id, id: account_id } })
  }
  const now = await tx.maybe(
    MyInvitation,
    sql`select ${my_columns} from ${ofAccount(account_id)} and t.id = ${id}`,
  )
  if (!now || now.state === 'withdrawn') throw problem('invitation_not_found')
  // A repeated answer gets the same reply.
  if (now.state !== answer) throw problem('invalid_transition', { current_state: now.state })
  return now
}

async function join(
  tx: Tx,
  deps: Needs,
  account_id: string,
  { tenant_id, role_ids, invited_by: actor }: Ended,
  seen: Seen,
): Promise<void> {
  if (!(await mayStillInvite(tx, deps, actor, tenant_id))) {
    throw problem('invalid_transition', {
      current_state: 'pending',
      detail:
        'The person who invited you may no longer do so. Ask the organization for another invitation.',
    })
  }
  const given: string[] = []
  for (const role_id of role_ids) {
    const may = role_id === member_role || mayStillGive(tx, deps, actor, { tenant_id, role_id })
    if (await may) given.push(role_id)
  }
  for (const role_id of given.length > 0 ? given : [member_role]) {
    const assignment = { account_id, tenant_id, role_id }
    const assign = () => assignRole(tx, deps, assignment, { actor, seen })
    await withDutiesApart(tx, deps, { ...assignment, actor }, assign)
  }
}
