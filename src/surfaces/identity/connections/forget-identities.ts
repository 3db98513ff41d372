/**
 * Forgets all identities of a connection whose subjects may be other people from now on, and tells
 * their owners. There may be very many: the statements do not grow with them.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import { raiseAccountVersions } from '../accounts/find-account.ts'
import { requestMails } from '../mails/request.ts'
import { recordSecurityEvents, type Act } from '../security-events/record-security-event.ts'
import { issuerOf } from './connection.ts'

const Forgotten = Type.Object({
  id: Id,
  account_id: Id,
  tenant_id: Id,
  provider: Type.String(),
  email: nullable(Type.String()),
  locale: nullable(Type.String()),
})

export async function forgetIdentities(tx: Tx, connection_id: string, act: Act): Promise<void> {
  const forgotten = await tx.many(
    Forgotten,
    sql`
      -- any tenant: guests of the tenant of the connection are at home in others
      update identity.external_identities e set subject = null, unlinked_at = kernel.now()
      from identity.accounts a
      where e.issuer = ${issuerOf(connection_id)} and e.unlinked_at is null
        and a.id = e.account_id
      returning e.id, e.account_id, e.tenant_id, e.provider, a.email, a.locale`,
  )
  if (forgotten.length === 0) return
  const versions = await raiseAccountVersions(
    tx,
    forgotten.map(one => one.account_id),
  )
  for (const [at, { id: external_identity_id, account_id, tenant_id }] of forgotten.entries()) {
    tx.emit({
      type: 'external_identity.unlinked',
      tenant_id,
      aggregate_type: 'account',
      aggregate_id: account_id,
      aggregate_version: versions[at] ?? 0,
      data: { account_id, external_identity_id },
    })
  }
  const action = 'external_identity.unlinked'
  await recordSecurityEvents(
    tx,
    forgotten.map(({ account_id, tenant_id, provider: method }) => {
      return { ...act, account_id, tenant_id, action, method }
    }),
  )
  await requestMails(
    tx,
    forgotten.flatMap(({ tenant_id, account_id, email: address, locale }) =>
      address === null
        ? []
        : [{ template: 'identity_unlinked', tenant_id, account_id, address, locale } as const],
    ),
  )
}
