/**
 * The page of an order as HTML, without a script. The holder of the link sees the lines, the sums, the
 * parcels and the returns. Addresses are shown only with a code.
 */
import { formatMoney, htmlPage, markup, newId, pageHeaders, type Markup } from '#dodeca/kernel'
import type { Order } from '../orders/order-view.ts'
import type { Address } from '../schemas.ts'
import type { Words } from './words.ts'

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2026, #e6e9ee);
  --soft: light-dark(#4d5562, #a6afbc); --line: light-dark(#d5d9df, #363b43);
  --card: light-dark(#fff, #1b1e23); --back: light-dark(#f1f3f5, #121417);
  --accent: light-dark(#1a56b0, #8ab4ff); --on-accent: light-dark(#fff, #10131a);
  --bad: light-dark(#a31515, #ff9d94); --good: light-dark(#1b6e3c, #7fd6a0) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 40rem; padding: 1.5rem 1rem; background: var(--back);
  color: var(--ink); font: 1.05rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
main { padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem }
h1 { margin: 0 0 .6rem; font-size: 1.45rem; line-height: 1.25 }
h2 { margin: 2rem 0 .6rem; font-size: 1.15rem }
table { width: 100%; border-collapse: collapse }
th { text-align: left; font-weight: 400 }
td { text-align: right; white-space: nowrap }
th, td { padding: .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
tr.total > * { font-weight: 600 }
label { display: block; margin: .8rem 0 .2rem }
input, select, textarea { width: 100%; font: inherit; padding: .5rem .7rem; color: inherit;
  background: var(--back); border: 1px solid var(--soft); border-radius: .4rem }
button { margin-top: 1rem; font: inherit; font-weight: 600; padding: .6rem 1.2rem; cursor: pointer;
  border: 2px solid var(--accent); border-radius: .5rem; background: var(--accent);
  color: var(--on-accent) }
button.plain { background: transparent; color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
.soft { color: var(--soft) }
.notice { padding: .7rem 1rem; border-left: .3rem solid var(--good); background: var(--back) }
.alert { padding: .7rem 1rem; border-left: .3rem solid var(--bad); background: var(--back) }
@media (max-width: 30rem) { main { padding: 1.3rem } button { width: 100% } }
`

/** The address of the page is a right, so it is neither stored nor sent to other sites. */
export const private_headers = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
} as const

export const page_headers = {
  ...pageHeaders(style, "form-action 'self'; "),
  ...private_headers,
}

export type Shown = {
  readonly order: Order
  readonly language: string
  readonly words: Words
  /** The path of a form of the page, with the signature of the link. */
  readonly pathOf: (form: 'returns' | 'codes' | 'address' | 'erasure') => string
  readonly returnable: boolean
  /** A code that was right: the addresses are shown. */
  readonly code?: string | undefined
  readonly notice?: string | undefined
  readonly fault?: string | undefined
}

export function orderPage(shown: Shown): string {
  const { order, language, words, notice, fault } = shown
  const name = order.number === null ? words.title : `${words.title} ${order.number}`
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  const body = markup`<main>
<h1>${name}</h1>
${fault !== undefined && markup`<p class="alert" role="alert">${fault}</p>`}
${notice !== undefined && markup`<p class="notice" role="status">${notice}</p>`}
<p>${words.states[order.state]}. <span class="soft">${words.placed} ${date.format(new Date(order.created_at))}</span></p>
${linesOf(shown)}
${parcelsOf(shown)}
${returnsOf(shown)}
${shown.returnable && returnForm(shown)}
${addressOf(shown)}
</main>`
  const head = markup`<meta name="robots" content="noindex">`
  return htmlPage({ language, title: name, head, style, body })
}

function linesOf({ order, language, words }: Shown): Markup {
  const { totals, currency } = order
  const money = (minor: number) => formatMoney(minor, currency, language)
  const row = (label: string, minor: number) =>
    markup`<tr><th scope="row">${label}</th><td>${money(minor)}</td></tr>`
  const shipping = totals.shipping_minor - totals.shipping_discount_minor
  return markup`<table>
${order.lines.map(line => row(`${line.quantity} × ${line.product_description}`, line.subtotal_minor))}
${totals.discount_minor > 0 && row(words.sums.discount, -totals.discount_minor)}
${shipping > 0 && row(words.sums.shipping, shipping)}
${!totals.prices_include_tax && totals.tax_minor > 0 && row(words.sums.tax, totals.tax_minor)}
<tr class="total"><th scope="row">${words.sums.total}</th><td>${money(totals.total_minor)}</td></tr>
</table>`
}

function parcelsOf({ order, words }: Shown): Markup | false {
  const shipments = order.shipments.filter(one => one.state !== 'cancelled')
  if (shipments.length === 0) return false
  return markup`<h2>${words.parcels}</h2>
<ul>${shipments.map(
    one =>
      markup`<li>${words.shipment_states[one.state] ?? one.state}${
        one.tracking_number !== null && markup`: ${one.carrier} ${one.tracking_number}`
      }</li>`,
  )}</ul>`
}

function returnsOf({ order, words }: Shown): Markup | false {
  if (order.returns.length === 0) return false
  const nameOf = (id: string) => order.lines.find(one => one.id === id)?.product_description ?? ''
  return markup`<h2>${words.returns}</h2>
<ul>${order.returns.map(
    one =>
      markup`<li>${one.lines
        .map(line => `${line.quantity} × ${nameOf(line.order_line_id)}`)
        .join(', ')}: ${words.return_states[one.state] ?? one.state}</li>`,
  )}</ul>`
}

/** The request has an id, so that sending the form twice asks once. */
function returnForm({ order, words, pathOf }: Shown): Markup | false {
  const lines = order.lines
    .map(line => ({ ...line, left: line.shipped_quantity - line.returned_quantity }))
    .filter(line => line.left > 0)
  if (lines.length === 0) return false
  const field = (id: string, label: string, left: number) => markup`<label
for="${id}">${label} (0–${left})</label>
<input id="${id}" name="line.${id}" type="number" min="0" max="${left}" value="0">`
  const options = Object.entries(words.reasons).map(
    ([value, label]) => markup`<option value="${value}">${label}</option>`,
  )
  return markup`<h2>${words.ask_return}</h2>
<form method="post" action="${pathOf('returns')}">
<input type="hidden" name="request" value="${newId()}">
${lines.map(line => field(line.id, line.product_description, line.left))}
<label for="reason">${words.reason}</label>
<select id="reason" name="reason">${options}</select>
<label for="note">${words.note}</label>
<textarea id="note" name="note" maxlength="1000"></textarea>
<button>${words.send}</button>
</form>`
}

function addressOf(shown: Shown): Markup | false {
  const { order, words, pathOf, code } = shown
  if (order.buyer_erased) return false
  const heading = markup`<h2>${words.address}</h2>`
  if (code !== undefined)
    return markup`${heading}${detailsOf(order, words)}
<form method="post" action="${pathOf('erasure')}">
<input type="hidden" name="code" value="${code}">
<p class="soft">${words.erase_says}</p>
<button class="plain">${words.erase}</button>
</form>`
  return markup`${heading}
<p class="soft">${words.address_says}</p>
<form method="post" action="${pathOf('codes')}"><button class="plain">${words.ask_code}</button></form>
<form method="post" action="${pathOf('address')}">
<label for="code">${words.code}</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required>
<button>${words.show}</button>
</form>`
}

function detailsOf({ email, shipping_address, billing_address }: Order, words: Words): Markup {
  return markup`${email !== null && markup`<p>${words.mails_to} ${email}</p>`}
${shipping_address && markup`<p>${words.ships_to} ${textOf(shipping_address)}</p>`}
${billing_address && markup`<p>${words.bills_to} ${textOf(billing_address)}</p>`}`
}

function textOf({ name, line1, line2, postal_code, city, region, country }: Address): string {
  return [name, line1, line2, `${postal_code} ${city}`, region, country]
    .filter(part => part !== undefined && part !== '')
    .join(', ')
}
