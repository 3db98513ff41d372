/**
 * Handles each frame of a client. As over HTTP, the person's rights are read when the frame is
 * handled. A frame of a session that has ended is dropped: its socket is being closed.
 */
import { isUnavailable, openLocalRate, Problem, sql, type LocalRate } from '#dodeca/kernel'
import { findSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { markRead } from '../members/mark-read.ts'
import { findMessage } from '../messages/find-message.ts'
import type { Sender } from '../messages/send-message.ts'
import type { Connection } from './connection.ts'
import type { Inbound } from './frames.ts'
import { findAcquainted, readMemberships } from './memberships.ts'
import type { OpenLive } from './open-live.ts'
import { messageFrame } from './watched.ts'

export type SocketDeps = Deps & { readonly live: OpenLive; readonly send: Sender }

type Of<K extends Inbound['type']> = Extract<Inbound, { type: K }>

export type FrameHandler = (connection: Connection, frame: Inbound) => Promise<void>

const typing_ms = 6000
const typing_every_ms = 3000
const read_every_ms = 250

export function openFrameHandler(deps: SocketDeps): FrameHandler {
  const typingRate = openLocalRate({ many: 1, per_ms: typing_every_ms })
  const receipts = openReceipts(deps)
  return async (connection, frame) => {
    const request_id = 'request_id' in frame ? (frame.request_id ?? null) : null
    try {
      const { session_id, tenant_id } = connection.holder
      if (await deps.people.hasEnded(session_id, tenant_id)) return
      if (frame.type === 'message.send') await sendFrame(deps, connection, frame)
      else if (frame.type === 'receipt.read') await receipts(connection, frame)
      else if (frame.type === 'typing') await typing(deps, typingRate, connection, frame)
      else if (frame.type === 'presence.subscribe') await subscribe(deps, connection, frame)
      else if (frame.type === 'sync') await sync(deps, connection, frame)
      else connection.reply({ type: 'pong', ...(request_id === null ? {} : { request_id }) })
    } catch (error) {
      connection.reply(errorFrame(deps, request_id, error))
    }
  }
}

/** The content of a problem document, as an error frame. */
export function errorFrame(
  { kernel: { log } }: Pick<Deps, 'kernel'>,
  request_id: string | null,
  error: unknown,
): object {
  const known = error instanceof Problem ? error : null
  if (!known && !isUnavailable(error)) log.error({ err: error }, 'a frame failed')
  const shown = known ?? problem(isUnavailable(error) ? 'overloaded' : 'internal_error')
  const { code, status, title, details } = shown
  return {
    type: 'error',
    request_id,
    code,
    status,
    title,
    ...(details.detail === undefined || status >= 500 ? {} : { detail: details.detail }),
    ...(details.retry_after === undefined ? {} : { retry_after_ms: details.retry_after * 1000 }),
  }
}

async function sendFrame(deps: SocketDeps, connection: Connection, frame: Of<'message.send'>) {
  const { tenant_id, user_id } = connection.holder
  const { request_id, conversation_id, body, attachment_ids, reply_to_sequence } = frame
  const { sent, draft } = await deps.send({
    tenant_id,
    sender_id: user_id,
    conversation_id,
    client_request_id: request_id,
    body,
    attachment_ids,
    reply_to_sequence,
  })
  if (!connection.plain) {
    const { message_id, sequence, created_at, deduplicated } = sent
    connection.reply({
      type: 'message.ack',
      request_id,
      conversation_id: draft.conversation_id,
      message_id,
      sequence,
      created_at,
      deduplicated,
    })
    return
  }
  // The message itself is the acknowledgement. A repeated message is sent to this socket only.
  if (!sent.deduplicated) return
  const own = await findSeat(deps.kernel.db, { tenant_id, id: draft.conversation_id, user_id })
  const message = await findMessage(deps.kernel.db, deps, own, sent.message_id)
  const again = messageFrame('message.created', message, sent.event_id)
  connection.live(again, message.conversation_id, message.revision)
}

/**
 * One statement for all receipts of a person within a quarter of a second. The highest sequence
 * counts.
 */
function openReceipts(deps: SocketDeps) {
  const owed = new Map<string, { top: number; done: Promise<void> }>()
  return async (
    connection: Connection,
    { conversation_id, through_sequence }: Of<'receipt.read'>,
  ) => {
    const { tenant_id, user_id } = connection.holder
    const seat = { tenant_id, id: conversation_id.toLowerCase(), user_id }
    const before = await findSeat(deps.kernel.db, seat)
    if (through_sequence > before.latest_sequence) {
      throw problem('sequence_out_of_range', {
        detail: `The latest sequence that you may see is ${before.latest_sequence}.`,
      })
    }
    const key = `${seat.tenant_id} ${seat.id} ${user_id}`
    const known = owed.get(key)
    if (known) {
      known.top = Math.max(known.top, through_sequence)
      return await known.done
    }
    const entry = { top: through_sequence, done: Promise.resolve() }
    owed.set(key, entry)
    entry.done = new Promise(resolve => setTimeout(resolve, read_every_ms)).then(async () => {
      owed.delete(key)
      const { db } = deps.kernel
      const read = await markRead(db, deps, seat, entry.top)
      if (read.is_news) deps.live.read(seat, read.last_read_sequence, read.is_shared)
    })
    await entry.done
  }
}

async function typing(
  { live, kernel, blocks }: SocketDeps,
  rate: LocalRate,
  connection: Connection,
  { conversation_id, active }: Of<'typing'>,
): Promise<void> {
  const { tenant_id, user_id } = connection.holder
  const id = conversation_id.toLowerCase()
  const watched = live.watched.find(tenant_id, id)
  const person = watched?.people.get(user_id)
  if (!watched || !person || person.left_sequence !== null || !person.certain) {
    throw problem('conversation_not_found')
  }
  if (watched.member_count > kernel.settings['chat.small_group']) return
  if (active && rate.take(`${user_id} ${id}`) > 0) return
  const other_id = live.placeOf({ tenant_id, id, user_id })?.other_id
  if (other_id) {
    const [blocked] = await blocks.blockedPairs(kernel.db, tenant_id, [[user_id, other_id]])
    if (blocked) return
  }
  const expires_in_ms = active ? typing_ms : 0
  const frame = { type: 'typing', conversation_id: id, user_id, active, expires_in_ms }
  live.note({ tenant_id, id, user_id, to: 'others', frame })
}

async function subscribe(
  deps: SocketDeps,
  connection: Connection,
  frame: Of<'presence.subscribe'>,
) {
  const { live } = deps
  const people = await findAcquainted(deps, connection.holder, frame.user_ids)
  // A socket that is closed is not forgotten again.
  if (connection.ended) return
  live.presence.forget(connection)
  live.presence.subscribe(connection, people)
}

/**
 * The heads are read after the socket is subscribed, so that no message is lost between them and
 * the live messages.
 */
async function sync({ kernel }: SocketDeps, connection: Connection, frame: Of<'sync'>) {
  const asked = new Set(frame.conversations.map(one => one.conversation_id.toLowerCase()))
  const all = await readMemberships(kernel.db, connection.holder)
  const shown = all.map(one => ({
    conversation_id: one.conversation_id,
    latest_sequence: one.latest_sequence,
    revision: one.revision,
    last_read_sequence: one.last_read_sequence,
  }))
  const there = new Set(all.map(one => one.conversation_id))
  connection.reply({
    type: 'sync.state',
    conversations: shown.filter(one => asked.has(one.conversation_id)),
    removed: [...asked].filter(id => !there.has(id)),
    unlisted: shown.filter(one => !asked.has(one.conversation_id)),
  })
}

/** Records that the device was connected, at most once a minute. */
export async function touchDevice({ kernel }: Pick<Deps, 'kernel'>, { holder }: Connection) {
  const { tenant_id, user_id, device_id } = holder
  if (device_id === null) return
  await kernel.db.run(sql`
    update chat.devices set last_seen_at = kernel.now()
    where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${device_id}
      and last_seen_at < kernel.now() - interval '1 minute'`)
}
