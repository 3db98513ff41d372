/**
 * The texts of messages about orders. A tenant's own template of the same name replaces one. Mails get
 * the whole order (`order-mails.ts`), the inbox only the amounts of the event.
 */
import type { MessageTemplate } from '#dodeca/kernel'

type Said = { readonly subject: string; readonly says: string; readonly code?: true }
type Words = {
  readonly quantity: string
  readonly discount: string
  readonly shipping: string
  readonly tax: string
  readonly total: string
  readonly tracking: string
  readonly page: string
  readonly page_says: string
  readonly order_confirmed: Said
  readonly order_shipped: Said
  readonly order_cancelled: Said
  readonly order_refunded: Said
  readonly order_code: Said
}

const number = '{% if order.number %} {{ order.number }}{% endif %}'
const amount = (minor: string) => `{{ ${minor} | money_l: order.currency }}`
const total = amount('order.total_minor')
const refund = amount('refund_minor')

const en: Words = {
  quantity: '{{ line.quantity }} ×',
  discount: 'Discount',
  shipping: 'Shipping',
  tax: 'Tax',
  total: 'Total',
  tracking: 'Parcel',
  page: 'See the order',
  page_says: 'On this page you see where it is, and ask for a return:',
  order_confirmed: {
    subject: `Your order${number} is confirmed`,
    says: `We have your order${number} over ${total}, and prepare it now.`,
  },
  order_shipped: {
    subject: `Your order${number} is on its way`,
    says: `We have shipped your order${number}, or a part of it.`,
  },
  order_cancelled: {
    subject: 'Your order is cancelled',
    says: `Your order${number} is cancelled. What we held or took of your money goes back to you.`,
  },
  order_refunded: {
    subject: `Your return of order${number} is refunded`,
    says: `We have your return, and pay back ${refund}.`,
  },
  order_code: {
    subject: `A code for your order${number}`,
    says: 'With this code the page of your order shows the address. It is valid for ten minutes. If you did not ask for it, ignore this mail.',
    code: true,
  },
}

const de: Words = {
  quantity: '{{ line.quantity }} ×',
  discount: 'Rabatt',
  shipping: 'Versand',
  tax: 'Steuer',
  total: 'Summe',
  tracking: 'Paket',
  page: 'Bestellung ansehen',
  page_says: 'Auf dieser Seite sehen Sie den Stand und melden eine Rückgabe an:',
  order_confirmed: {
    subject: `Ihre Bestellung${number} ist bestätigt`,
    says: `Wir haben Ihre Bestellung${number} über ${total} erhalten und bereiten sie vor.`,
  },
  order_shipped: {
    subject: `Ihre Bestellung${number} ist unterwegs`,
    says: `Wir haben Ihre Bestellung${number} oder einen Teil davon versandt.`,
  },
  order_cancelled: {
    subject: 'Ihre Bestellung ist storniert',
    says: `Ihre Bestellung${number} ist storniert. Was wir von Ihrem Geld reserviert oder eingezogen haben, erhalten Sie zurück.`,
  },
  order_refunded: {
    subject: `Ihre Rückgabe zu Bestellung${number} ist erstattet`,
    says: `Ihre Rückgabe ist da. Wir erstatten ${refund}.`,
  },
  order_code: {
    subject: `Ein Code für Ihre Bestellung${number}`,
    says: 'Mit diesem Code zeigt die Seite Ihrer Bestellung die Adresse. Er gilt zehn Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht.',
    code: true,
  },
}

/** A sum is shown if there is something of it; prices with tax contain it already. */
const sums = (words: Words, line: (label: string, minor: string, sign?: string) => string) =>
  `{% if order.discount_minor > 0 %}${line(words.discount, 'order.discount_minor', '−')}{% endif %}
{%- if order.shipping_minor > 0 %}${line(words.shipping, 'order.shipping_minor')}{% endif %}
{%- unless order.prices_include_tax %}{% if order.tax_minor > 0 %}${line(words.tax, 'order.tax_minor')}{% endif %}{% endunless %}
${line(words.total, 'order.total_minor')}`

const row = (label: string, minor: string, sign = '') =>
  `<tr><th scope="row">${label}</th><td>${sign}${amount(minor)}</td></tr>`
const textRow = (label: string, minor: string, sign = '') => `${label}: ${sign}${amount(minor)}\n`

function htmlOf(words: Words, { subject, says, code }: Said): string {
  const body = code
    ? '<p><strong>{{ code }}</strong></p>'
    : `<table cellpadding="4">
{% for line in order.lines %}<tr><th scope="row">${words.quantity} {{ line.description }}</th><td>${amount('line.subtotal_minor')}</td></tr>
{% endfor %}${sums(words, row)}
</table>
{% for shipment in order.shipments %}<p>${words.tracking}: {{ shipment.carrier }} {{ shipment.tracking_number }}</p>
{% endfor %}<p>${words.page_says}<br><a href="{{ page_url | safe_url }}">${words.page}</a></p>`
  return `<!doctype html>
<html lang="{{ locale }}">
<body>
<h1>${subject}</h1>
<p>${says}</p>
${body}
</body>
</html>`
}

function textOf(words: Words, { says, code }: Said): string {
  if (code) return `${says}\n\n{{ code }}\n`
  return `${says}

{% for line in order.lines %}${words.quantity} {{ line.description }}: ${amount('line.subtotal_minor')}
{% endfor %}${sums(words, textRow)}
{% for shipment in order.shipments %}${words.tracking}: {{ shipment.carrier }} {{ shipment.tracking_number }}
{% endfor %}
${words.page_says}
{{ page_url }}
`
}

function textsOf(words: Words, said: Said) {
  const { subject, says, code } = said
  const email = { subject, body: htmlOf(words, said), text: textOf(words, said) }
  if (code) return { email }
  return { email, in_app: { title: subject, body: says, url: '/v1/orders/{{ order.id }}' } }
}

const names = [
  'order_confirmed',
  'order_shipped',
  'order_cancelled',
  'order_refunded',
  'order_code',
] as const
export type OrderTemplate = `commerce.${(typeof names)[number]}`

export const templates: Readonly<Record<string, MessageTemplate>> = Object.fromEntries(
  names.map(name => [
    `commerce.${name}` satisfies OrderTemplate,
    {
      default_locale: 'en',
      channels: textsOf(en, en[name]),
      locales: { de: textsOf(de, de[name]) },
    },
  ]),
)
