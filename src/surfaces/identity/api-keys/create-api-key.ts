/**
 * Creates an API key. Only people can create keys, in the tenant in which they work, with grants that
 * they hold there, for themselves or for the tenant. The key is returned once and stored as a hash. It
 * is counted under a lock, so that concurrent requests cannot exceed the maximum number of keys.
 */
import { Type } from 'typebox'
import { columnsOf, lacks, newId, sql, type Principal, type Tx } from '#dodeca/kernel'
import { accountColumns } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { hashOf } from '../one-time.ts'
import { covers, isForTenant, requireKnown } from '../roles/built-in.ts'
import { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { requireStepUp } from '../step-up.ts'
import { newKey, prefixOf } from './key.ts'
import { manage_any } from './revoke-api-key.ts'
import { ApiKey, apiKeyState, type CreateApiKey, type NewApiKey } from './schemas.ts'

const Owner = Type.Object({ ...AccountRow.properties, future: Type.Boolean() })

const apiKeyColumns = columnsOf(ApiKey, null, { state: apiKeyState })

const a_person = 'An API key cannot create another one. Use the access token of a session.'
const unproven = 'Verify your address first. Then you can make keys of an organization.'
const no_member = 'You are no longer a member of this tenant. Refresh the session for another one.'
const notHeld = (missing: string) =>
  `A key holds at most what you hold, and you do not hold \`${missing}\`. Leave it out, or ask an administrator of the tenant for a role with it.`
const notForTenant = (grant: string) =>
  `A key of an organization cannot hold \`${grant}\`: it could make administrators with it, or it is of the whole platform, or spends money in an organization that no operator trusts. Leave it out, or make a key of your own.`

/** With one of these a program could make an administrator, or be one again after its maker left. */
const of_people = new Set([
  'identity.roles.assign',
  'identity.roles.define',
  'identity.api_keys.manage_any',
  'identity.connections.write',
  'identity.clients.write',
  'identity.factors.reset',
])

type Maker = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

export async function createApiKey(
  tx: Tx,
  deps: Pick<Deps, 'permissions' | 'kernel'>,
  body: CreateApiKey,
  maker: Maker,
  seen: Seen,
): Promise<NewApiKey> {
  const { name, permissions, expires_at = null } = body
  const { principal } = maker
  const { tenant_id, id: actor } = principal
  requireHeld(deps, permissions, maker)
  const of_tenant = body.owner === 'organization'
  if (of_tenant) await requireMayMake(tx, deps, permissions, maker)
  const owner = await holdOwner(tx, principal, expires_at)
  // Who proves the address later takes the account over, and would not know of this key.
  if (of_tenant && owner.verified_at === null) {
    throw problem('permission_denied', { detail: unproven })
  }
  const account_id = of_tenant ? null : owner.id
  await countKeys(tx, deps, tenant_id, account_id)
  const id = newId()
  const key = newKey(id)
  const made = await tx.one(
    ApiKey,
    sql`
    insert into identity.api_keys (tenant_id, id, account_id, made_by, name, prefix,
      secret_hash, permissions, expires_at)
    values (${tenant_id}, ${id}, ${account_id}, ${actor}, ${name}, ${prefixOf(id)},
      ${hashOf(key)}, ${permissions}, ${expires_at})
    returning ${apiKeyColumns}`,
  )
  tx.emit({
    type: 'api_key.created',
    tenant_id,
    aggregate_type: 'api_key',
    aggregate_id: id,
    aggregate_version: 1,
    data: { api_key_id: id, account_id },
  })
  const event = { tenant_id, account_id: actor, action: 'api_key.created', actor, seen }
  await recordSecurityEvent(tx, event)
  tx.audit('identity.api_keys.create', id)
  await notifyOwner(tx, owner, 'api_key_created')
  return { ...made, key }
}

function requireHeld(
  { permissions: catalog }: Pick<Deps, 'permissions'>,
  permissions: readonly string[],
  { principal, grants }: Maker,
): void {
  requireKnown(catalog, permissions)
  if (principal.kind !== 'account') throw problem('permission_denied', { detail: a_person })
  const missing = permissions.find(one => !covers(grants, one))
  if (missing !== undefined) throw lacks(missing, notHeld(missing))
}

/** A key of the organization outlives its maker, so it has only what a role of the tenant may have. */
async function requireMayMake(
  tx: Tx,
  { permissions: catalog, kernel }: Pick<Deps, 'permissions' | 'kernel'>,
  permissions: readonly string[],
  { principal, grants }: Maker,
): Promise<void> {
  if (!grants.has(manage_any)) throw lacks(manage_any)
  await requireStepUp(tx, kernel, principal)
  const tenant = await tx.one(
    Type.Object({ trusted: Type.Boolean() }),
    sql`select trusted from identity.tenants where id = ${principal.tenant_id} for share`,
  )
  const beyond = permissions.find(one => of_people.has(one) || !isForTenant(catalog, one, tenant))
  if (beyond !== undefined) {
    throw problem('permission_denied', { detail: notForTenant(beyond) })
  }
}

async function countKeys(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  account_id: string | null,
): Promise<void> {
  const { settings } = kernel
  const active = sql`state = 'active' and (expires_at is null or expires_at > kernel.now())`
  await (account_id === null
    ? kernel.counted(
        tx,
        `identity.api_keys:${tenant_id}`,
        settings['identity.api_keys_per_organization'],
        sql`
          select from identity.api_keys
          where tenant_id = ${tenant_id} and account_id is null and ${active}`,
      )
    : kernel.counted(
        tx,
        `identity.api_keys:${account_id}`,
        settings['identity.api_keys_per_account'],
        sql`
          -- any tenant: so many of one account, wherever
          select from identity.api_keys where account_id = ${account_id} and ${active}`,
      ))
}

async function holdOwner(
  tx: Tx,
  { id, tenant_id }: Principal,
  expires_at: string | null,
): Promise<AccountRow> {
  // The membership is read after the lock: what ends it holds the same lock.
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
