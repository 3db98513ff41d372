/**
 * Writes recipients of a batch as intents and attempts, a few thousand in one transaction. Messages
 * are sent only after the batch is `dispatching`, so a request that breaks off sends nothing.
 */
import { Type } from 'typebox'
import { Id, newId, Problem, rfc3339, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { requireData, type Prepared } from '../intents/prepare-order.ts'
import { storeAddresses } from '../intents/recipient.ts'
import { laneOf, type Data } from '../schemas.ts'
import { keyName, seal as sealText } from '../vault.ts'
import type { Line } from './read-lines.ts'
import type { RejectedLine } from './schemas.ts'

export type Batch = Prepared & {
  readonly id: string
  readonly tenant_id: string
  readonly principal_id: string
  readonly session_id: string | null
  readonly token: string
  readonly data: Data
  /** The sealed data that all recipients share if they have no data of their own. */
  readonly shared_ref: string
  readonly locale: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly emits: boolean
  readonly created_at_ms: number
}

export type Portion = {
  readonly total: number
  readonly duplicates: number
  readonly rejected: readonly RejectedLine[]
}

type Resolved = {
  readonly line: Line
  readonly ref: string
  readonly owner_id: string
  readonly data: Data | null
}

const Made = Type.Object({ made: Type.Integer() })
const Found = Type.Object({ id: Id })

export async function expandPortion(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'vault'>,
  batch: Batch,
  lines: readonly Line[],
): Promise<Portion> {
  const { tenant_id } = batch
  const rejected: RejectedLine[] = []
  const refs = await referencesOf(tx, deps, tenant_id, lines)
  const rows = new Map<string, Resolved>()
  let duplicates = 0
  for (const line of lines) {
    const ref = refs.get(line)
    if (ref === undefined) {
      rejected.push({ line: line.line, code: 'destination_not_found' })
      continue
    }
    const data = line.data && { ...batch.data, ...line.data }
    const code = data && (await refusalOf(deps, batch, data))
    if (code) {
      rejected.push({ line: line.line, code })
      continue
    }
    const name = `${ref} ${line.dedupe_key ?? ''}`
    if (rows.has(name)) duplicates++
    else rows.set(name, { line, ref, owner_id: ref.slice(ref.indexOf(':') + 1), data })
  }
  // In one order, so that two portions with the same recipients never deadlock.
  const sorted = [...rows]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row)
  const made = await insert(tx, deps, batch, sorted)
  return { total: made, duplicates: duplicates + rows.size - made, rejected }
}

async function refusalOf(
  deps: Pick<Deps, 'kernel'>,
  batch: Batch,
  data: Data,
): Promise<string | null> {
  try {
    await requireData(deps, batch.template, data)
    return null
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}

async function referencesOf(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'vault'>,
  tenant_id: string,
  lines: readonly Line[],
): Promise<ReadonlyMap<Line, string>> {
  const refs = new Map<Line, string>()
  const addressed = lines.flatMap(line => (line.address ? [{ line, address: line.address }] : []))
  const stored =
    addressed.length === 0
      ? []
      : await storeAddresses(
          tx,
          deps,
          tenant_id,
          addressed.map(one => one.address),
        )
  addressed.forEach(({ line }, index) => refs.set(line, `destination:${stored[index]}`))
  const named = lines.flatMap(line => line.recipient.destination_id?.toLowerCase() ?? [])
  const known = new Set(
    named.length === 0
      ? []
      : (
          await tx.many(
            Found,
            sql`
              select id from notifications.destinations
              where tenant_id = ${tenant_id} and id = any(${named}::uuid[])`,
          )
        ).map(row => row.id),
  )
  for (const line of lines) {
    const { user_id, destination_id } = line.recipient
    if (user_id !== undefined) refs.set(line, `user:${user_id.toLowerCase()}`)
    const id = destination_id?.toLowerCase()
    if (id !== undefined && known.has(id)) refs.set(line, `destination:${id}`)
  }
  return refs
}

/** Includes the recipient's own sealed data. */
async function seal(
  tx: Tx,
  { vault }: Pick<Deps, 'vault'>,
  tenant_id: string,
  rows: readonly Resolved[],
) {
  const owned = rows.filter(row => row.data !== null)
  const keys = await vault.keysFor(
    tx,
    owned.map(({ owner_id }) => ({ tenant_id, owner_id })),
  )
  return rows.map(({ line: { locale, dedupe_key }, ref, owner_id, data }) => {
    const made = { id: newId(), ref, locale, dedupe_key, owner_id }
    if (data === null) return { ...made, data_ref: null, ciphertext: null }
    const data_ref = newId()
    const key = keys.get(keyName({ tenant_id, owner_id })) as Buffer
    const ciphertext = sealText(key, JSON.stringify(data), `input ${data_ref}`)
    return { ...made, data_ref, ciphertext }
  })
}

async function insert(
  tx: Tx,
  deps: Pick<Deps, 'vault'>,
  batch: Batch,
  rows: readonly Resolved[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { tenant_id, priority } = batch
  const recipients = await seal(tx, deps, tenant_id, rows)
  const due_at = rfc3339(batch.scheduled_at_ms ?? batch.created_at_ms)
  const { made } = await tx.one(
    Made,
    sql`
      with made as (
        insert into notifications.notification_intents
          (tenant_id, id, recipient_ref, category, priority, template_version, locale, data_ref,
            scheduled_at, state, expires_at, principal_id, session_id, batch_id, dedupe_key,
            metadata, emits, created_at, updated_at)
        select ${tenant_id}, r.id, r.ref, ${batch.category.name}, ${priority}, ${batch.template.ref},
          coalesce(r.locale, ${batch.locale}), coalesce(r.data_ref, ${batch.shared_ref}::uuid),
          ${batch.scheduled_at_ms === null ? null : due_at}::timestamptz,
          ${batch.scheduled_at_ms === null ? 'queued' : 'scheduled'}, ${rfc3339(batch.expires_at_ms)},
          ${batch.principal_id}, ${batch.session_id}::uuid, ${batch.id}, r.dedupe_key,
          ${batch.metadata ? sql.json(batch.metadata) : null}::jsonb, ${batch.emits},
          ${rfc3339(batch.created_at_ms)}, (select kernel.now())
        from ${sql.table(recipients, {
          id: 'uuid',
          ref: 'text',
          locale: 'text',
          data_ref: 'uuid',
          dedupe_key: 'text',
        })} r
        on conflict (tenant_id, batch_id, recipient_ref, dedupe_key) where batch_id is not null do nothing
        returning id, data_ref
      ),
      inputs as (
        insert into notifications.notification_inputs (tenant_id, ref, owner_id, ciphertext, bytes)
        select ${tenant_id}, n.data_ref, n.owner_id, n.ciphertext, length(n.ciphertext)
        from ${sql.table(
          recipients.filter(one => one.data_ref !== null),
          { data_ref: 'uuid', owner_id: 'uuid', ciphertext: 'bytea' },
        )} n
        join made m on m.data_ref = n.data_ref
      ),
      attempts as (
        insert into notifications.delivery_attempts
          (tenant_id, id, intent_id, channel, attempt_no, state, next_attempt_at, lane, batch_id,
            created_at, updated_at)
        select ${tenant_id}, gen_random_uuid(), m.id, c.channel, 1, 'pending', ${due_at}::timestamptz,
          ${laneOf(priority)}, ${batch.id}, (select kernel.now()), (select kernel.now())
        from made m cross join unnest(${[...batch.channels]}::text[]) c (channel)
      )
      select count(*)::int as made from made`,
  )
  return made
}
