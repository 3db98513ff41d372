/**
 * Creates an API key. Only people can create keys, in the tenant in which they work, with grants that
 * they hold there. The key is returned once and stored as a hash. The account's row is locked, so that
 * concurrent requests cannot exceed the maximum number of keys.
 */
import { Type } from 'typebox'
import { columnsOf, lacks, newId, sql, violates, type Principal, type Tx } from '#dodeca/kernel'
import { accountColumns } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { hashOf } from '../one-time.ts'
import { covers, requireKnown } from '../roles/built-in.ts'
import { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { newKey, prefixOf } from './key.ts'
import { ApiKey, apiKeyState, type CreateApiKey, type NewApiKey } from './schemas.ts'

const Owner = Type.Object({ ...AccountRow.properties, future: Type.Boolean() })

const apiKeyColumns = columnsOf(ApiKey, null, { state: apiKeyState })

const a_person = 'An API key cannot create another one. Use the access token of a session.'
const no_member = 'You are no longer a member of this tenant. Refresh the session for another one.'
const notHeld = (missing: string) =>
  `A key holds at most what you hold, and you do not hold \`${missing}\`. Leave it out, or ask an administrator of the tenant for a role with it.`

type Maker = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

export async function createApiKey(
  tx: Tx,
  { permissions: catalog, kernel }: Pick<Deps, 'permissions' | 'kernel'>,
  { name, permissions, expires_at: until }: CreateApiKey,
  { principal, grants }: Maker,
  seen: Seen,
): Promise<NewApiKey> {
  const expires_at = until ?? null
  requireKnown(catalog, permissions)
  if (principal.kind !== 'account') throw problem('permission_denied', { detail: a_person })
  const missing = permissions.find(one => !covers(grants, one))
  if (missing !== undefined) throw lacks(missing, notHeld(missing))
  const owner = await holdOwner(tx, principal, expires_at)
  await kernel.counted(
    tx,
    `identity.api_keys:${owner.id}`,
    kernel.settings['identity.api_keys_per_account'],
    sql`
      -- any tenant: so many of one account, wherever
      select from identity.api_keys
      where account_id = ${owner.id} and state = 'active'
        and (expires_at is null or expires_at > kernel.now())`,
  )
  const id = newId()
  const key = newKey(id)
  const { tenant_id, id: account_id } = principal
  const made = await tx
    .one(
      ApiKey,
      sql`
      insert into identity.api_keys
        (tenant_id, id, account_id, name, prefix, secret_hash, permissions, expires_at)
      values (${tenant_id}, ${id}, ${account_id}, ${name}, ${prefixOf(id)}, ${hashOf(key)},
        ${permissions}, ${expires_at})
      returning ${apiKeyColumns}`,
    )
    .catch((error: unknown) => {
      throw violates(error, 'api_keys_one_duty') ? problem('duty_conflict') : error
    })
  tx.emit({
    type: 'api_key.created',
    tenant_id,
    aggregate_type: 'api_key',
    aggregate_id: id,
    aggregate_version: 1,
    data: { api_key_id: id, account_id },
  })
  const actor = account_id
  await recordSecurityEvent(tx, { tenant_id, account_id, action: 'api_key.created', actor, seen })
  tx.audit('identity.api_keys.create', id)
  await notifyOwner(tx, owner, 'api_key_created')
  return { ...made, key }
}

async function holdOwner(
  tx: Tx,
  { id, tenant_id }: Principal,
  expires_at: string | null,
): Promise<AccountRow> {
  // The membership is read after the lock: whoever ends it holds the same lock.
  await tx.run(sql`select from identity.accounts where id = ${id} for no key update`)
  const held = await tx.maybe(
    Owner,
    sql`
      select ${accountColumns},
        ${expires_at}::timestamptz is null or ${expires_at}::timestamptz > kernel.now() as future
      from identity.accounts
      where id = ${id} and status = 'active'
        and (tenant_id = ${tenant_id} or exists (select from identity.role_assignments r
          where r.tenant_id = ${tenant_id} and r.account_id = ${id}))`,
  )
  if (!held) throw problem('permission_denied', { detail: no_member })
  const { future, ...owner } = held
  if (future) return owner
  throw problem('validation_failed', {
    detail: 'The key would have expired already. Send a later `expires_at`, or leave it out.',
    errors: [{ location: 'body', pointer: '/expires_at', constraint: 'future' }],
  })
}
