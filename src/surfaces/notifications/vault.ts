/**
 * Seals addresses and the data of notifications. Each owner (a user, an address without an account,
 * a batch) has its own data key, wrapped by the platform's keyring. After the key's row is deleted,
 * the sealed data can never be read again, not even in a backup of the other tables.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { Type } from 'typebox'
import { boundedCache, Id, newNonce, nonce_bytes, sql } from '#dodeca/kernel'
import type { Keyring, Reader, SealedColumn, Tx } from '#dodeca/kernel'

export type Owner = { readonly tenant_id: string; readonly owner_id: string }
export type DataKeys = ReadonlyMap<string, Buffer>

export type Vault = {
  /** The keys of these owners. Missing keys are created. */
  keysFor(tx: Tx, owners: readonly Owner[]): Promise<DataKeys>
  /** Keys of owners whose ids were made in this transaction. */
  newKeys(tx: Tx, owners: readonly Owner[]): Promise<DataKeys>
  /** Only existing keys. */
  knownKeys(reader: Reader, owners: readonly Owner[]): Promise<DataKeys>
  destroy(tx: Tx, owner: Owner): Promise<void>
}

const data_key_use = 'notifications.data_keys'
const Row = Type.Object({
  tenant_id: Id,
  owner_id: Id,
  wrapped: Type.Unsafe<Buffer>({}),
})
const tag_bytes = 16
/** The key of an erased account is removed from the memory of every process within this time. */
const kept_ms = 60_000

const placeOf = ({ tenant_id, owner_id }: Owner) => ({
  table: 'notifications.data_keys',
  id: `${tenant_id}/${owner_id}`,
  column: 'wrapped',
})

/** A rotation of the keyring seals the data keys again. Data that they seal does not change. */
export const sealedKeys: SealedColumn = {
  table: 'notifications.data_keys',
  key: ['tenant_id', 'owner_id'],
  column: 'wrapped',
  use: data_key_use,
  place: row => placeOf({ tenant_id: String(row['tenant_id']), owner_id: String(row['owner_id']) }),
}

export function openVault(keys: Pick<Keyring, 'seal' | 'open'>): Vault {
  const known = boundedCache<Buffer>(20_000, kept_ms)
  /** A transaction may read a key that it created. Such a key is cached only after the commit. */
  const read = async (reader: Reader | Tx, owners: readonly Owner[]) => {
    const found = new Map<string, Buffer>()
    const missing = new Map<string, Owner>()
    for (const owner of owners) {
      const key = known.get(keyName(owner))
      if (key) found.set(keyName(owner), key)
      else missing.set(keyName(owner), owner)
    }
    if (missing.size === 0) return { found, missing }
    const wanted = [...missing.values()]
    const rows = await reader.many(
      Row,
      sql`
        select k.tenant_id, k.owner_id, k.wrapped
        from ${sql.table(wanted, { tenant_id: 'uuid', owner_id: 'uuid' })} w
        join notifications.data_keys k on k.tenant_id = w.tenant_id and k.owner_id = w.owner_id`,
    )
    const read_now = rows.map(
      row => [keyName(row), keys.open(data_key_use, row.wrapped, placeOf(row))] as const,
    )
    const keep = () => {
      for (const [name, key] of read_now) known.set(name, key)
    }
    if ('afterCommit' in reader) reader.afterCommit(keep)
    else keep()
    for (const [name, key] of read_now) {
      found.set(name, key)
      missing.delete(name)
    }
    return { found, missing }
  }
  const make = async (tx: Tx, owners: readonly Owner[]): Promise<DataKeys> => {
    // In one order, so that two transactions that create the same keys never deadlock.
    const made = owners
      .toSorted((a, b) => (a.owner_id < b.owner_id ? -1 : 1))
      .map(owner => ({ ...owner, key: randomBytes(32) }))
    const rows = made.map(({ key, ...owner }) => ({
      ...owner,
      wrapped: keys.seal(data_key_use, key, placeOf(owner)),
    }))
    await tx.run(sql`
      insert into notifications.data_keys (tenant_id, owner_id, wrapped, created_at)
      select m.*, (select kernel.now())
      from ${sql.table(rows, { tenant_id: 'uuid', owner_id: 'uuid', wrapped: 'bytea' })} m
      on conflict do nothing`)
    return new Map(made.map(one => [keyName(one), one.key]))
  }
  return {
    knownKeys: async (reader, owners) => (await read(reader, owners)).found,
    keysFor: async (tx, owners) => {
      const { found, missing } = await read(tx, owners)
      if (missing.size === 0) return found
      const made = [...missing.values()]
      await make(tx, made)
      // If two transactions create a key at the same time, both use the first one.
      const again = await read(tx, made)
      return new Map([...found, ...again.found])
    },
    newKeys: make,
    destroy: async (tx, { tenant_id, owner_id }) => {
      await tx.run(sql`
        delete from notifications.data_keys
        where tenant_id = ${tenant_id} and owner_id = ${owner_id}`)
      tx.afterCommit(() => void known.delete(keyName({ tenant_id, owner_id })))
    },
  }
}

export function keyName({ tenant_id, owner_id }: Owner): string {
  return `${tenant_id} ${owner_id}`
}

const key_objects = new WeakMap<Buffer, KeyObject>()

/** Node takes 17 µs to check a key given as bytes. */
function keyObject(key: Buffer): KeyObject {
  const made = key_objects.get(key) ?? createSecretKey(key)
  key_objects.set(key, made)
  return made
}

/** `place` names the row that the data belongs to. The data cannot be opened in another row. */
export function seal(key: Buffer, text: string, place: string): Buffer {
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), nonce)
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function unseal(key: Buffer, sealed: Buffer, place: string): string {
  const nonce = sealed.subarray(0, nonce_bytes)
  const decipher = createDecipheriv('aes-256-gcm', keyObject(key), nonce, {
    authTagLength: tag_bytes,
  })
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tag_bytes))
  const text = sealed.subarray(nonce_bytes, -tag_bytes)
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
}
