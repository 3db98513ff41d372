/**
 * The keys that sign tokens. A new key is published before it signs, and an old key stays published
 * while its tokens are valid. So a client that caches the list for its max-age never meets an
 * unknown key. The rows are authoritative. Every process holds a copy and compares it with the rows
 * once a second, together with the revocations.
 */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type CryptoKey } from 'jose'
import { Type, type Static } from 'typebox'
import { newSecret, sql, type Reader, type SealedColumn, type Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { Bytes } from '../schemas.ts'

export const max_age_seconds = 300
const publish_ahead_seconds = 2 * max_age_seconds
const retire_margin_seconds = 60
const use = 'identity.signing'

const KeyRow = Type.Object({
  kid: Type.String(),
  state: Type.String(),
  public_jwk: Type.Unknown(),
  private_key: Bytes,
})
type KeyRow = Static<typeof KeyRow>
const Kid = Type.Object({ kid: Type.String() })

export type PublicJwk = {
  kty: string
  crv: string
  x: string
  y: string
  kid: string
  alg: 'ES256'
  use: 'sig'
}

type Held = { kid: string; state: string; jwk: PublicJwk; verifies: CryptoKey; signs: KeyObject }

export type SigningKeys = {
  /** Creates the first key if there is none, and reads all keys. */
  prepare(): Promise<void>
  load(): Promise<void>
  /** A summary of the loaded keys, to compare with the rows. */
  loaded(): string
  signer(): { readonly kid: string; readonly key: KeyObject }
  verifier(kid: string): CryptoKey | undefined
  jwks(): { keys: PublicJwk[] }
  /**
   * `graceful` adds a next key, which signs after its time. `revoke` drops all other keys
   * immediately.
   */
  rotate(tx: Tx, mode: 'graceful' | 'revoke'): Promise<{ kid: string; state: string }>
  /** Moves keys that are due to their next state; returns whether any moved. */
  advance(tx: Tx): Promise<boolean>
}

export function openSigningKeys(kernel: Pick<Kernel, 'db' | 'keys' | 'settings'>): SigningKeys {
  let held = new Map<string, Held>()
  const load = async () => {
    const rows = await readKeys(kernel.db)
    const next = new Map<string, Held>()
    for (const row of rows) next.set(row.kid, held.get(row.kid) ?? (await imported(kernel, row)))
    for (const row of rows) {
      const key = next.get(row.kid)
      if (key) next.set(row.kid, { ...key, state: row.state })
    }
    held = next
  }
  const signer = () => {
    for (const { kid, state, signs } of held.values()) {
      if (state === 'active') return { kid, key: signs }
    }
    throw new Error('no signing key is active')
  }
  const retire_seconds = kernel.settings['identity.access_ttl_seconds'] + retire_margin_seconds
  return {
    prepare: async () => {
      await kernel.db.tx(async tx => {
        await tx.run(sql`select pg_advisory_xact_lock(hashtext('identity.signing_keys'))`)
        const rows = await readKeys(tx)
        if (!rows.some(row => row.state === 'active')) await insertKey(tx, kernel, 'active')
      })
      await load()
    },
    load,
    loaded: () =>
      [...held.values()]
        .map(({ kid, state }) => `${kid}:${state}`)
        .sort()
        .join(),
    signer,
    verifier: kid => held.get(kid)?.verifies,
    jwks: () => ({ keys: [...held.values()].map(({ jwk }) => jwk) }),
    rotate: (tx, mode) => rotate(tx, kernel, mode),
    advance: tx => advance(tx, retire_seconds),
  }
}

async function rotate(tx: Tx, kernel: Pick<Kernel, 'keys'>, mode: 'graceful' | 'revoke') {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('identity.signing_keys'))`)
  if (mode === 'graceful') {
    const waiting = await tx.maybe(
      Kid,
      sql`select kid from identity.signing_keys where state = 'next' limit 1`,
    )
    const kid = waiting?.kid ?? (await insertKey(tx, kernel, 'next'))
    return { kid, state: 'next' }
  }
  await tx.run(sql`
    update identity.signing_keys
    set state = 'revoked', retired_at = kernel.now(), removes_at = kernel.now()
    where state in ('next', 'active', 'retired')`)
  return { kid: await insertKey(tx, kernel, 'active'), state: 'active' }
}

async function advance(tx: Tx, retire_seconds: number): Promise<boolean> {
  const due = await tx.maybe(
    Kid,
    sql`
      select kid from identity.signing_keys
      where state = 'next' and activates_at <= kernel.now()
      order by activates_at limit 1 for update skip locked`,
  )
  if (due) {
    await tx.run(sql`
      update identity.signing_keys set state = 'retired', retired_at = kernel.now(),
        removes_at = kernel.now() + make_interval(secs => ${retire_seconds})
      where state = 'active'`)
    await tx.run(sql`update identity.signing_keys set state = 'active' where kid = ${due.kid}`)
  }
  const removed = await tx.run(sql`
    update identity.signing_keys set state = 'removed'
    where state = 'retired' and removes_at <= kernel.now()`)
  return due !== undefined || removed > 0
}

function readKeys(reader: Reader): Promise<KeyRow[]> {
  return reader.many(
    KeyRow,
    sql`
      select kid, state, public_jwk, private_key from identity.signing_keys
      where state in ('next', 'active', 'retired') order by created_at`,
  )
}

async function imported(
  { keys }: Pick<Kernel, 'keys'>,
  { kid, state, public_jwk, private_key }: KeyRow,
): Promise<Held> {
  const secret = keys.open(use, private_key, placeOf(kid)).toString()
  const jwk = public_jwk as PublicJwk
  return {
    kid,
    state,
    jwk,
    verifies: (await importJWK(jwk, 'ES256')) as CryptoKey,
    signs: createPrivateKey({ key: JSON.parse(secret) as JsonWebKey, format: 'jwk' }),
  }
}

async function insertKey(
  tx: Tx,
  { keys }: Pick<Kernel, 'keys'>,
  state: 'next' | 'active',
): Promise<string> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const kid = newSecret(9)
  const { kty, crv, x, y } = await exportJWK(pair.publicKey)
  const jwk = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }
  const secret = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)))
  const ahead_seconds = state === 'next' ? publish_ahead_seconds : 0
  await tx.run(sql`
    insert into identity.signing_keys (kid, state, public_jwk, private_key, activates_at)
    values (${kid}, ${state}, ${sql.json(jwk)}, ${keys.seal(use, secret, placeOf(kid))},
      kernel.now() + make_interval(secs => ${ahead_seconds}))`)
  return kid
}

function placeOf(kid: string) {
  return { table: 'identity.signing_keys', id: kid, column: 'private_key' }
}

export const sealedSigningKeys: SealedColumn = {
  table: 'identity.signing_keys',
  key: ['kid'],
  column: 'private_key',
  use,
  where: sql`t.state in ('next', 'active', 'retired')`,
  place: ({ kid }) => placeOf(String(kid)),
}
