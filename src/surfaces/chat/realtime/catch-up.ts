/**
 * Delivers everything that the database has of a conversation and its sockets have not received.
 * The members are read together with the head, before any message is delivered. So a person who
 * left gets no message after the sequence at which they left. New messages are sent in the order of
 * their sequences, then changes of older messages. Sockets that were subscribed late first get what
 * the others have received.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { messageColumns, messageOf, MessageRow, showMessage } from '../messages/message-row.ts'
import { ConversationState, Role } from '../schemas.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'
import {
  broadcast,
  deliverMessage,
  messageFrame,
  saidOf,
  type MessageType,
  type Person,
  type Since,
  type Watched,
  type WatchedSet,
} from './watched.ts'

const ChangedMember = Type.Object({
  user_id: Type.String(),
  role: Role,
  joined_sequence: Type.Integer(),
  left_sequence: nullable(Type.Integer()),
  last_read_sequence: Type.Integer(),
  revision: Type.Integer(),
})
type ChangedMember = Static<typeof ChangedMember>

const Head = Type.Object({
  latest_sequence: Type.Integer(),
  revision: Type.Integer(),
  member_count: Type.Integer(),
  title: nullable(Type.String()),
  state: ConversationState,
  members: nullable(Type.Array(ChangedMember)),
})
type Head = Static<typeof Head>

const portion = 200
/** A socket that is further behind fetches the changes itself. */
const behind_max = 2000

export async function catchUp(
  { kernel, cipher }: Pick<Deps, 'kernel' | 'cipher'>,
  all: WatchedSet,
  watched: Watched,
): Promise<void> {
  const { db } = kernel
  const { tenant_id, id, known_revision, known_sequence } = watched
  const head = await readHead(db, watched)
  if (head && head.revision < known_revision) return goBack(watched, head)
  if (!head || (head.revision === known_revision && !isOwed(watched))) return
  applyMembers(watched, head.members ?? [])
  await deliverLate({ kernel, cipher }, watched)
  const deliver = (type: MessageType | null, rows: readonly MessageRow[]) => {
    for (const row of rows) {
      const changed = row.deleted_at === null ? 'message.updated' : 'message.deleted'
      const event_id = type ? row.created_event_id : (row.changed_event_id ?? row.created_event_id)
      deliverMessage(watched, type ?? changed, messageOf(cipher, watched.data_key, row), event_id)
    }
  }
  // A revision counts every change, also those of older messages.
  if (head.revision - known_revision > behind_max) {
    for (const person of watched.people.values()) {
      for (const connection of person.sockets) connection.miss(id, known_revision)
    }
  } else {
    for (let from = known_sequence; from < head.latest_sequence; from += portion) {
      const upto = Math.min(head.latest_sequence, from + portion)
      const rows = await db.many(
        MessageRow,
        sql`
          select ${messageColumns} from chat.messages m
          where m.tenant_id = ${tenant_id} and m.conversation_id = ${id}
            and m.sequence > ${from} and m.sequence <= ${upto}
          order by m.sequence`,
      )
      deliver('message.created', rows)
      watched.known_sequence = upto
    }
    // A change of a new message is already contained in the message.
    const fresh = head.latest_sequence - known_sequence
    if (head.revision - known_revision > fresh) {
      const rows = await db.many(
        MessageRow,
        sql`
          select ${messageColumns} from chat.messages m
          where m.tenant_id = ${tenant_id} and m.conversation_id = ${id}
            and m.revision > ${known_revision} and m.revision <= ${head.revision}
            and m.sequence <= ${known_sequence}
          order by m.revision limit ${behind_max}`,
      )
      deliver(null, rows)
    }
  }
  watched.known_sequence = head.latest_sequence
  watched.known_revision = Math.max(known_revision, head.revision)
  notifyMembers(all, watched, head)
}

/**
 * A standby that lacks the last changes has taken over, and their numbers are given to others. So
 * each socket fetches everything, and what is known about the members is read again.
 */
function goBack(watched: Watched, head: Head): void {
  watched.known_revision = head.revision
  watched.known_sequence = head.latest_sequence
  watched.again = true
  for (const person of watched.people.values()) {
    person.certain = false
    for (const connection of [...person.sockets, ...person.late.keys()]) {
      connection.miss(watched.id, 0)
    }
  }
}

/** Whether a socket waits for this read, although the conversation has not changed. */
function isOwed({ people }: Watched): boolean {
  for (const { certain, late } of people.values()) if (!certain || late.size > 0) return true
  return false
}

/**
 * Sockets that were subscribed late get the messages that the others have received, read once for
 * all of them.
 */
async function deliverLate(deps: Pick<Deps, 'kernel' | 'cipher'>, watched: Watched): Promise<void> {
  const { known_sequence } = watched
  const late = [...watched.people.values()].flatMap(person =>
    person.certain
      ? [...person.late].map(([connection, since]) => ({ person, connection, since }))
      : [],
  )
  if (late.length === 0) return
  const earliest = late.reduce(
    (least, { person, since }) => Math.min(least, Math.max(person.joined_sequence, since.sequence)),
    known_sequence,
  )
  const after = Math.max(earliest, known_sequence - behind_max)
  const rows = after < known_sequence ? await readSent(deps, watched, after) : []
  for (const { person, connection, since } of late) {
    // It was closed meanwhile.
    if (!person.late.delete(connection)) continue
    person.sockets.add(connection)
    if (mustFetch(watched, person, connection, since)) {
      connection.miss(watched.id, since.revision ?? 0)
      continue
    }
    for (const row of rows) {
      const { sequence, revision } = row
      const before = sequence <= since.sequence || sequence <= person.joined_sequence
      if (before || sequence > (person.left_sequence ?? known_sequence)) continue
      const message = messageOf(deps.cipher, watched.data_key, row)
      const shown = showMessage(message, person)
      connection.live(
        messageFrame('message.created', shown, row.created_event_id),
        watched.id,
        revision,
      )
    }
  }
}

/**
 * Whether a late socket fetches the changes itself: it is far behind, or something other than a new
 * message has changed meanwhile. A plain socket gets new messages only.
 */
function mustFetch(
  { known_sequence, known_revision }: Watched,
  { joined_sequence }: Person,
  { plain }: Connection,
  { sequence, revision }: Since,
): boolean {
  if (known_sequence - Math.max(sequence, joined_sequence) > behind_max) return true
  return !plain && revision !== null && known_revision - revision > known_sequence - sequence
}

async function readSent(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  { tenant_id, id, known_sequence }: Watched,
  after: number,
): Promise<MessageRow[]> {
  return await db.many(
    MessageRow,
    sql`
      select ${messageColumns} from chat.messages m
      where m.tenant_id = ${tenant_id} and m.conversation_id = ${id}
        and m.sequence > ${after} and m.sequence <= ${known_sequence}
      order by m.sequence`,
  )
}

async function readHead(db: Deps['kernel']['db'], watched: Watched): Promise<Head | undefined> {
  const { tenant_id, id, known_revision, people } = watched
  const owed = isOwed(watched)
  const uncertain = [...people.values()].filter(one => !one.certain).map(one => one.user_id)
  return await db.maybe(
    Head,
    sql`
      select c.latest_sequence, c.revision, c.member_count, c.title, c.state, (
        select jsonb_agg(jsonb_build_object('user_id', b.user_id, 'role', b.role,
          'joined_sequence', b.joined_sequence, 'left_sequence', b.left_sequence,
          'last_read_sequence', b.last_read_sequence, 'revision', b.revision) order by b.revision)
        from chat.conversation_members b
        where b.tenant_id = c.tenant_id and b.conversation_id = c.id
          and (b.revision > ${known_revision} or b.user_id = any(${uncertain}::uuid[]))) as members
      from chat.conversations c
      where c.tenant_id = ${tenant_id} and c.id = ${id}
        and (c.revision <> ${known_revision} or ${owed})`,
  )
}

function applyMembers(watched: Watched, members: readonly ChangedMember[]): void {
  for (const { user_id, joined_sequence, left_sequence, revision } of members) {
    const person = watched.people.get(user_id)
    if (!person) continue
    person.joined_sequence = joined_sequence
    person.left_sequence = left_sequence
    person.left_at_revision = left_sequence === null ? null : revision
    person.certain = true
  }
}

/** A person who left gets a frame about it and receives no more of the conversation. */
function notifyMembers(all: WatchedSet, watched: Watched, head: Head): void {
  const { id: conversation_id, people } = watched
  const { title, state, member_count, revision } = head
  const changed = head.members ?? []
  for (const { revision: at, ...member } of changed) {
    const frame = frameOf({ type: 'member.updated', conversation_id, revision: at, member })
    broadcast(watched, frame, member.user_id)
    for (const connection of people.get(member.user_id)?.sockets ?? []) connection.ephemeral(frame)
  }
  const said = saidOf(head)
  if (watched.said !== said) {
    watched.said = said
    watched.member_count = member_count
    const about = { title, state, member_count }
    broadcast(
      watched,
      frameOf({ type: 'conversation.updated', conversation_id, revision, ...about }),
    )
  }
  for (const person of people.values()) {
    if (person.left_sequence !== null) all.leave(watched, person.user_id)
  }
}
