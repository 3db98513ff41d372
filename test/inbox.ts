/**
 * What a person finds in their mailbox, as the sandbox's mail server received it; and the proof of an
 * address, which people who registered in a test have not given.
 */
import { Type } from 'typebox'
import type { Member, ProductWorld } from './product-world.ts'
import { eventually } from './world.ts'
import { sql } from '#dodeca/kernel'

export type Received = {
  readonly subject: string
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The same for each copy of one mail. */
  readonly ref: string
}

type World = Pick<ProductWorld, 'call' | 'platform'>

/** Newest first. */
export async function inbox(
  world: World,
  { email }: Pick<Member, 'email'>,
  category: string,
): Promise<Received[]> {
  const { body, status, text } = await world.call(
    'GET',
    `/dev/inbox/messages?to=${email}&limit=100`,
  )
  if (status !== 200) throw new Error(`no inbox: ${text}`)
  const all = body.data as Received[]
  return all.filter(one => one.headers['x-category'] === category)
}

/** The mails of a category, newest first, once so many are there. */
export function arrived(world: World, who: Pick<Member, 'email'>, category: string, many = 1) {
  return eventually(`${many} mails of ${category} arrive`, async () => {
    const found = await inbox(world, who, category)
    return found.length >= many && found
  })
}

const Asked = Type.Object({ mails: Type.Integer() })

/** How many mails surfaces have requested in a tenant, sent or about to be. */
export async function asked(
  { platform }: World,
  { tenant }: Pick<Member, 'tenant'>,
): Promise<number> {
  const { mails } = await platform.kernel.db.one(
    Asked,
    sql`
      select count(*)::int as mails from notifications.notification_intents i
      join notifications.delivery_attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id
      where i.tenant_id = ${tenant.id} and i.category <> 'identity.security'
        and a.channel = 'email' and a.attempt_no = 1 and a.state <> 'skipped'`,
  )
  return mails
}

/** Their address counts as proven. */
export async function prove({ platform }: World, { id }: Pick<Member, 'id'>): Promise<void> {
  await platform.kernel.db.run(sql`
    update identity.accounts set verified_at = kernel.now() where id = ${id}`)
}

const Trace = Type.Object({ name: Type.String() })

/** Where something is left of the buyer of an order and of its mails. */
export async function mailTraces(
  { platform }: World,
  email: string,
  order_id: string,
): Promise<string[]> {
  const { db } = platform.kernel
  const mark = `%${email}%`
  const found = await db.many(
    Trace,
    sql`
      -- any tenant: one order
      select 'orders' as name from commerce.orders o where o::text like ${mark}
      union all select 'carts' from commerce.carts c
      where c.order_id = ${order_id} and c.shipping_address is not null
      union all select 'destinations' from notifications.destinations d
      where d::text like ${mark}
      union all select 'keys' from notifications.data_keys k where k.owner_id = ${order_id}
      union all select 'attempts' from notifications.notification_intents i
      join notifications.delivery_attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id
      where i.recipient_ref = ${`order_mail:${order_id}`}
        and (a.masked is not null or a.destination_hash is not null)`,
  )
  return found.map(one => one.name)
}
