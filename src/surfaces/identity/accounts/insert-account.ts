/** Creates an account, with a password or without one. The unique index on the address decides races. */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Fields } from '../profiles/profile.ts'
import type { Address } from './email.ts'

export type NewAccount = {
  readonly id: string
  readonly tenant_id: string
  readonly scope: string
  readonly address: Address
  readonly encoded: string | null
  readonly display_name: string | null
  readonly locale: string | null
  readonly proven: boolean
  readonly profile?: Fields | null
}

/** Returns false if an account already has the address. */
export async function insertAccount(
  tx: Tx,
  { hasher }: Pick<Deps, 'hasher'>,
  { id, tenant_id, scope, address, encoded, display_name, locale, proven, profile }: NewAccount,
): Promise<boolean> {
  const made = await tx.run(sql`
    insert into identity.accounts (tenant_id, id, email, email_normalized, email_scope, status,
      verified_at, display_name, locale, profile)
    values (${tenant_id}, ${id}, ${address.email}, ${address.normalized}, ${scope}, 'active',
      case when ${proven} then kernel.now() end, ${display_name}, ${locale},
      ${sql.json(profile ?? {})}::jsonb)
    on conflict (email_scope, email_normalized) where status <> 'deleted' do nothing`)
  if (made === 0) return false
  if (encoded !== null) {
    const sealed = hasher.seal(encoded, { table: 'identity.credentials', id })
    await tx.run(sql`
      insert into identity.credentials (tenant_id, account_id, password_hash)
      values (${tenant_id}, ${id}, ${sealed})`)
  }
  const about = { tenant_id, aggregate_type: 'account', aggregate_id: id }
  tx.emit({
    ...about,
    type: 'account.registered',
    aggregate_version: 1,
    data: { account_id: id, tenant_id },
  })
  return true
}
