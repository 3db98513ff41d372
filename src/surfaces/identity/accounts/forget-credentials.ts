/**
 * Removes every credential of an account except the password. Each removal emits the same event as
 * if the credential were removed alone. The caller holds the account's row lock.
 */
import { Type } from 'typebox'
import { sql, Version, type Tx } from '#dodeca/kernel'
import { revokeKeysOf } from '../api-keys/revoke-keys-of.ts'
import { Touched, type AccountRow } from '../schemas.ts'
import { raiseAccountVersion } from './find-account.ts'

type Account = Pick<AccountRow, 'id' | 'tenant_id'>

export async function forgetCredentials(tx: Tx, account: Account): Promise<void> {
  await forgetFactors(tx, account)
  await forgetIdentities(tx, account)
  await revokeKeysOf(tx, account.id)
}

const Factor = Type.Object({
  ...Touched.properties,
  type: Type.String(),
  version: Version,
  counted: Type.Boolean(),
})

export async function forgetFactors(tx: Tx, { id: account_id, tenant_id }: Account): Promise<void> {
  await tx.run(sql`delete from identity.recovery_codes where account_id = ${account_id}`)
  const gone = await tx.many(
    Factor,
    sql`
      with before as (
        select id, status from identity.mfa_methods
        where account_id = ${account_id} and status <> 'removed' for update
      )
      update identity.mfa_methods m
      set status = 'removed', encrypted_secret_or_public_key = null, credential_id = null,
        registration_challenge = null, version = version + 1
      from before where m.id = before.id
      returning m.id, m.type, m.version, before.status = 'active' as counted`,
  )
  for (const { id: method_id, type, version, counted } of gone) {
    if (!counted) continue
    tx.emit({
      type: 'mfa_method.removed',
      tenant_id,
      aggregate_type: 'mfa_method',
      aggregate_id: method_id,
      aggregate_version: version,
      data: { account_id, method_id, type },
    })
  }
}

async function forgetIdentities(tx: Tx, { id: account_id, tenant_id }: Account): Promise<void> {
  const linked = await tx.many(
    Touched,
    sql`
      select id from identity.external_identities
      where account_id = ${account_id} and unlinked_at is null order by id`,
  )
  await tx.run(sql`delete from identity.external_identities where account_id = ${account_id}`)
  for (const { id: external_identity_id } of linked) {
    tx.emit({
      type: 'external_identity.unlinked',
      tenant_id,
      aggregate_type: 'account',
      aggregate_id: account_id,
      aggregate_version: await raiseAccountVersion(tx, account_id),
      data: { account_id, external_identity_id },
    })
  }
}
