/**
 * The rows that link identities at providers to accounts. A pair of issuer and subject belongs to
 * at most one account, even if the provider is renamed here. If two requests race, the unique key
 * decides.
 */
import { Type, type Static } from 'typebox'
import { Id, newId, nullable, sql, Time, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { raiseAccountVersion } from '../accounts/find-account.ts'
import { Touched, type AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'

export const ExternalIdentity = Type.Object(
  {
    id: Id,
    /** The name in the settings, or the id of a connection. */
    provider: Type.String(),
    connection_name: nullable(Type.String()),
    issuer: Type.String(),
    subject: Type.String(),
    created_at: Time,
  },
  { title: 'ExternalIdentity' },
)
export type ExternalIdentity = Static<typeof ExternalIdentity>

/** The id of the connection that vouched for the identity `t`, or null. */
export function connectionOf(t: Sql): Sql {
  return sql`case when ${t}.issuer = 'connection:' || ${t}.provider then ${t}.provider::uuid end`
}

export const identityColumns = sql`t.id, t.provider, t.issuer, t.subject, t.created_at,
  (select c.name from identity.connections c where c.id = ${connectionOf(sql`t`)}) as connection_name`

const Owner = Type.Object({ id: Id, account_id: Id })
export type Owner = Static<typeof Owner>

export type Identified = {
  readonly provider: string
  readonly issuer: string
  readonly subject: string
}

export function ownerOf(
  reader: Reader,
  { issuer, subject }: Pick<Identified, 'issuer' | 'subject'>,
): Promise<Owner | undefined> {
  return reader.maybe(
    Owner,
    sql`
      select id, account_id from identity.external_identities
      where issuer = ${issuer} and subject = ${subject}`,
  )
}

/** Until the commit, no other transaction can link or unlink this identity. */
export async function holdIdentity(
  tx: Tx,
  { issuer, subject }: Pick<Identified, 'issuer' | 'subject'>,
): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`identity ${issuer} ${subject}`}, 0))`)
}

/**
 * Locks the account until the commit, so that an identity is not stored in an account that is
 * disabled or erased at the same time, or that has just left the address. Returns false if it is.
 */
export async function holdActive(
  tx: Tx,
  { id, tenant_id, email_normalized }: Pick<AccountRow, 'id' | 'tenant_id' | 'email_normalized'>,
): Promise<boolean> {
  const held = await tx.maybe(
    Touched,
    sql`
      select id from identity.accounts
      where tenant_id = ${tenant_id} and id = ${id} and status = 'active'
        and email_normalized = ${email_normalized}
      for no key update`,
  )
  return held !== undefined
}

/**
 * Returns undefined if the identity already belongs to an account. The caller has locked the
 * account, or has created it in the same transaction.
 */
export async function storeIdentity(
  tx: Tx,
  account: Pick<AccountRow, 'id' | 'tenant_id'>,
  { provider, issuer, subject }: Identified,
  seen: Seen,
): Promise<ExternalIdentity | undefined> {
  const { id: account_id, tenant_id } = account
  const stored = await tx.maybe(
    ExternalIdentity,
    sql`
      insert into identity.external_identities as t
        (tenant_id, id, account_id, provider, issuer, subject)
      values (${tenant_id}, ${newId()}, ${account_id}, ${provider}, ${issuer}, ${subject})
      on conflict on constraint external_identities_identity do nothing
      returning ${identityColumns}`,
  )
  if (!stored) return undefined
  tx.emit({
    type: 'external_identity.linked',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: account_id,
    aggregate_version: await raiseAccountVersion(tx, account_id),
    data: { account_id, external_identity_id: stored.id },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id,
    action: 'external_identity.linked',
    actor: account_id,
    seen,
    method: provider,
  })
  return stored
}
