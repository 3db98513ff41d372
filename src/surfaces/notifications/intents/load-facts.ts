/**
 * Reads the current data about recipients: their addresses, their preferences, and which addresses
 * are suppressed. The same few statements are used when one intent is accepted and when two hundred
 * are about to be sent.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, parseTime, sql, Time, type Reader, type Sql } from '#dodeca/kernel'
import { destinationHash, parseEmail } from '../addresses.ts'
import type { Deps, Person } from '../deps.ts'
import type { PreferenceSet } from '../preferences/resolve.ts'
import { readPreferences } from '../preferences/read-preferences.ts'
import { unservedChannels } from '../providers/read-relays.ts'
import type { Channel } from '../schemas.ts'
import { keyName, unseal } from '../vault.ts'
import type { Suppressed } from './decide.ts'
import { parseRef, type RecipientRef } from './recipient.ts'

/** The destination of a message. */
export type Target = {
  readonly channel: string
  readonly destination_id: string | null
  readonly provider: string
  readonly hash: Buffer
  readonly masked: string
  readonly verified: boolean
  /** Sealed; for an account, the plain address. */
  readonly address:
    string | { readonly owner_id: string; readonly ciphertext: Buffer; readonly id: string }
}

export type RecipientFacts = {
  readonly ref: RecipientRef
  readonly person: Person | null
  readonly preferences: PreferenceSet | undefined
  readonly targets: readonly Target[]
}

export type FactsOf = {
  of(tenant_id: string, recipient_ref: string): RecipientFacts
  suppressed(tenant_id: string, target: Target): readonly Suppressed[]
  /** Whether a provider of this channel is configured. */
  served(channel: Channel): boolean
}

type Wanted = { readonly tenant_id: string; readonly recipient_ref: string }

const Destination = Type.Object({
  tenant_id: Id,
  id: Id,
  user_id: nullable(Id),
  channel: Type.String(),
  provider: Type.String(),
  destination_hash: Type.Unsafe<Buffer>({}),
  ciphertext: Type.Unsafe<Buffer>({}),
  masked: Type.String(),
  verified: Type.Boolean(),
})
const Suppression = Type.Object({
  tenant_id: Id,
  destination_hash: Type.Unsafe<Buffer>({}),
  channel: Type.String(),
  category: Type.String(),
  reason: Type.String(),
  effective_at: Time,
  retry_at: nullable(Time),
})

export async function loadFacts(
  reader: Reader,
  { kernel, people }: Pick<Deps, 'kernel' | 'people'>,
  wanted: readonly Wanted[],
): Promise<FactsOf> {
  const { keys } = kernel
  const unserved = unservedChannels(kernel)
  const refs = new Map<string, { tenant_id: string; ref: RecipientRef }>()
  for (const { tenant_id, recipient_ref } of wanted) {
    refs.set(`${tenant_id} ${recipient_ref}`, { tenant_id, ref: parseRef(recipient_ref) })
  }
  const users = [...refs.values()].filter(one => one.ref.kind === 'user')
  const [persons, destinations, preferences] = await Promise.all([
    people.recipients(
      reader,
      users.map(one => ({ tenant_id: one.tenant_id, principal_id: one.ref.id })),
    ),
    readDestinations(reader, [...refs.values()]),
    readPreferences(
      reader,
      users.map(one => ({ tenant_id: one.tenant_id, user_id: one.ref.id })),
    ),
  ])
  const facts = new Map<string, RecipientFacts>()
  for (const [name, { tenant_id, ref }] of refs) {
    const person =
      persons.find(one => one.tenant_id === tenant_id && one.principal_id === ref.id) ?? null
    const own = destinations.filter(
      one => one.tenant_id === tenant_id && (one.user_id === ref.id || one.id === ref.id),
    )
    const account = person?.address == null ? null : parseEmail(person.address)
    const targets: Target[] = own.map(targetOf)
    if (account) {
      targets.unshift({
        channel: 'email',
        destination_id: null,
        provider: '',
        hash: destinationHash(keys, tenant_id, account),
        masked: account.masked,
        verified: true,
        address: account.address,
      })
    }
    facts.set(name, {
      ref,
      person,
      preferences: preferences.get(`${tenant_id} ${ref.id}`),
      targets,
    })
  }
  const suppressions = await readSuppressions(
    reader,
    [...facts].flatMap(([name, { targets }]) =>
      targets.map(({ hash }) => ({ tenant_id: name.split(' ')[0] ?? '', hash })),
    ),
  )
  return {
    of: (tenant_id, recipient_ref) => {
      const found = facts.get(`${tenant_id} ${recipient_ref}`)
      if (!found) throw new Error('facts of this recipient were not loaded')
      return found
    },
    suppressed: (tenant_id, { hash, channel }) =>
      suppressions.get(`${tenant_id} ${channel} ${hash.toString('base64')}`) ?? [],
    served: channel => !unserved.has(channel),
  }
}

function targetOf(row: Static<typeof Destination>): Target {
  const { id, user_id, channel, provider, destination_hash, ciphertext, masked, verified } = row
  const address = { owner_id: user_id ?? id, ciphertext, id }
  return {
    channel,
    destination_id: id,
    provider,
    hash: destination_hash,
    masked,
    verified,
    address,
  }
}

/** Newest first, because the newest verified number is used. */
async function readDestinations(
  reader: Reader,
  wanted: readonly { tenant_id: string; ref: RecipientRef }[],
) {
  const of = (kind: RecipientRef['kind']) =>
    wanted.flatMap(({ tenant_id, ref }) => (ref.kind === kind ? [{ tenant_id, id: ref.id }] : []))
  // Two statements: one statement for both was planned again at each call (1.4 ms).
  const found = await Promise.all([
    readOwned(reader, of('user'), sql`d.user_id`),
    readOwned(reader, of('destination'), sql`d.id`),
  ])
  return found.flat()
}

async function readOwned(
  reader: Reader,
  asked: readonly { readonly tenant_id: string; readonly id: string }[],
  owner: Sql,
) {
  if (asked.length === 0) return []
  return reader.many(
    Destination,
    sql`
      select d.tenant_id, d.id, d.user_id, d.channel, d.provider, d.destination_hash, d.ciphertext,
        d.masked, d.verified_at is not null as verified
      from ${sql.table(asked, { tenant_id: 'uuid', id: 'uuid' })} w
      join notifications.destinations d on d.tenant_id = w.tenant_id and ${owner} = w.id
      where d.disabled_at is null
      order by d.verified_at is null, d.id desc`,
  )
}

export async function readSuppressions(
  reader: Reader,
  wanted: readonly { readonly tenant_id: string; readonly hash: Buffer }[],
): Promise<ReadonlyMap<string, Suppressed[]>> {
  const found = new Map<string, Suppressed[]>()
  if (wanted.length === 0) return found
  const rows = await reader.many(
    Suppression,
    sql`
      select s.tenant_id, s.destination_hash, s.channel, s.category, s.reason, s.effective_at, s.retry_at
      from ${sql.table(wanted, { tenant_id: 'uuid', hash: 'bytea' })} w
      join notifications.suppressions s on s.tenant_id = w.tenant_id and s.destination_hash = w.hash`,
  )
  for (const row of rows) {
    const name = `${row.tenant_id} ${row.channel} ${row.destination_hash.toString('base64')}`
    const all = found.get(name) ?? []
    all.push({
      reason: row.reason,
      category: row.category,
      effective_at_ms: parseTime(row.effective_at),
      retry_at_ms: row.retry_at === null ? null : parseTime(row.retry_at),
    })
    found.set(name, all)
  }
  return found
}

/** Decrypts the addresses of targets right before sending; undefined if the key is deleted. */
export async function openAddresses(
  reader: Reader,
  { vault }: Pick<Deps, 'vault'>,
  targets: readonly { readonly tenant_id: string; readonly target: Target }[],
): Promise<ReadonlyMap<Target, string>> {
  const owners = targets.flatMap(({ tenant_id, target: { address } }) =>
    typeof address === 'string' ? [] : [{ tenant_id, owner_id: address.owner_id }],
  )
  const data_keys = owners.length === 0 ? new Map() : await vault.knownKeys(reader, owners)
  const opened = new Map<Target, string>()
  for (const { tenant_id, target } of targets) {
    const { address } = target
    if (typeof address === 'string') {
      opened.set(target, address)
      continue
    }
    const key = data_keys.get(keyName({ tenant_id, owner_id: address.owner_id })) as
      Buffer | undefined
    if (key) opened.set(target, unseal(key, address.ciphertext, `destination ${address.id}`))
  }
  return opened
}
