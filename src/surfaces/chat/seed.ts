/** Creates a few rooms for each demo tenant, with messages that colleagues might write. */
import { Type } from 'typebox'
import { sql, type DemoTenant } from '#dodeca/kernel'
import { createConversation } from './conversations/create-conversation.ts'
import type { Deps } from './deps.ts'
import type { Sender } from './messages/send-message.ts'

const Held = Type.Object({ conversations: Type.Integer() })

/** The author: 0 is the demo member that logs in, the others follow. */
const rooms: readonly {
  readonly title: string | null
  readonly lines: readonly (readonly [who: number, text: string])[]
}[] = [
  {
    title: 'Release on Thursday',
    lines: [
      [0, 'The release branch is cut. Two tickets are still open.'],
      [1, 'I take the one with the invoices.'],
      [2, 'Then I look at the other one after lunch.'],
      [0, 'Good. Please write here when they are merged.'],
      [1, 'Invoices are merged.'],
    ],
  },
  {
    title: 'Office',
    lines: [
      [2, 'The coffee machine works again.'],
      [1, 'Thank you!'],
      [0, 'The parcel for the third floor is at the reception.'],
    ],
  },
  {
    title: null,
    lines: [
      [1, 'Do you have ten minutes before the call?'],
      [0, 'Yes, at half past.'],
      [1, 'I send you the numbers now.'],
    ],
  },
]

export async function seed(
  deps: Deps,
  send: Sender,
  tenants: readonly DemoTenant[],
): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, member, accounts } of tenants) {
    const { conversations } = await deps.kernel.db.one(
      Held,
      sql`
        select count(*)::int as conversations from chat.conversations
        where tenant_id = ${tenant_id}`,
    )
    const others = accounts.map(one => one.id).filter(id => id !== member)
    if (conversations > 0 || others.length === 0) continue
    const people = [member, ...others.slice(0, 2)]
    for (const room of rooms) await fill(deps, send, tenant_id, people, room)
    made.push(`${rooms.length} conversations of ${slug}`)
  }
  return made
}

async function fill(
  deps: Deps,
  send: Sender,
  tenant_id: string,
  people: readonly string[],
  { title, lines }: (typeof rooms)[number],
): Promise<void> {
  const [first = '', ...others] = title === null ? people.slice(0, 2) : people
  const { seat } = await deps.kernel.db.tx(tx =>
    createConversation(
      tx,
      deps,
      { id: first, tenant_id },
      {
        type: title === null ? 'direct' : 'group',
        member_ids: others,
        ...(title ? { title } : {}),
      },
    ),
  )
  const all = [first, ...others]
  for (const [at, [who, body]] of lines.entries()) {
    await send({
      tenant_id,
      conversation_id: seat.id,
      sender_id: all[who % all.length] ?? first,
      client_request_id: `seed-${seat.id}-${at}`,
      body,
    })
  }
}
