/**
 * Invites a person: creates an account that has no password yet, and mails a token with which the
 * person sets the first password. A second invitation of an account that has not accepted sends a
 * new token and makes the old one invalid. An address that already belongs to an account of the
 * tenant is refused. The refusal reveals nothing, because the inviter may see the accounts of the
 * tenant anyway. An account of another tenant changes nothing in the reply (`join-as-guest.ts`).
 */
import { Type, type Static } from 'typebox'
import { closed, newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestMail } from '../mails/request.ts'
import { limitInvitations } from '../invitations/limit-invitations.ts'
import { consumeAll, issueDerived, sentTo } from '../one-time.ts'
import { assignRole } from '../roles/assign-role.ts'
import { RoleId } from '../roles/schemas.ts'
import { AccountRow, DisplayName, Email, Locale } from '../schemas.ts'
import { recordSecurityEvent, type Act } from '../security-events/record-security-event.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'
import { requireEmail, type Address } from './email.ts'
import { accountByAddress, accountColumns } from './find-account.ts'

export const Invite = closed({
  email: Email,
  role_ids: Type.Optional(Type.Array(RoleId, { maxItems: 20, uniqueItems: true })),
  display_name: Type.Optional(DisplayName),
  locale: Type.Optional(Locale),
})
export type Invite = Static<typeof Invite>

export type Invited = { readonly account: AccountRow; readonly made: boolean }

export async function invite(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  tenant_id: string,
  body: Invite,
  act: Act,
): Promise<Invited> {
  const address = requireEmail(body.email)
  await limitInvitations(tx, deps.kernel, tenant_id, address.normalized)
  const scope = emailScope(deps.kernel, tenant_id)
  const known = await accountByAddress(tx, scope, address.normalized)
  const is_elsewhere = known !== undefined && known.tenant_id !== tenant_id
  // Invited while another account had the address.
  const invited = await accountByAddress(tx, tenant_id, address.normalized)
  const own_scope = is_elsewhere || invited ? tenant_id : scope
  const fresh = await insertInvited(tx, { tenant_id, scope: own_scope, address }, body)
  const account = fresh ?? (await waiting(tx, { tenant_id, scope: own_scope, address }))
  const { id } = account
  if (fresh) {
    tx.emit({
      type: 'account.registered',
      tenant_id,
      aggregate_type: 'account',
      aggregate_id: id,
      aggregate_version: account.version,
      data: { account_id: id, tenant_id },
    })
  }
  for (const role_id of body.role_ids ?? []) {
    await assignRole(tx, deps, { account_id: id, tenant_id, role_id }, act)
  }
  // The latest inviter answers for these roles, also for those that were assigned before.
  await tx.run(sql`
    update identity.role_assignments set assigned_by = ${act.actor}
    where tenant_id = ${tenant_id} and account_id = ${id}
      and role_id = any(${body.role_ids ?? []})`)
  await sendInvitation(tx, deps, account)
  const { actor, seen } = act
  const about = { tenant_id, account_id: id, action: 'account.invited', actor }
  await recordSecurityEvent(tx, { ...about, ...(seen ? { seen } : {}) })
  tx.audit('identity.accounts.invite', id, { by: { tenant_id, id: actor } })
  return { account, made: fresh !== undefined }
}

type Place = {
  readonly tenant_id: string
  readonly scope: string
  readonly address: Address
}

function insertInvited(
  tx: Tx,
  { tenant_id, scope, address: { email, normalized } }: Place,
  { display_name = '', locale = '' }: Invite,
): Promise<AccountRow | undefined> {
  return tx.maybe(
    AccountRow,
    sql`
      insert into identity.accounts (tenant_id, id, email, email_normalized, email_scope, status,
        display_name, locale)
      values (${tenant_id}, ${newId()}, ${email}, ${normalized}, ${scope}, 'invited',
        nullif(${display_name}, ''), nullif(${locale}, ''))
      on conflict (email_scope, email_normalized) where status <> 'deleted' do nothing
      returning ${accountColumns}`,
  )
}

/**
 * Finds the account of this tenant that was invited before and has not accepted. Its row is locked
 * until the commit.
 */
async function waiting(tx: Tx, { tenant_id, scope, address }: Place): Promise<AccountRow> {
  const known = await accountByAddress(tx, scope, address.normalized)
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where tenant_id = ${tenant_id} and id = ${known?.id ?? null} and status = 'invited'
      for no key update`,
  )
  if (!account) {
    throw problem('already_exists', {
      detail:
        'An account has this address. If it is one of your tenant, give it roles with `PUT /v1/accounts/{account_id}/roles/{role_id}`.',
    })
  }
  return account
}

async function sendInvitation(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { id, tenant_id, email, email_normalized, locale }: AccountRow,
): Promise<void> {
  if (email === null) throw new Error('an invited account has no address')
  await consumeAll(tx, id, ['invite'])
  const ref = newId()
  const { key_id } = await issueDerived(tx, kernel.keys, {
    purpose: 'invite',
    ref,
    tenant_id,
    account_id: id,
    ttl_seconds: kernel.settings['identity.invitation_ttl_seconds'],
    details: sentTo(email_normalized),
  })
  await requestMail(tx, {
    template: 'invite',
    tenant_id,
    account_id: id,
    address: email,
    locale,
    token: { purpose: 'invite', ref, key_id },
  })
}
