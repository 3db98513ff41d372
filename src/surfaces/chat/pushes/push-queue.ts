/**
 * Push messages for unread messages. They are due two seconds after the first unread message, and
 * at most every thirty seconds for a group. A member who reads, is connected, muted the
 * conversation or left the tenant gets none. A push contains no text, because a text that is
 * deleted later could not be recalled.
 */
import { Type, type Static } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { again, done, dueQueue, type DueQueue } from '../../../kernel/work/due-queue.ts'
import type { Deps } from '../deps.ts'
import type { Key } from '../schemas.ts'

export const push_queue = 'chat.pushes'
const portion = 100

const Push = Type.Object({
  tenant_id: Type.String(),
  conversation_id: Type.String(),
  up_to_sequence: Type.Integer(),
  pushed_sequence: Type.Integer(),
  grouped: Type.Boolean(),
})
const Unseen = Type.Object({ user_id: Type.String() })
const Later = Type.Object({ more: Type.Boolean(), grouped: Type.Boolean() })

export function pushQueue(deps: Pick<Deps, 'kernel' | 'messages' | 'people' | 'live'>): DueQueue {
  const { settings } = deps.kernel
  return dueQueue({
    name: push_queue,
    table: 'chat.pushes',
    key: ['tenant_id', 'conversation_id'],
    row: Push,
    load: sql`t.up_to_sequence, t.pushed_sequence, exists (
      select from chat.conversations c
      where c.tenant_id = t.tenant_id and c.id = t.conversation_id and c.type = 'group') as grouped`,
    batch: 50,
    concurrency: 4,
    lease_seconds: 60,
    retry: [5, 30, 120, 600],
    run: async (row, signal) => {
      await pushUnseen(deps, row, signal)
      return done()
    },
    finish: async (tx, { tenant_id, conversation_id, up_to_sequence }) => {
      const { more, grouped } = await tx.one(
        Later,
        sql`
          update chat.pushes p
          set pushed_sequence = ${up_to_sequence}, pushed_at = kernel.now()
          from chat.conversations c
          where p.tenant_id = ${tenant_id} and p.conversation_id = ${conversation_id}
            and c.tenant_id = p.tenant_id and c.id = p.conversation_id
          returning p.up_to_sequence > ${up_to_sequence} as more, c.type = 'group' as grouped`,
      )
      if (!more) return done()
      const delay_seconds = settings['chat.push_delay_ms'] / 1000
      return again(grouped ? settings['chat.push_group_seconds'] : delay_seconds)
    },
  })
}

type Due = Static<typeof Push>

async function pushUnseen(
  deps: Pick<Deps, 'kernel' | 'messages' | 'people' | 'live'>,
  { tenant_id, conversation_id, up_to_sequence, pushed_sequence, grouped }: Due,
  signal: AbortSignal,
): Promise<void> {
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
            and m.sequence > greatest(b.last_read_sequence, b.joined_sequence,
              ${pushed_sequence}::bigint)
            and m.sequence <= ${up_to_sequence} and m.sender_id <> b.user_id
            and m.deleted_at is null)
      order by b.user_id`,
  )
  const online = deps.live.online(tenant_id)
  const offline = unseen.map(one => one.user_id).filter(id => !online.has(id))
  for (let at = 0; at < offline.length; at += portion) {
    signal.throwIfAborted()
    const some = offline.slice(at, at + portion)
    await db.tx(async tx => {
      const members = await deps.people.membersOf(tx, tenant_id, some)
      for (const user_id of some.filter(id => members.has(id))) {
        await deps.messages.notify(
          tx,
          noticeOf(deps, { tenant_id, id: conversation_id, grouped }, user_id, up_to_sequence),
        )
      }
    })
  }
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
