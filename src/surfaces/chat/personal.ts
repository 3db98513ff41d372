/**
 * The data that chat stores about a person. Erasing ends their memberships and deletes the texts of
 * their messages. The sequence numbers stay, so that other members keep the order of the
 * conversation.
 */
import { Type, type Static } from 'typebox'
import { nullable, personalRows, sql } from '#dodeca/kernel'
import type { Personal, PersonalAccount, Tx } from '#dodeca/kernel'
import { endChanges, lockConversation } from './conversations/change.ts'
import type { Deps } from './deps.ts'
import { announce } from './events.ts'
import { release } from './devices/devices.ts'
import { endMembership, findActive } from './members/remove-member.ts'
import { shredMessage } from './messages/delete-message.ts'
import { messageColumns, messageOf, MessageRow } from './messages/message-row.ts'
import { Bytes, type Key } from './schemas.ts'

const Seat = Type.Object({ tenant_id: Type.String(), id: Type.String(), user_id: Type.String() })
type Seat = Static<typeof Seat>
const Own = Type.Object({ ...MessageRow.properties, data_key: Bytes })
const Shreddable = Type.Object({
  id: Type.String(),
  sequence: Type.Integer(),
  sender_id: Type.String(),
  version: Type.Integer(),
})
const Place = Type.Object({ title: nullable(Type.String()), joined_at: Type.String() })
const portion = 200

export function personalChat(deps: Deps): Personal {
  const { db } = deps.kernel
  const rows = personalRows(db, [
    {
      kind: 'device',
      table: 'chat.devices',
      owner: 'user_id',
      view: ['id', 'platform', 'last_seen_at'],
      erase: (tx, account) => eraseDevices(tx, deps, account),
    },
    {
      // What was never sent. Uploads erases the files.
      table: 'chat.attachments',
      owner: ({ principal_ids }) =>
        sql`t.uploader_id = any(${principal_ids}::uuid[]) and t.message_id is null`,
      erase: 'delete',
    },
  ])
  return {
    export: async function* (account, signal) {
      for (const seat of await seatsOf(deps, account.principal_ids)) {
        const { title, joined_at } = await db.one(
          Place,
          sql`
            select c.title, b.joined_at from chat.conversation_members b
            join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
            where b.tenant_id = ${seat.tenant_id} and b.conversation_id = ${seat.id}
              and b.user_id = ${seat.user_id}`,
        )
        yield { kind: 'conversation', data: { id: seat.id, title, joined_at } }
        yield* ownMessages(deps, seat)
      }
      yield* rows.export(account, signal)
    },
    hide: (tx, { principal_ids }) => closeDirect(tx, deps, principal_ids),
    erase: async (account, signal) => {
      for (const seat of await seatsOf(deps, account.principal_ids)) {
        while ((await erasePortion(deps, seat)) === portion) signal.throwIfAborted()
      }
      await rows.erase(account, signal)
    },
  }
}

async function eraseDevices(
  tx: Tx,
  deps: Deps,
  { principal_ids }: PersonalAccount,
): Promise<number> {
  return await release(
    tx,
    deps,
    sql`
      -- any tenant: what one account owns
      delete from chat.devices where user_id = any(${principal_ids}::uuid[])
      returning tenant_id, push_token_ref`,
  )
}

const Closed = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  revision: Type.Integer(),
  latest_sequence: Type.Integer(),
})

/** A message to an erased person has no reader, so their direct conversations accept none. */
async function closeDirect(tx: Tx, { live }: Pick<Deps, 'live'>, ids: readonly string[]) {
  const closed = await tx.many(
    Closed,
    sql`
      -- any tenant: the conversations of one account
      update chat.conversations t set state = 'closed', revision = t.revision + 1
      where (t.tenant_id, t.id) in (
        select c.tenant_id, c.id from chat.conversation_members b
        join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
          and c.type = 'direct' and c.state = 'active'
        where b.user_id = any(${[...ids]}::uuid[]) and b.left_sequence is null
        order by c.id for no key update of c)
      returning t.tenant_id, t.id, t.revision, t.latest_sequence`,
  )
  for (const head of closed) announce(tx, 'conversation.closed', head, head.revision)
  tx.afterCommit(() => {
    for (const head of closed) live.changed(head)
  })
}

async function seatsOf({ kernel }: Pick<Deps, 'kernel'>, ids: readonly string[]): Promise<Seat[]> {
  return await kernel.db.many(
    Seat,
    sql`
      -- any tenant: the conversations of one account
      select tenant_id, conversation_id as id, user_id from chat.conversation_members
      where user_id = any(${[...ids]}::uuid[]) order by conversation_id, user_id`,
  )
}

async function* ownMessages({ kernel, cipher }: Deps, { tenant_id, id, user_id }: Seat) {
  for (let after = 0; ;) {
    const rows = await kernel.db.many(
      Own,
      sql`
        select ${messageColumns}, c.data_key from chat.messages m
        join chat.conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
        where m.tenant_id = ${tenant_id} and m.conversation_id = ${id}
          and m.sender_id = ${user_id} and m.sequence > ${after}
        order by m.sequence limit ${portion}`,
    )
    for (const row of rows) yield { kind: 'message', data: messageOf(cipher, row.data_key, row) }
    if (rows.length < portion) return
    after = rows.at(-1)?.sequence ?? 0
  }
}

/** Returns how many messages it erased. */
async function erasePortion(deps: Deps, { tenant_id, id, user_id }: Seat): Promise<number> {
  const key: Key = { tenant_id, id }
  return await deps.kernel.db.tx(async tx => {
    const conversation = await lockConversation(tx, key)
    const before = conversation.revision
    const member = await findActive(tx, key, user_id)
    if (member) await endMembership(tx, conversation, member, 'erased')
    const messages = await tx.many(
      Shreddable,
      sql`
        select id, sequence, sender_id, version from chat.messages
        where tenant_id = ${tenant_id} and conversation_id = ${id} and sender_id = ${user_id}
          and deleted_at is null
        order by sequence limit ${portion}`,
    )
    for (const message of messages) {
      await shredMessage(tx, deps, conversation, message, user_id)
    }
    // The person chose the keys. After the erasure the keys match nothing any more.
    await tx.run(sql`
      update chat.messages
      set request_fingerprint = null, client_request_id = 'erased ' || id
      where tenant_id = ${tenant_id} and conversation_id = ${id} and sender_id = ${user_id}
        and deleted_at is not null and request_fingerprint is not null`)
    if (conversation.revision > before) await endChanges(tx, deps, conversation)
    return messages.length
  })
}
