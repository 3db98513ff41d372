/**
 * Routes of the page of an order, for the holder of its signed link. A GET changes nothing, because
 * scanners of mails follow links. After an error the page is shown again with it.
 */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  type Db,
  Id,
  inspect,
  isId,
  Problem,
  reply,
  routesOf,
  type RequestFacts,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import { findOrder, lockOrder } from '../orders/order-row.ts'
import { showOrder } from '../orders/order-view.ts'
import { requestReturn, returnWindow } from '../returns/request-return.ts'
import { RequestReturn } from '../returns/schemas.ts'
import type { Key } from '../schemas.ts'
import { countMail, isCode } from './codes.ts'
import { eraseOrder } from './erase-orders.ts'
import { orderPage, page_headers, private_headers, type Shown } from './order-page.ts'
import { PageQuery, requireLink, type PageParams } from './page-link.ts'
import { languageOf, type Words } from './words.ts'

const path = '/orders/{order_id}'
const absent = 'order_not_found'
const Html = Type.String()

const shared = {
  permission: 'public',
  takes: 'signed_url',
  added: true,
  absent,
  params: { order_id: Id },
  produces: ['text/html'],
  query: PageQuery,
  // Programs for mails add parameters of their own.
  foreign_query: true,
  transaction: 'own',
  fails: ['signed_url_invalid', 'signed_url_expired', 'shop_closed'],
} as const

const form = {
  ...shared,
  hidden: true,
  // A request for a return has an id of its own; the others may be repeated.
  idempotency: 'ignored',
  consumes: 'raw',
  body_limit_bytes: 32 * 1024,
  replies: { 200: Html, 303: null, 403: Html, 409: Html, 422: Html, 429: Html },
} as const

type Visit = PageParams & { readonly db: Db; readonly request: RequestFacts }
type More = Pick<Shown, 'code' | 'notice'>

const { open, get, post } = routesOf<Deps>({ absent })

export const orderPageRoutes = open({
  getOrderPage: get(
    path,
    'Show the page of an order from its signed link',
    {
      ...shared,
      head: true,
      description:
        'The link stands in the mails of the order. The page shows lines, sums, parcels and returns, and asks for a return. Addresses are shown only with a code that is mailed to the address of the order.',
      reply: Html,
    },
    async (visit, deps) => {
      const key = await requireLink(visit.db, deps, visit)
      return reply(200, await render(visit, key, {}), page_headers)
    },
  ),

  returnFromOrderPage: post(
    `${path}/returns`,
    'Ask for a return on the page of an order',
    form,
    (visit, deps) =>
      answer(deps, visit, async key => {
        const { request, given } = returnOf(readForm(deps, visit), key)
        await visit.db.tx(async tx => {
          const order = await lockOrder(tx, key)
          if (!order) throw problem(absent)
          const { tenant_id, buyer_id } = order
          const known = await findByKey(tx, 'returns', { tenant_id, id: buyer_id }, request)
          if (!known) await requestReturn(tx, { tenant_id, buyer_id, key: request, given })
        })
        return 'again'
      }),
  ),

  mailOrderCode: post(
    `${path}/codes`,
    'Mail a code for the page of an order',
    form,
    (visit, deps) =>
      answer(deps, visit, async key => {
        const order = await showOrder(visit.db, key)
        if (order.buyer_erased) return 'again'
        await countMail(deps, key)
        await visit.db.tx(tx =>
          deps.messages.notifyAll(tx, [
            {
              tenant_id: key.tenant_id,
              key: `order_code:${visit.request.id}`,
              mail: { kind: 'order_mail', id: key.id },
              category: 'order.updates',
              template: 'commerce.order_code',
              priority: 'critical',
              data: { code: true },
            },
          ]),
        )
        return words => ({ notice: words.code_sent })
      }),
  ),

  showOrderAddress: post(
    `${path}/address`,
    'Show the addresses of an order with a mailed code',
    form,
    (visit, deps) =>
      answer(deps, visit, async key => {
        const code = await requireCode(deps, visit, key)
        return () => ({ code })
      }),
  ),

  eraseOrderFromPage: post(
    `${path}/erasure`,
    'Erase the personal data of an order with a mailed code',
    form,
    (visit, deps) =>
      answer(deps, visit, async key => {
        await requireCode(deps, visit, key)
        await visit.db.tx(tx => eraseOrder(tx, deps, key))
        return words => ({ notice: words.erased })
      }),
  ),
})

/** `again` shows the page of the link again, so that reloading it sends nothing. */
async function answer(
  deps: Deps,
  visit: Visit,
  act: (key: Key) => Promise<'again' | ((words: Words) => More)>,
) {
  const key = await requireLink(visit.db, deps, visit)
  try {
    const done = await act(key)
    if (done !== 'again') {
      return reply(200, await render(visit, key, { more: done }), page_headers)
    }
    return reply(303, null, { ...private_headers, location: pathOf(visit, '') })
  } catch (error) {
    if (!(error instanceof Problem) || !Object.hasOwn(form.replies, error.status)) throw error
    // Every status of an error is one of the declared replies.
    const html = await render(visit, key, { fault: error.code })
    return reply(error.status as 409, html, page_headers)
  }
}

type Said = { readonly more?: (words: Words) => More; readonly fault?: string }

async function render(visit: Visit, key: Key, { more, fault }: Said): Promise<string> {
  const { db, request } = visit
  const row = await findOrder(db, key)
  if (!row) throw problem(absent)
  const [order, { shipped, in_time }] = await Promise.all([
    showOrder(db, key),
    returnWindow(db, row),
  ])
  const { language, words } = languageOf(order.locale, request.headers['accept-language'])
  return orderPage({
    order,
    language,
    words,
    pathOf: name => pathOf(visit, `/${name}`),
    returnable: shipped && in_time,
    fault: fault === undefined ? undefined : (words.faults[fault] ?? words.faults['other']),
    ...more?.(words),
  })
}

function pathOf({ params, query }: Visit, rest: string): string {
  const { exp = '', kid = '', sig = '', shop = '' } = query
  return `/orders/${params.order_id}${rest}?${new URLSearchParams({ exp, kid, sig, shop })}`
}

type Form = Readonly<Record<string, string>>

function readForm({ payments }: Deps, { request }: Visit): Form {
  const fields = Object.fromEntries(new URLSearchParams(request.raw.toString('utf8')))
  inspect(fields, 'body')
  payments.refuseCardData(fields)
  return fields
}

async function requireCode(deps: Deps, visit: Visit, key: Key): Promise<string> {
  const { code = '' } = readForm(deps, visit)
  if (await isCode(deps, key, code)) return code
  throw problem('order_code_wrong')
}

/** The id of the form makes sending it twice one request. */
function returnOf(fields: Form, { id: order_id }: Key) {
  const { request = '', reason = 'other', note = '' } = fields
  const lines = Object.entries(fields).flatMap(([name, value]) => {
    const quantity = Number(value)
    if (!name.startsWith('line.') || quantity === 0) return []
    return [{ order_line_id: name.slice('line.'.length), quantity, reason_code: reason }]
  })
  const given = { order_id, lines, ...(note.trim() === '' ? {} : { note: note.trim() }) }
  if (!isId(request) || !Value.Check(RequestReturn, given)) throw problem('validation_failed')
  const fingerprint = hash('sha256', JSON.stringify(given), 'buffer')
  return { given, request: { value: `page:${request}`, fingerprint } }
}
