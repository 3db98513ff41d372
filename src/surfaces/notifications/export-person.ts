/**
 * The data that notifications stores about a person in one tenant, as the person's export shows it:
 * preferences, addresses, notifications with their data, the inbox, and batches that they sent.
 */
import { Type, type Static } from 'typebox'
import { Id, isUnavailable, nullable, rowsById, sql, Time } from '#dodeca/kernel'
import type { PersonalRecord } from '#dodeca/kernel'
import { builtInCategories } from './categories/built-in.ts'
import type { Deps } from './deps.ts'
import { InboxItem } from './inbox/schemas.ts'
import { readPreferences } from './preferences/read-preferences.ts'
import type { Data } from './schemas.ts'
import { keyName, unseal } from './vault.ts'

const portion = 500
/** Of rows with sealed data, which may have 64 KiB each. */
const sealed_portion = 100

export type Person = {
  readonly tenant_id: string
  readonly user_id: string
  /** The person and their API keys. */
  readonly principal_ids: readonly string[]
}
type Needed = Pick<Deps, 'kernel' | 'vault'>
type Records = AsyncGenerator<PersonalRecord>

export async function* exportPerson(deps: Needed, person: Person): Records {
  yield* preferencesOf(deps, person)
  const refs = [`user:${person.user_id}`]
  for await (const { id, record } of destinationsOf(deps, person)) {
    if (record.data.verified_at !== null) refs.push(`destination:${id}`)
    yield record
  }
  for (const ref of refs) yield* notificationsOf(deps, person.tenant_id, ref)
  yield* inboxOf(deps, person)
  yield* batchesOf(deps, person)
}

async function* preferencesOf({ kernel: { db } }: Needed, { tenant_id, user_id }: Person): Records {
  const sets = await readPreferences(db, [{ tenant_id, user_id }])
  for (const { timezone, locale, preferences } of sets.values()) {
    yield { kind: 'notification_preference_set', data: { timezone, locale } }
    for (const one of preferences) {
      // Without a zone of its own, its quiet hours are in that of the set.
      const data = { ...one, timezone: one.timezone ?? timezone }
      yield { kind: 'notification_preference', data }
    }
  }
}

const Destination = Type.Object({
  id: Id,
  channel: Type.String(),
  provider: Type.String(),
  masked: Type.String(),
  ciphertext: Type.Unsafe<Buffer>({}),
  verified_at: nullable(Time),
  created_at: Time,
})

async function* destinationsOf(deps: Needed, { tenant_id, user_id }: Person) {
  const { db } = deps.kernel
  const read = (after: string | null) =>
    db.many(
      Destination,
      sql`
        select d.id, d.channel, d.provider, d.masked, d.ciphertext, d.verified_at, d.created_at
        from notifications.destinations d
        where d.tenant_id = ${tenant_id} and d.user_id = ${user_id}
          and (${after}::uuid is null or d.id > ${after}::uuid)
        order by d.id limit ${portion}`,
    )
  for await (const { id, masked, ciphertext, ...shown } of rowsById(portion, read)) {
    const owner = { tenant_id, owner_id: user_id }
    // The address of a device is a secret between the device and its push service.
    const plain =
      shown.channel === 'push' ? null : await open(deps, owner, ciphertext, `destination ${id}`)
    yield {
      id,
      record: {
        kind: 'notification_destination',
        data: { ...shown, destination: plain ?? masked },
      },
    }
  }
}

const Received = Type.Object({
  id: Id,
  category: Type.String(),
  state: Type.String(),
  template: Type.String(),
  locale: nullable(Type.String()),
  scheduled_at: nullable(Time),
  created_at: Time,
  data_ref: nullable(Id),
  owner_id: nullable(Id),
  ciphertext: Type.Unsafe<Buffer | null>({}),
})

async function* notificationsOf(deps: Needed, tenant_id: string, ref: string): Records {
  const { db } = deps.kernel
  const read = (after: string | null) =>
    db.many(
      Received,
      sql`
        select i.id, i.category, i.state, i.template_version as template, i.locale, i.scheduled_at,
          i.created_at, i.data_ref, n.owner_id, n.ciphertext
        from notifications.notification_intents i
        left join notifications.notification_inputs n
          on n.tenant_id = i.tenant_id and n.ref = i.data_ref
        where i.tenant_id = ${tenant_id} and i.recipient_ref = ${ref}
          and (${after}::uuid is null or i.id > ${after}::uuid)
        order by i.id limit ${sealed_portion}`,
    )
  for await (const row of rowsById(sealed_portion, read)) {
    const { data_ref: _ref, owner_id: _owner, ciphertext: _sealed, ...shown } = row
    const data = await dataOf(deps, tenant_id, row)
    yield { kind: 'notification', data: { ...shown, data } }
  }
}

/** Null if the data is no longer stored, or contains a code that proves an address. */
async function dataOf(
  deps: Needed,
  tenant_id: string,
  { category, data_ref, owner_id, ciphertext }: Static<typeof Received>,
): Promise<Data | null> {
  if (builtInCategories.get(category)?.class === 'security') return null
  if (owner_id === null || ciphertext === null) return null
  const text = await open(deps, { tenant_id, owner_id }, ciphertext, `input ${data_ref}`)
  return text === null ? null : (JSON.parse(text) as Data)
}

/** Null if the text cannot be read any more. The rest of the export does not depend on it. */
async function open(
  { kernel: { db, log }, vault }: Needed,
  owner: { readonly tenant_id: string; readonly owner_id: string },
  ciphertext: Buffer,
  place: string,
): Promise<string | null> {
  try {
    const key = (await vault.knownKeys(db, [owner])).get(keyName(owner))
    return key ? unseal(key, ciphertext, place) : null
  } catch (error) {
    if (isUnavailable(error)) throw error
    log.error({ err: error, ...owner, place }, 'a stored text cannot be exported')
    return null
  }
}

const Item = Type.Object({ ...InboxItem.properties, notification_id: nullable(Id) })

async function* inboxOf({ kernel: { db } }: Needed, { tenant_id, user_id }: Person): Records {
  const read = (after: string | null) =>
    db.many(
      Item,
      sql`
        select n.id, n.intent_id as notification_id, n.sequence, n.category, n.title, n.body, n.url,
          n.read_at, n.archived_at, n.created_at
        from notifications.inbox_items n
        where n.tenant_id = ${tenant_id} and n.user_id = ${user_id}
          and (${after}::uuid is null or n.id > ${after}::uuid)
        order by n.id limit ${portion}`,
    )
  for await (const data of rowsById(portion, read)) yield { kind: 'inbox_item', data }
}

const Batch = Type.Object({
  id: Id,
  category: Type.String(),
  priority: Type.String(),
  template: Type.String(),
  state: Type.String(),
  total: Type.Integer(),
  duplicates: Type.Integer(),
  rejected: Type.Integer(),
  created_at: Time,
  completed_at: nullable(Time),
})

/** Of each sender by itself, in the order of the index. */
async function* batchesOf({ kernel: { db } }: Needed, person: Person): Records {
  const { tenant_id, principal_ids } = person
  for (const principal_id of principal_ids) {
    const read = (after: string | null) =>
      db.many(
        Batch,
        sql`
          select b.id, b.category, b.priority, b.template_version as template, b.state, b.total,
            b.duplicates, b.rejected_count as rejected, b.created_at, b.completed_at
          from notifications.notification_batches b
          where b.tenant_id = ${tenant_id} and b.principal_id = ${principal_id}
            and (${after}::uuid is null or b.id > ${after}::uuid)
          order by b.id limit ${portion}`,
      )
    for await (const data of rowsById(portion, read)) yield { kind: 'notification_batch', data }
  }
}
