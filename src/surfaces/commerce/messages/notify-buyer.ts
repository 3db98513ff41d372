/**
 * Tells buyers about events of their orders, once for each event: by a mail to the address of the order,
 * or else of the account, and in the inbox of an account. An address that its buyer has not proven gets
 * a few mails an hour, because a guest may name the address of anyone.
 */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  Amount,
  Id,
  nullable,
  Problem,
  sql,
  type Consumer,
  type LoggedEvent,
  type Tx,
} from '#dodeca/kernel'
import type { MailNotice, Notice } from '../../notifications/face.ts'
import type { Deps } from '../deps.ts'
import type { OrderTemplate } from './templates.ts'

const Payload = Type.Object({
  order_id: Id,
  number: nullable(Type.Integer()),
  buyer_id: Id,
  total_minor: Amount,
  currency: Type.String(),
  refund_minor: Type.Optional(nullable(Amount)),
})

const template_of: Readonly<Record<string, OrderTemplate>> = {
  OrderConfirmed: 'commerce.order_confirmed',
  'order.shipped': 'commerce.order_shipped',
  'order.cancelled': 'commerce.order_cancelled',
  'return.refunded': 'commerce.order_refunded',
}

type Needs = Pick<Deps, 'kernel' | 'messages' | 'people'>

export function buyerMessages(deps: Needs): Consumer {
  return {
    name: 'commerce.buyer_messages',
    events: Object.keys(template_of),
    run: (tx, event) => tellBuyers(tx, deps, [event]),
    // In one portion, because lanes that lock inboxes of the same buyers twice could deadlock.
    runAll: (tx, events) => tellBuyers(tx, deps, events),
    portion: 50,
  }
}

const Buyer = Type.Object({
  tenant_id: Id,
  order_id: Id,
  buyer_id: Id,
  email: nullable(Type.String()),
  guest: Type.Boolean(),
})
type Buyer = Static<typeof Buyer> & { readonly account: string | null }

async function tellBuyers(tx: Tx, deps: Needs, events: readonly LoggedEvent[]): Promise<void> {
  const told = events.map(event => {
    const { id, type, tenant_id, payload } = event
    if (!Value.Check(Payload, payload)) throw new Error('not an event of an order')
    const { order_id, number, total_minor, currency, refund_minor = null } = payload
    const order = { id: order_id, number, total_minor, currency }
    const template = template_of[type] ?? 'commerce.order_confirmed'
    const key = `event:${id}`
    return { order_id, tenant_id, key, template, data: { order, refund_minor } }
  })
  const buyers = await readBuyers(tx, deps, told)
  const notices: (Notice | MailNotice)[] = []
  const mails: { readonly buyer: Buyer; readonly mail: MailNotice }[] = []
  for (const { order_id, ...said } of told) {
    const buyer = buyers.find(to => to.order_id === order_id && to.tenant_id === said.tenant_id)
    // The buyer was erased.
    if (!buyer) continue
    const { account, email, guest, buyer_id: user_id } = buyer
    const one = { ...said, category: 'order.updates' }
    // An anonymous account cannot read an inbox.
    if (!guest || account !== null) notices.push({ ...one, user_id, channels: ['in_app'] })
    if ((email ?? account) === null) continue
    const mail = { kind: 'order_mail', id: order_id } as const
    mails.push({ buyer, mail: { ...one, key: `${one.key}:mail`, mail } })
  }
  // In one order, so that two portions that take from the same buckets never deadlock.
  const addressOf = ({ buyer }: (typeof mails)[number]) => buyer.email ?? ''
  for (const one of mails.toSorted((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1))) {
    if (await mayMail(tx, deps, one.buyer)) notices.push(one.mail)
  }
  await deps.messages.notifyAll(tx, notices)
}

async function readBuyers(
  tx: Tx,
  { people }: Needs,
  of: readonly { readonly tenant_id: string; readonly order_id: string }[],
): Promise<Buyer[]> {
  const wanted = of.map(({ tenant_id, order_id }) => ({ tenant_id, order_id }))
  const found = await tx.many(
    Buyer,
    sql`
      select distinct o.tenant_id, o.id as order_id, o.buyer_id, o.email, o.guest
      from ${sql.table(wanted, { tenant_id: 'uuid', order_id: 'uuid' })} w
      join commerce.orders o on o.tenant_id = w.tenant_id and o.id = w.order_id
      where not o.buyer_erased`,
  )
  const accounts = await people.recipients(
    tx,
    found.map(({ tenant_id, buyer_id: principal_id }) => ({ tenant_id, principal_id })),
  )
  return found.map(one => ({
    ...one,
    account:
      accounts.find(to => to.tenant_id === one.tenant_id && to.principal_id === one.buyer_id)
        ?.address ?? null,
  }))
}

async function mayMail(
  tx: Tx,
  { kernel, messages }: Needs,
  { tenant_id, email, account }: Buyer,
): Promise<boolean> {
  if (email === null) return true
  const { normalized = email } = messages.readEmail(email) ?? {}
  if (account !== null && messages.readEmail(account)?.normalized === normalized) return true
  const name = 'commerce.unproven_mails'
  const many = kernel.settings['commerce.unproven_mails_per_hour']
  try {
    const of = `${tenant_id} ${normalized}`
    await kernel.take(tx, [{ name, of, many, per_seconds: 3600, exact: true }])
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') return false
    throw error
  }
}
