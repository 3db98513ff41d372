/**
 * Writes many messages in one transaction. First checks, without a lock, which senders may write to
 * which conversations. Then encrypts the texts and appends them, with an event for each accepted
 * message. People who block each other do not send to each other; the same statement finds them.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Bytes, type Message } from '../schemas.ts'

export type Draft = {
  readonly tenant_id: string
  readonly conversation_id: string
  readonly sender_id: string
  readonly message_id: string
  readonly event_id: string
  readonly client_request_id: string
  readonly fingerprint: Buffer
  readonly body: string | null
  readonly attachment_ids: readonly string[]
  readonly reply_to_sequence: number | null
}

export type Sent = {
  readonly message_id: string
  readonly sequence: number
  readonly revision: number
  readonly event_id: string
  readonly created_at: string
  readonly deduplicated: boolean
}

/**
 * An error of one item does not affect the others. `busy` means that another process has locked the
 * conversation.
 */
export type Appending = Sent | Error | 'busy'

const Place = Type.Object({
  item: Type.Integer(),
  other_id: nullable(Type.String()),
  data_key: Bytes,
})
type Place = Static<typeof Place>

const Row = Type.Object({
  item: Type.Integer(),
  outcome: Type.String(),
  message_id: nullable(Type.String()),
  message_sequence: nullable(Type.Integer()),
  message_revision: nullable(Type.Integer()),
  event_id: nullable(Type.String()),
  created_at: nullable(Type.String()),
})
type Row = Static<typeof Row>

export type AppendDeps = Pick<Deps, 'kernel' | 'cipher' | 'blocks'> & {
  readonly live: Pick<Deps['live'], 'placeOf'>
}

export async function appendMessages(
  deps: AppendDeps,
  drafts: readonly Draft[],
  wait: boolean,
): Promise<Appending[]> {
  const results: (Appending | undefined)[] = drafts.map(() => undefined)
  const rows = seal(deps, drafts, await placesOf(deps, drafts))
  for (const row of rows.length > 0 ? await append(deps, rows, wait) : []) {
    const mine = rows[row.item - 1]
    if (mine) results[mine.item] = outcomeOf(row, mine.draft)
  }
  return results.map(one => one ?? problem('conversation_not_found'))
}

/** Appends one message in the caller's transaction, and waits for the lock of the conversation. */
export async function appendIn(tx: Tx, deps: AppendDeps, draft: Draft): Promise<Sent> {
  const rows = seal(deps, [draft], await readPlaces(tx, [{ item: 0, ...draft }]))
  if (rows.length === 0) throw problem('conversation_not_found')
  const row = await tx.one(Row, appendStatement(deps, rows, true, tx.emitting()))
  const sent = outcomeOf(row, draft)
  if (sent === 'busy') throw new Error('the lock of a conversation was not waited for')
  if (sent instanceof Error) throw sent
  return sent
}

function seal(
  { cipher }: Pick<Deps, 'cipher'>,
  drafts: readonly Draft[],
  places: readonly Place[],
): Sealed[] {
  return places.flatMap(({ item, data_key, other_id }): Sealed[] => {
    const draft = drafts[item]
    if (!draft) return []
    const { conversation_id, message_id, body } = draft
    const place = { conversation_id, message_id, version: 1 }
    const sealed = body === null ? null : cipher.seal(data_key, place, body)
    return [{ item, draft, other_id, sealed }]
  })
}

type Sealed = {
  /** The place in the batch. */
  readonly item: number
  readonly draft: Draft
  readonly other_id: string | null
  readonly sealed: Buffer | null
}

/** One packet: BEGIN, the append, which also writes the events and the pushes, and COMMIT. */
async function append(deps: AppendDeps, rows: readonly Sealed[], wait: boolean): Promise<Row[]> {
  const { kernel } = deps
  let appended: Row[] = []
  await kernel.fault('chat.before_append')
  await kernel.db.tx(tx => {
    tx.atCommit(appendStatement(deps, rows, wait, tx.emitting()), {
      row: Row,
      answered: found => {
        appended = found
      },
    })
    return Promise.resolve()
  })
  await kernel.fault('chat.after_commit')
  return appended
}

function appendStatement(
  { kernel: { settings }, blocks }: AppendDeps,
  rows: readonly Sealed[],
  wait: boolean,
  { traceparent, written_by }: ReturnType<Tx['emitting']>,
) {
  const of = <T>(pick: (row: Sealed) => T): T[] => rows.map(pick)
  // Ids need no quotes. The driver would search each of them for characters to escape.
  const ids = (pick: (draft: Draft) => string) => `{${rows.map(one => pick(one.draft)).join(',')}}`
  const [tenants, senders] = [ids(one => one.tenant_id), ids(one => one.sender_id)]
  const pair = { tenant_id: sql`p.tenant_id`, one: sql`p.one`, other: sql`p.other` }
  return sql`
    select item, outcome, message_id, message_sequence, message_revision, event_id, created_at
    from chat.append(
      p_tenant_ids => ${tenants}::uuid[],
      p_conversation_ids => ${ids(one => one.conversation_id)}::uuid[],
      p_sender_ids => ${senders}::uuid[],
      p_message_ids => ${ids(one => one.message_id)}::uuid[],
      p_request_ids => ${of(one => one.draft.client_request_id)}::text[],
      p_fingerprints => ${of(one => one.draft.fingerprint)}::bytea[],
      p_bodies => ${of(one => one.sealed)}::bytea[],
      p_replies => ${of(one => one.draft.reply_to_sequence)}::bigint[],
      p_attachments => ${of(one => `{${one.draft.attachment_ids.join(',')}}`)}::text[],
      p_event_ids => ${ids(one => one.event_id)}::uuid[],
      p_blocked => array(
        select p.other is not null and ${blocks.blocked(pair)}
        from unnest(${tenants}::uuid[], ${senders}::uuid[], ${of(one => one.other_id)}::uuid[])
          with ordinality p (tenant_id, one, other, place)
        order by p.place),
      p_wait => ${wait},
      p_push_delay => make_interval(secs => ${settings['chat.push_delay_ms'] / 1000}),
      p_push_group => make_interval(secs => ${settings['chat.push_group_seconds']}),
      p_traceparent => ${traceparent}, p_written_by => ${written_by})
    order by item`
}

/**
 * A person who was never a member has no row, so the row of the conversation is not locked for
 * them. Memberships that the sockets of this process know are not read again.
 */
async function placesOf(
  { kernel, live }: AppendDeps,
  drafts: readonly Draft[],
): Promise<readonly Place[]> {
  const known: Place[] = []
  const asked: Asked[] = []
  for (const [item, { tenant_id, conversation_id, sender_id }] of drafts.entries()) {
    const place = live.placeOf({ tenant_id, id: conversation_id, user_id: sender_id })
    if (place) known.push({ item, ...place })
    else asked.push({ item, tenant_id, conversation_id, sender_id })
  }
  return asked.length === 0 ? known : [...known, ...(await readPlaces(kernel.db, asked))]
}

type Asked = Pick<Draft, 'tenant_id' | 'conversation_id' | 'sender_id'> & { readonly item: number }

async function readPlaces(reader: Reader, asked: readonly Asked[]): Promise<readonly Place[]> {
  return await reader.many(
    Place,
    sql`
      select i.item, c.data_key,
        case when c.type = 'direct' then (
          select o.user_id from chat.conversation_members o
          where o.tenant_id = b.tenant_id and o.conversation_id = b.conversation_id
            and o.user_id <> b.user_id limit 1) end as other_id
      from ${sql.table(asked, { item: 'int4', tenant_id: 'uuid', conversation_id: 'uuid', sender_id: 'uuid' })} i
      join chat.conversation_members b on b.tenant_id = i.tenant_id
        and b.conversation_id = i.conversation_id and b.user_id = i.sender_id
      join chat.conversations c on c.tenant_id = i.tenant_id and c.id = i.conversation_id`,
  )
}

const refusals = {
  unknown: 'conversation_not_found',
  left: 'not_a_member',
  closed: 'conversation_closed',
  conflict: 'idempotency_key_reused',
  blocked: 'message_not_allowed',
  reply: 'reply_target_unknown',
  attachment: 'attachment_not_ready',
} as const

function outcomeOf(row: Row, draft: Draft): Appending {
  const { outcome, message_id, message_sequence, message_revision, event_id, created_at } = row
  if (outcome === 'busy') return 'busy'
  if (outcome in refusals) return problem(refusals[outcome as keyof typeof refusals])
  return {
    message_id: message_id ?? '',
    sequence: message_sequence ?? 0,
    revision: message_revision ?? 0,
    event_id: event_id ?? '',
    created_at: created_at ?? '',
    // If the reply of a commit was lost, the message found under the key is our own.
    deduplicated: outcome === 'duplicate' && message_id !== draft.message_id,
  }
}

/**
 * The new message as its readers get it. A message with attachments is read from its rows instead.
 */
export function sentMessage(draft: Draft, sent: Sent): Message {
  return {
    id: sent.message_id,
    conversation_id: draft.conversation_id,
    sequence: sent.sequence,
    revision: sent.revision,
    sender_id: draft.sender_id,
    client_request_id: draft.client_request_id,
    body: draft.body,
    reply_to_sequence: draft.reply_to_sequence,
    version: 1,
    attachments: [],
    created_at: sent.created_at,
    edited_at: null,
    deleted_at: null,
  }
}
