/**
 * The address and the words of mails about orders, read when they are sent. So a corrected address
 * counts, an erased one gets nothing, and the links and codes are stored nowhere.
 */
import { type Static, Type } from 'typebox'
import { Amount, Id, nullable, sql } from '#dodeca/kernel'
import type { MailSource } from '../../notifications/face.ts'
import type { Deps } from '../deps.ts'
import { codeNow } from '../order-pages/codes.ts'
import { pageUrl } from '../order-pages/page-link.ts'

const Line = Type.Object({
  sku: Type.String(),
  description: Type.String(),
  quantity: Type.Integer(),
  unit_price_minor: Amount,
  subtotal_minor: Amount,
})
const Sent = Type.Object({ carrier: Type.String(), tracking_number: Type.String() })

const Mailed = Type.Object({
  tenant_id: Id,
  buyer_id: Id,
  email: nullable(Type.String()),
  locale: nullable(Type.String()),
  id: Id,
  number: nullable(Type.Integer()),
  currency: Type.String(),
  subtotal_minor: Amount,
  discount_minor: Amount,
  shipping_minor: Amount,
  tax_minor: Amount,
  total_minor: Amount,
  prices_include_tax: Type.Boolean(),
  created_at: Type.String(),
  lines: Type.Array(Line),
  shipments: Type.Array(Sent),
})
type Mailed = Static<typeof Mailed>

const masked_page = 'https://order.invalid/'
const masked_code = '********'

export function plugOrderMails(deps: Deps): void {
  deps.messages.plugMails('order_mail', orderMails(deps))
}

function orderMails({ kernel, people }: Deps): MailSource {
  return async (reader, wanted) => {
    const keys = wanted.map(({ tenant_id, id }) => ({ tenant_id, id }))
    const orders = await reader.many(Mailed, mailedOrders(keys))
    const accounts = await people.recipients(
      reader,
      orders.map(({ tenant_id, buyer_id: principal_id }) => ({ tenant_id, principal_id })),
    )
    return wanted.map(({ tenant_id, id, data }) => {
      const found = orders.find(one => one.tenant_id === tenant_id && one.id === id)
      if (!found) return undefined
      const account = accounts.find(
        one => one.tenant_id === tenant_id && one.principal_id === found.buyer_id,
      )
      const address = found.email ?? account?.address
      if (address === undefined || address === null) return undefined
      const shown = { ...data, order: orderOf(found) }
      const code = data['code'] === true ? codeNow(kernel, found) : null
      return {
        address,
        locale: found.locale ?? account?.locale ?? null,
        data: { ...shown, page_url: pageUrl(kernel, found), code },
        masked: { ...shown, page_url: masked_page, code: code && masked_code },
      }
    })
  }
}

/** What templates may use. */
function orderOf({ tenant_id: _tenant, buyer_id: _buyer, email: _email, ...order }: Mailed) {
  return order
}

function mailedOrders(keys: readonly { readonly tenant_id: string; readonly id: string }[]) {
  return sql`
    select o.tenant_id, o.buyer_id, o.email, o.locale, o.id, o.number, o.currency,
      o.subtotal_minor, o.discount_minor, o.shipping_minor - o.shipping_discount_minor
        as shipping_minor, o.tax_minor, o.total_minor, o.prices_include_tax,
      commerce.moment(o.created_at) as created_at,
      (select json_agg(json_build_object('sku', l.sku, 'description', l.product_description,
        'quantity', l.quantity, 'unit_price_minor', l.accepted_unit_price_minor,
        'subtotal_minor', l.subtotal_minor) order by l.line_no)
      from commerce.order_lines l
      where l.tenant_id = o.tenant_id and l.order_id = o.id) as lines,
      coalesce((select json_agg(json_build_object('carrier', coalesce(s.carrier, ''),
        'tracking_number', s.tracking_number) order by s.id)
      from commerce.shipments s
      where s.tenant_id = o.tenant_id and s.order_id = o.id
        and s.tracking_number is not null and s.shipped_at is not null), '[]') as shipments
    from (select distinct * from ${sql.table(keys, { tenant_id: 'uuid', id: 'uuid' })} w) w
    join commerce.orders o on o.tenant_id = w.tenant_id and o.id = w.id
    where not o.buyer_erased`
}
