/**
 * Authenticates an API key: reads its service account and its grants from the rows at each request.
 * A key is valid only while it is active and unexpired, its tenant is active, and its owner is an
 * active member of that tenant. It never has more grants than its owner has at that moment. A key of
 * an organization has no such owner: it has the grants that were given to it.
 */
import { timingSafeEqual } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { heldOf, Id, nullable, sql, type Principal, type Reader } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { accountGrants } from '../roles/account-grants.ts'
import { isForTenant } from '../roles/built-in.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import { Bytes } from '../schemas.ts'
import { readKeyToken } from './key-token.ts'
import { idOfKey } from './key.ts'

const used_every_seconds = 60

const KeyRow = Type.Object({
  id: Id,
  tenant_id: Id,
  secret_hash: Bytes,
  stale: Type.Boolean(),
})
const Given = Type.Object({
  account_id: nullable(Id),
  permissions: Type.Array(Type.String()),
  trusted: Type.Boolean(),
})

const living = sql`identity.api_keys k
      join identity.tenants t on t.id = k.tenant_id and t.state = 'active'
      left join identity.accounts a on a.id = k.account_id and a.status = 'active'
      left join identity.tenants home on home.id = a.tenant_id
      where (k.account_id is null or home.state = 'active' and (a.tenant_id = k.tenant_id
          or exists (select from identity.role_assignments r
            where r.tenant_id = k.tenant_id and r.account_id = a.id)))
        and k.state = 'active' and (k.expires_at is null or k.expires_at > kernel.now())`

export async function apiKeyPrincipal({ db }: Pick<Kernel, 'db'>, key: string): Promise<Principal> {
  const id = idOfKey(key)
  if (id === null)
    throw refused('This is not an API key of this platform. Copy the whole key, from `ak_` on.')
  const row = await useKey(db, id, ({ secret_hash }) => timingSafeEqual(secret_hash, hashOf(key)))
  if (!row) throw refused(await whyNot(db, id, key))
  return principalOf(row)
}

/** Of a token that was got with a key. */
export async function keyTokenPrincipal(
  { db, keys, clock }: Pick<Kernel, 'db' | 'keys' | 'clock'>,
  token: string,
): Promise<Principal> {
  const read = readKeyToken(keys, token)
  if (!read) throw refused('This is not a token of this platform. Send it unchanged.')
  const { id, expires_at } = read
  if (expires_at <= clock.nowSeconds()) {
    throw refused('The token has expired. Get a new one with the API key.')
  }
  const row = await useKey(db, id, () => true)
  if (!row) throw refused('The API key of this token is no longer valid.')
  return { ...principalOf(row), expires_at }
}

async function useKey(
  db: Kernel['db'],
  id: string,
  fits: (row: Static<typeof KeyRow>) => boolean,
): Promise<Static<typeof KeyRow> | undefined> {
  const row = await db.maybe(
    KeyRow,
    sql`
      select k.id, k.tenant_id, k.secret_hash,
        k.last_used_at is null or k.last_used_at
          < kernel.now() - make_interval(secs => ${used_every_seconds}) as stale
      from ${living}
        and k.id = ${id}`,
  )
  if (!row || !fits(row)) return undefined
  // Updated at most once a minute, so that not every use of a key is a write.
  if (row.stale) {
    await db.run(sql`update identity.api_keys set last_used_at = kernel.now() where id = ${id}`)
  }
  return row
}

function principalOf({ id, tenant_id }: Static<typeof KeyRow>): Principal {
  return { id, tenant_id, kind: 'service', session_id: null, aal: 'aal1', auth_time: 0 }
}

function refused(detail: string) {
  return problem('invalid_token', { detail })
}

const Ended = Type.Object({ secret_hash: Bytes, revoked: Type.Boolean(), expired: Type.Boolean() })

/** Only a caller that has the right secret gets the reason, so that guessing reveals nothing. */
async function whyNot(db: Reader, id: string, key: string): Promise<string> {
  const next = 'Create a new one with `POST /v1/api-keys`.'
  const row = await db.maybe(
    Ended,
    sql`
      select secret_hash, state <> 'active' as revoked,
        expires_at is not null and expires_at <= kernel.now() as expired
      from identity.api_keys
      -- any tenant: the key names its own
      where id = ${id}`,
  )
  if (!row || !timingSafeEqual(row.secret_hash, hashOf(key))) {
    return `The API key is not known. ${next}`
  }
  if (row.revoked) return `The API key was revoked. ${next}`
  if (row.expired) return `The API key has expired. ${next}`
  return 'The owner or the tenant of the API key is disabled, or the owner has left the tenant. Ask an administrator of the tenant.'
}

/** Checks whether the key that opened a stream is still valid. */
export async function apiKeyStands(
  { db }: Pick<Kernel, 'db'>,
  { id, tenant_id }: Pick<Principal, 'id' | 'tenant_id'>,
): Promise<boolean> {
  const found = await db.maybe(
    Type.Object({ id: Id }),
    sql`select k.id from ${living} and k.tenant_id = ${tenant_id} and k.id = ${id}`,
  )
  return found !== undefined
}

/** Returns the key's own grants that its owner still holds; all of them for an organization's key. */
export async function apiKeyGrants(
  reader: Reader,
  deps: Pick<Deps, 'permissions' | 'kernel'>,
  { id, tenant_id }: Principal,
): Promise<ReadonlySet<string>> {
  const given = await reader.maybe(
    Given,
    sql`
      select k.account_id, k.permissions, t.trusted
      from identity.api_keys k join identity.tenants t on t.id = k.tenant_id
      where k.tenant_id = ${tenant_id} and k.id = ${id} and k.state = 'active'
        and (k.expires_at is null or k.expires_at > kernel.now())`,
  )
  if (!given) return new Set()
  if (given.account_id === null) {
    const kept = given.permissions.filter(one => isForTenant(deps.permissions, one, given))
    return new Set(kept)
  }
  // A key cannot present a second factor. Its creator presented one if these grants require it.
  const owner = { id: given.account_id, tenant_id, session_id: null, aal: 'aal2' } as const
  const held = await accountGrants(reader, deps, owner)
  return new Set(given.permissions.flatMap(permission => heldOf(held, permission)))
}
