/** A shop: products, a cart whose totals the platform calculates, and one checkout. */
import { createClient, login, Problem } from '@dodeca/client'

const base_url = new URLSearchParams(location.search).get('api') ?? 'http://localhost:8080'
const at = id => document.getElementById(id)
const say = text => (at('state').textContent = text)

// Amounts are whole minor units of ISO 4217. `Intl` has other decimals for some currencies.
const decimals = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
}

function money(minor, currency) {
  const special = Object.keys(decimals).find(count => decimals[count].includes(currency))
  const digits = Number(special ?? 2)
  const shown = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, ...shown })
  return format.format(minor / 10 ** digits)
}

let api = createClient({ base_url })
const cart_id = crypto.randomUUID()
let cart = null
// One key for one intent: a second click, or a retry after a lost answer, cannot order twice.
let order_key = crypto.randomUUID()

function item(text, label, act) {
  const line = document.createElement('li')
  const button = document.createElement('button')
  button.textContent = label
  button.onclick = () => attempt(act)
  line.append(`${text} `, button)
  return line
}

async function attempt(act) {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    switch (error.code) {
      case 'authentication_required':
        return say('Log in first.')
      case 'insufficient_inventory':
        return say('Somebody else was faster. Change your cart.')
      case 'payment_declined':
        order_key = crypto.randomUUID()
        return say('The card was declined. Nothing was ordered.')
      case 'pricing_changed':
        await show()
        return say('A price has changed. Look at the totals and order again.')
      default:
        say(`${error.message} (${error.code})`)
    }
  }
}

async function put(sku, quantity) {
  const params = { path: { cart_id, sku } }
  cart = (await api.PUT('/v1/carts/{cart_id}/items/{sku}', { params, body: { quantity } })).data
  draw()
}

async function show() {
  cart = (await api.GET('/v1/carts/{cart_id}', { params: { path: { cart_id } } })).data
  draw()
}

function draw() {
  const { items, totals, currency } = cart
  at('cart').hidden = items.length === 0
  at('items').replaceChildren(
    ...items.map(({ sku, title, quantity, subtotal_minor }) =>
      item(`${quantity} × ${title || sku}: ${money(subtotal_minor, currency)}`, 'Remove', () =>
        put(sku, 0),
      ),
    ),
  )
  const { tax_minor, shipping_minor, total_minor } = totals
  at('totals').textContent =
    `Shipping ${money(shipping_minor, currency)}, tax ${money(tax_minor, currency)}, ` +
    `total ${money(total_minor, currency)}`
}

at('who').onsubmit = event => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(event.target))
  void attempt(async () => {
    // The answer is the same for a known address, so registering first is always right.
    await api.POST('/v1/accounts', { body: { email, password } })
    api = await login({ base_url, email, password })
    event.target.hidden = true
    say(`Welcome, ${email}.`)
  })
}

at('buy').onsubmit = event => {
  event.preventDefault()
  const address = { ...Object.fromEntries(new FormData(event.target)), country: 'DE' }
  void attempt(async () => {
    const params = { path: { cart_id } }
    const body = { shipping_method_id: 'parcel', shipping_address: address }
    cart = (await api.PUT('/v1/carts/{cart_id}', { params, body })).data
    draw()
    const { data: order } = await api.POST('/v1/checkouts', {
      headers: { 'idempotency-key': order_key },
      body: {
        cart_id,
        // The buyer pays what was shown, or gets `pricing_changed`.
        pricing_fingerprint: cart.pricing_fingerprint,
        // In a real shop the id that Stripe's form returns; this one is of the sandbox.
        payment: { payment_method: 'pm_card_visa' },
      },
    })
    at('cart').hidden = true
    const { total_minor } = order.totals
    say(
      `Order ${order.number} is ${order.state}: ${money(total_minor, order.currency)}. Thank you!`,
    )
  })
}

for await (const { title, price_from, id } of api.all('/v1/products')) {
  const { data } = await api.GET('/v1/products/{product_id}', {
    params: { path: { product_id: id } },
  })
  const [{ sku }] = data.variants
  const price = money(price_from.amount_minor, price_from.currency)
  at('products').append(item(`${title}, ${price}`, 'Add to cart', () => put(sku, 1)))
}
