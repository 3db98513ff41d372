/**
 * Push messages for unread messages. They are due two seconds after the first unread message, and
 * at most every thirty seconds for a group. A member who reads, is connected, muted the
 * conversation or left the tenant gets none. A connected member who does not read is looked at again
 * until a socket that was open at the message must have answered a ping or be gone, so a message to
 * a lost connection is pushed. A push contains no text, because a text that is deleted later could
 * not be recalled.
 */
import { Type, type Static } from 'typebox'
import { again, done, dueQueue, sql, type DueQueue } from '#dodeca/kernel'
import { lockConversation } from '../conversations/change.ts'
import type { Deps } from '../deps.ts'
import type { Key } from '../schemas.ts'
import { known_ms } from '../realtime/presence.ts'

const portion = 100

const Push = Type.Object({
  tenant_id: Type.String(),
  conversation_id: Type.String(),
  /** The latest message at the claim. */
  up_to_sequence: Type.Integer(),
  /** What needs no push any more: pushed, read, or received over a socket. */
  pushed_sequence: Type.Integer(),
  grouped: Type.Boolean(),
})
const Unseen = Type.Object({ user_id: Type.String() })
const Settled = Type.Object({ sequence: Type.Integer() })

export function pushQueue(deps: Pick<Deps, 'kernel' | 'messages' | 'people' | 'live'>): DueQueue {
  const { settings } = deps.kernel
  return dueQueue({
    name: 'chat.pushes',
    table: 'chat.pushes',
    key: ['tenant_id', 'conversation_id'],
    row: Push,
    load: sql`t.pushed_sequence, (
        select c.latest_sequence from chat.conversations c
        where c.tenant_id = t.tenant_id and c.id = t.conversation_id) as up_to_sequence, exists (
        select from chat.conversations c
        where c.tenant_id = t.tenant_id and c.id = t.conversation_id and c.type = 'group') as grouped`,
    batch: 50,
    concurrency: 4,
    lease_seconds: 60,
    retry: [5, 30, 120, 600],
    run: async (row, signal) => done(await pushUnseen(deps, row, signal)),
    finish: async (tx, row, outcome) => {
      if (outcome.end !== 'done') return undefined
      const { result } = outcome
      const { tenant_id, conversation_id, up_to_sequence, grouped } = row
      await tx.run(sql`
        update chat.pushes
        set pushed_sequence = ${result}, pushed_at = kernel.now()
        where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}`)
      // A send that runs meanwhile finds this push due and leaves it so. It is committed before the
      // conversation can be locked, or it finds what is decided here.
      const head = await lockConversation(tx, { tenant_id, id: conversation_id })
      const more = head.latest_sequence > up_to_sequence
      if (!more && result === up_to_sequence) return done(result)
      if (grouped) return again(settings['chat.push_group_seconds'], result)
      const wait_ms = settings[more ? 'chat.push_delay_ms' : 'chat.presence_grace_ms']
      return again(Math.max(more ? 0 : 1, wait_ms / 1000), result)
    },
  })
}

type Due = Static<typeof Push>

/** Returns the sequence up to which no member needs a push any more. */
async function pushUnseen(
  deps: Pick<Deps, 'kernel' | 'messages' | 'people' | 'live'>,
  row: Due,
  signal: AbortSignal,
): Promise<number> {
  const { tenant_id, conversation_id, up_to_sequence, pushed_sequence } = row
  const { db } = deps.kernel
  const unseen = await db.many(
    Unseen,
    sql`
      select b.user_id from chat.conversation_members b
      where b.tenant_id = ${tenant_id} and b.conversation_id = ${conversation_id}
        and b.left_sequence is null and b.last_read_sequence < ${up_to_sequence}
        and (b.muted_until is null or b.muted_until <= kernel.now())
        and exists (select from chat.messages m
          where m.tenant_id = b.tenant_id and m.conversation_id = b.conversation_id
            and m.sequence > greatest(b.last_read_sequence, b.joined_sequence, b.pushed_sequence,
              ${pushed_sequence}::bigint)
            and m.sequence <= ${up_to_sequence} and m.sender_id <> b.user_id
            and m.deleted_at is null)
      order by b.user_id`,
  )
  const online = deps.live.online(tenant_id)
  const offline = unseen.map(one => one.user_id).filter(id => !online.has(id))
  for (let at = 0; at < offline.length; at += portion) {
    signal.throwIfAborted()
    await pushTo(deps, row, offline.slice(at, at + portion))
  }
  return offline.length === unseen.length ? up_to_sequence : await readSettled(deps, row)
}

async function pushTo(
  deps: Pick<Deps, 'kernel' | 'messages' | 'people'>,
  { tenant_id, conversation_id, up_to_sequence, grouped }: Due,
  user_ids: readonly string[],
): Promise<void> {
  const key = { tenant_id, id: conversation_id, grouped }
  await deps.kernel.db.tx(async tx => {
    const members = await deps.people.membersOf(tx, tenant_id, user_ids)
    const some = user_ids.filter(id => members.has(id))
    for (const user_id of some) {
      await deps.messages.notify(tx, noticeOf(deps, key, user_id, up_to_sequence))
    }
    await tx.run(sql`
      update chat.conversation_members set pushed_sequence = ${up_to_sequence}
      where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
        and user_id = any(${some}::uuid[])`)
  })
}

/** A member who is still connected has received what is older than every wait for a lost socket. */
async function readSettled(
  { kernel: { db, settings } }: Pick<Deps, 'kernel'>,
  { tenant_id, conversation_id, up_to_sequence, pushed_sequence }: Due,
): Promise<number> {
  const lost_ms = Math.max(settings['chat.heartbeat_ms'] + settings['chat.pong_ms'], known_ms)
  const wait_seconds = (lost_ms + settings['chat.presence_grace_ms']) / 1000
  const settled = await db.maybe(
    Settled,
    sql`
      select sequence from chat.messages
      where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
        and sequence > ${pushed_sequence} and sequence <= ${up_to_sequence}
        and created_at <= kernel.now() - make_interval(secs => ${wait_seconds})
      order by sequence desc limit 1`,
  )
  return settled?.sequence ?? pushed_sequence
}

function noticeOf(
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, id, grouped }: Key & { readonly grouped: boolean },
  user_id: string,
  at: number,
) {
  return {
    tenant_id,
    // A second attempt makes the same key, so that nothing is sent twice.
    key: `chat:${id}:${at}:${user_id}`,
    user_id,
    category: 'chat.message',
    template: 'notice',
    data: {
      subject: 'New message',
      paragraphs: ['You have a new message.'],
      url: `${kernel.public_url}/v1/conversations/${id}`,
    },
    // In a direct conversation each message that is not read is pushed.
    ...(grouped && {
      dedupe: {
        key: `chat:${id}`,
        window_seconds: Math.max(1, kernel.settings['chat.push_group_seconds']),
      },
    }),
  }
}
