/**
 * The recipient of an intent. A reference names a user, a destination, or a mail whose address is
 * asked when it is sent, as those of identity are. An address that is given directly becomes a sealed
 * destination. The same address always gets the same destination.
 */
import { Type } from 'typebox'
import { Id, newId, sql, type Tx } from '#dodeca/kernel'
import { destinationHash, parseEmail, parsePhone, type Address } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { mail_kinds, type MailKind, type Recipient } from '../schemas.ts'
import { keyName, seal } from '../vault.ts'

const kinds = ['user', 'destination', 'identity_mail', ...mail_kinds] as const

export type RecipientRef = {
  readonly kind: (typeof kinds)[number]
  readonly id: string
}

const DestinationRow = Type.Object({ id: Id })
const Stored = Type.Object({ id: Id, destination_hash: Type.Unsafe<Buffer>({}) })

export function textOf({ kind, id }: RecipientRef): string {
  return `${kind}:${id}`
}

export function parseRef(text: string): RecipientRef {
  const [name = '', id = ''] = text.split(':')
  const kind = kinds.find(one => one === name)
  if (!kind) throw new Error(`not a recipient: ${name}`)
  return { kind, id }
}

/** Whether another surface says the address and the words of the mail, at the time of sending. */
export function isPlugged(kind: RecipientRef['kind']): kind is MailKind {
  return mail_kinds.some(one => one === kind)
}

/** Whether the address is not known before the time of sending. */
export function isMail(kind: RecipientRef['kind']): boolean {
  return kind === 'identity_mail' || isPlugged(kind)
}

/** The address of the recipient. Null if the recipient is a user or a destination. */
export function addressOf(recipient: Recipient, pointer: string): Address | null {
  const named = Object.values(recipient).filter(value => value !== undefined)
  if (named.length !== 1) {
    throw problem('validation_failed', {
      detail: 'Name one recipient: user_id, destination_id, email or phone.',
      errors: [{ location: 'body', pointer, constraint: 'oneOf' }],
    })
  }
  const { email, phone } = recipient
  if (email === undefined && phone === undefined) return null
  const address = email === undefined ? parsePhone(phone ?? '') : parseEmail(email)
  if (address) return address
  const member = email === undefined ? 'phone' : 'email'
  throw problem('invalid_destination', {
    detail:
      member === 'email'
        ? 'Give an address such as name@example.com.'
        : 'Give a number with its country code, such as +4930901820.',
    errors: [{ location: 'body', pointer: `${pointer}/${member}`, constraint: member }],
  })
}

export async function resolveRecipient(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'vault'>,
  tenant_id: string,
  recipient: Recipient,
): Promise<RecipientRef> {
  const address = addressOf(recipient, '/recipient')
  if (address) {
    const [id = ''] = await storeAddresses(tx, deps, tenant_id, [address])
    return { kind: 'destination', id }
  }
  const { user_id, destination_id } = recipient
  if (user_id !== undefined) return { kind: 'user', id: user_id.toLowerCase() }
  const found = await tx.maybe(
    DestinationRow,
    sql`
      select id from notifications.destinations
      where tenant_id = ${tenant_id} and id = ${destination_id}`,
  )
  if (!found) throw problem('destination_not_found')
  return { kind: 'destination', id: found.id }
}

/** Stores addresses that belong to no account, one row each. Returns their ids in order. */
export async function storeAddresses(
  tx: Tx,
  { kernel: { keys }, vault }: Pick<Deps, 'kernel' | 'vault'>,
  tenant_id: string,
  addresses: readonly Address[],
): Promise<string[]> {
  const hashes = addresses.map(address => destinationHash(keys, tenant_id, address))
  const known = await readStored(tx, tenant_id, hashes)
  const fresh = new Map<string, { id: string; address: Address; hash: Buffer }>()
  addresses.forEach((address, index) => {
    const hash = hashes[index] as Buffer
    const name = hash.toString('base64')
    if (!known.has(name)) fresh.set(name, { id: newId(), address, hash })
  })
  if (fresh.size > 0) {
    const owners = [...fresh.values()].map(({ id }) => ({ tenant_id, owner_id: id }))
    const data_keys = await vault.newKeys(tx, owners)
    const rows = [...fresh.values()].map(({ id, address: { address, channel, masked }, hash }) => {
      const key = data_keys.get(keyName({ tenant_id, owner_id: id })) as Buffer
      return { id, channel, hash, masked, ciphertext: seal(key, address, `destination ${id}`) }
    })
    const made = await tx.many(
      Stored,
      sql`
      insert into notifications.destinations
        (tenant_id, id, channel, destination_hash, ciphertext, masked, verified_at, created_at)
      select ${tenant_id}, r.id, r.channel, r.hash, r.ciphertext, r.masked, (select kernel.now()),
        (select kernel.now())
      from ${sql.table(rows, {
        id: 'uuid',
        channel: 'text',
        hash: 'bytea',
        ciphertext: 'bytea',
        masked: 'text',
      })} r
      order by r.hash
      on conflict (tenant_id, channel, destination_hash) where user_id is null do nothing
      returning id, destination_hash`,
    )
    for (const row of made) known.set(row.destination_hash.toString('base64'), row.id)
    // If two transactions store one address at the same time, both use the first row.
    const missed = rows.filter(row => !known.has(row.hash.toString('base64'))).map(row => row.hash)
    const stored = missed.length > 0 ? await readStored(tx, tenant_id, missed) : []
    for (const [name, id] of stored) known.set(name, id)
  }
  return hashes.map(hash => {
    const id = known.get(hash.toString('base64'))
    if (id === undefined) throw new Error('a destination was not stored')
    return id
  })
}

async function readStored(
  tx: Tx,
  tenant_id: string,
  hashes: readonly Buffer[],
): Promise<Map<string, string>> {
  const rows = await tx.many(
    Stored,
    sql`
      select d.id, d.destination_hash from notifications.destinations d
      where d.tenant_id = ${tenant_id} and d.destination_hash = any(${hashes}::bytea[])
        and d.user_id is null`,
  )
  return new Map(rows.map(row => [row.destination_hash.toString('base64'), row.id]))
}
