/**
 * Deletes the data about an address that is stored outside its account: registrations, login codes,
 * invitations by any organization, and their tokens and mails. This runs when the account is erased or
 * changes its address. When the address changes, pending registrations of other people stay, and
 * invitations that are pending: they are for the person who has the address.
 */
import { nil_id, sql, type Tx } from '#dodeca/kernel'

export async function forgetAddress(
  tx: Tx,
  {
    tenant_id,
    email_normalized,
  }: { readonly tenant_id: string; readonly email_normalized: string },
  which: 'all' | 'ended',
): Promise<void> {
  const registrations = sql`
    select r.id from identity.registrations r
    where r.tenant_id = ${tenant_id} and r.email_normalized = ${email_normalized}
      and (${which === 'all'} or r.state <> 'pending')`
  await tx.run(sql`
    delete from identity.mails
    where account_id is null and tenant_id = ${tenant_id} and ref in (${registrations})`)
  await tx.run(sql`
    delete from identity.one_time_challenges
    where tenant_id = ${tenant_id} and purpose = 'email_verification'
      and details ->> 'email_normalized' = ${email_normalized}
      and (${which === 'all'} or ref in (${registrations}))`)
  await tx.run(sql`delete from identity.registrations where id in (${registrations})`)
  // any tenant: the address was invited by others
  await tx.run(sql`
    with gone as (
      delete from identity.invitations
      where email_normalized = ${email_normalized} and (${which === 'all'} or state <> 'pending')
      returning id
    )
    delete from identity.mails where invitation_id in (select id from gone)`)
  await forgetCodes(tx, { tenant_id, email_normalized })
  await tx.run(sql`
    delete from identity.mails
    where account_id is null and tenant_id = ${tenant_id} and purpose = 'login_code'
      and address = ${email_normalized}`)
}

/**
 * Ends the login codes of an address. A code belongs to the tenant that it was requested for. Where
 * addresses are unique over all tenants, that may be another one.
 */
export async function forgetCodes(
  tx: Tx,
  {
    tenant_id,
    email_normalized,
  }: { readonly tenant_id: string; readonly email_normalized: string },
): Promise<void> {
  await tx.run(sql`
    delete from identity.one_time_challenges
    where purpose in ('login_code', 'oidc_ticket')
      and details ->> 'email_scope' in (${tenant_id}, ${nil_id})
      and details ->> 'email_normalized' = ${email_normalized}`)
}
