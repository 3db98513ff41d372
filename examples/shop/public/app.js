/** The storefront: a list with filters, a product, a cart, two ways to pay as a guest, and thanks. */
// oxlint-disable-next-line import/no-absolute-path -- an address of the platform that serves this page
import { createClient, Problem, resumePage } from '/client/v1/client.js'
// oxlint-disable-next-line import/no-absolute-path -- the same
import { openCard } from '/pay.js'

const base_url = location.origin
const visitor = createClient({ base_url })
const at = id => document.getElementById(id)
const main = document.querySelector('main')
const say = text => (at('state').textContent = text)

/** Values are text, unless they are pieces of a page themselves. */
const escaped = text => String(text).replaceAll(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)
function shown(one) {
  if (Array.isArray(one)) return one.map(shown).join('')
  return one?.html === undefined ? escaped(one ?? '') : one.html
}
const piece = (parts, ...values) => ({ html: String.raw({ raw: parts }, ...values.map(shown)) })

/** Amounts are whole minor units. */
function money(amount_minor, currency) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(amount_minor / 10 ** format.resolvedOptions().maximumFractionDigits)
}

/** Each page says what its forms and buttons do, by their ids. */
let acts = {}
function draw(page, then = {}) {
  main.innerHTML = page.html
  acts = then
  for (const one of main.querySelectorAll('[data-hue]'))
    one.style.setProperty('--hue', one.dataset.hue)
}
function act(event, id, fields, button) {
  if (!acts[id]) return
  event.preventDefault()
  void attempt(() => acts[id](fields), button)
}
main.addEventListener('submit', event =>
  act(event, event.target.id, new FormData(event.target), event.submitter),
)
main.addEventListener('click', event => act(event, event.target.id, null, event.target))
main.addEventListener('change', event => {
  if (event.target.form?.id === 'filters') event.target.form.requestSubmit()
  if (event.target.dataset.sku) act(event, 'quantity', event.target, null)
})

/** Errors are decided by their code. */
async function attempt(run, button) {
  if (button) button.disabled = true
  say('')
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.status === 401) {
      localStorage.clear()
      session = undefined
    }
    if (['insufficient_inventory', 'pricing_changed'].includes(error.code)) await show()
    say(
      error.code === 'payment_declined'
        ? 'The card was declined. Nothing was ordered.'
        : error.message,
    )
  } finally {
    if (button) button.disabled = false
  }
}

// A visitor becomes a guest with the first thing in the cart. Only the browser has the cookies.
let session
async function beGuest() {
  if (!localStorage.getItem('guest')) {
    await visitor.POST('/v1/sessions', { body: { anonymous: true, delivery: 'cookie' } })
    localStorage.setItem('guest', 'yes')
  }
  return await resumePage({ base_url })
}
const me = () => (session ??= beGuest())
const reader = () => (localStorage.getItem('guest') ? me() : visitor)

const cartId = () => localStorage.getItem('cart')
const ofCart = (more = {}) => ({ params: { path: { cart_id: cartId(), ...more } } })

async function put(sku, quantity) {
  if (!cartId()) localStorage.setItem('cart', crypto.randomUUID())
  const given = { ...ofCart({ sku }), body: { quantity } }
  return count((await (await me()).PUT('/v1/carts/{cart_id}/items/{sku}', given)).data)
}

async function change(body) {
  return count((await (await me()).PUT('/v1/carts/{cart_id}', { ...ofCart(), body })).data)
}

function count(cart) {
  const units = cart.state === 'open' ? cart.items.reduce((sum, one) => sum + one.quantity, 0) : 0
  at('count').textContent = units > 0 ? `(${units})` : ''
  return cart
}

async function readCart() {
  if (!cartId()) return null
  return count((await (await me()).GET('/v1/carts/{cart_id}', ofCart())).data)
}

function picture({ title, handle, image }) {
  if (image) return piece`<img class="picture" src="${image.url}" alt="">`
  const hue = [...handle].reduce((sum, one) => sum + one.charCodeAt(0) * 47, 0) % 360
  const letter = title.replace(/^An? /, '')[0].toUpperCase()
  return piece`<div class="picture" data-hue="${hue}" aria-hidden="true">${letter}</div>`
}

async function showList(asked) {
  const query = { ...Object.fromEntries(asked), include: 'facets', limit: 50 }
  const { data } = await (await reader()).GET('/v1/products', { params: { query } })
  const chosen = [asked.get('attribute'), asked.get('option')].join(',').split(',')
  const found = data.facets.values.filter(one => one.name !== null)
  const texts = new Map(found.map(one => [`${one.name}:${one.value}`, one.count]))
  // What was chosen stays, although nothing fits it any more.
  for (const one of chosen) if (one && !texts.has(one)) texts.set(one, 0)
  const boxes = (by, name) =>
    piece`<fieldset><legend>${name}</legend>${[...texts]
      .filter(([text]) => text.startsWith(`${name}:`))
      .map(
        ([text, many]) => piece`<label class="check"><input type="checkbox" name="${by}"
      value="${text}" ${chosen.includes(text) ? 'checked' : ''}>${text.split(':')[1]} (${many})</label>`,
      )}</fieldset>`
  const sorts = { newest: 'Newest', price: 'Cheapest first', '-price': 'Dearest first' }
  draw(
    piece`<h1>${asked.has('collection') ? 'A collection' : 'All things'}</h1><div class="columns">
    <form id="filters" class="panel" aria-label="Filters">
      <label>Sort<select name="sort">${Object.entries(sorts).map(
        ([value, label]) =>
          piece`<option value="${value}" ${asked.get('sort') === value ? 'selected' : ''}>${label}</option>`,
      )}</select></label>
      <label>At most, in €<input name="price_to" type="number" min="1"
        value="${asked.has('price_to') ? asked.get('price_to') / 100 : ''}"></label>
      ${boxes('attribute', 'material')}${boxes('option', 'colour')}<button>Show</button>
    </form>
    <ul class="cards" aria-label="Products">${data.data.map(
      one => piece`<li class="card">${picture(one)}
      <a href="#/product/${one.id}">${one.title}</a><br>${money(one.price_from.amount_minor, one.price_from.currency)}
      ${one.in_stock ? '' : 'sold out'}</li>`,
    )}${data.data.length === 0 ? piece`<li>Nothing fits.</li>` : ''}</ul></div>`,
    {
      filters: fields => {
        const next = new URLSearchParams({ sort: fields.get('sort') })
        if (fields.get('price_to')) next.set('price_to', Math.round(fields.get('price_to') * 100))
        for (const by of ['attribute', 'option']) {
          if (fields.has(by)) next.set(by, fields.getAll(by).join(','))
        }
        if (asked.has('collection')) next.set('collection', asked.get('collection'))
        location.hash = `#/?${next}`
      },
    },
  )
}

async function showProduct(product_id) {
  const params = { path: { product_id } }
  const { data } = await (await reader()).GET('/v1/products/{product_id}', { params })
  draw(
    piece`<div class="columns even">${picture({ ...data, image: data.images[0] })}<div>
    <h1>${data.title}</h1><p>${data.description}</p><form id="add"><fieldset><legend>Colour</legend>
    ${data.variants.map(
      (one, place) => piece`<label class="check"><input type="radio" name="sku"
      value="${one.sku}" ${place === 0 ? 'checked' : ''} ${one.in_stock ? '' : 'disabled'}>
      ${one.title}, ${money(one.price.amount_minor, one.price.currency)}</label>`,
    )}
    </fieldset><button>Add to cart</button></form></div></div>`,
    {
      add: async fields => {
        await put(fields.get('sku'), 1)
        say(`${data.title} is in your cart.`)
      },
    },
  )
}

function totalsOf({ totals, currency }) {
  const rows = {
    Goods: totals.subtotal_minor,
    Discount: -totals.discount_minor,
    Shipping: totals.shipping_minor - totals.shipping_discount_minor,
    Tax: totals.prices_include_tax ? 0 : totals.tax_minor,
    Total: totals.total_minor,
  }
  return piece`<table>${Object.entries(rows).map(([label, minor]) =>
    minor === 0
      ? ''
      : piece`<tr><th scope="row">${label}</th><td>${money(minor, currency)}</td></tr>`,
  )}</table>`
}

const fields = [
  ['email', 'Mail address', 'email'],
  ['name', 'Name', 'name'],
  ['line1', 'Street', 'address-line1'],
  ['postal_code', 'Postal code', 'postal-code'],
  ['city', 'City', 'address-level2'],
]

async function showCart() {
  const cart = await readCart()
  if (cart?.state !== 'open' || cart.items.length === 0) {
    return draw(piece`<h1>Cart</h1><p>Your cart is empty.</p>`)
  }
  draw(
    piece`<h1>Cart</h1><div class="columns even"><section class="panel">
    <ul>${cart.items.map(
      ({ sku, title, quantity, subtotal_minor }) => piece`<li class="item">
      <span>${title}<br><span class="soft">${money(subtotal_minor, cart.currency)}</span></span>
      <input type="number" min="0" max="20" value="${quantity}" data-sku="${sku}" aria-label="How many: ${title}"></li>`,
    )}</ul>
    <div id="totals">${totalsOf(cart)}</div>
    <form id="code" class="row"><label>Discount code<input name="code" required></label><button>Apply</button></form>
    </section><section id="payment" class="panel"><form id="address">${fields.map(
      ([name, label, fill]) =>
        piece`<label>${label}<input name="${name}" autocomplete="${fill}" required
        type="${name === 'email' ? name : 'text'}" value="${cart.shipping_address?.[name]}"></label>`,
    )}
    <p class="soft">We send to Germany.</p><button>Go on to the payment</button></form></section></div>`,
    {
      quantity: ({ dataset, value }) => put(dataset.sku, Number(value)).then(showCart),
      code: async given => {
        const { discounts } = await change({ discount_codes: [given.get('code').toUpperCase()] })
        await showCart()
        if (discounts.some(one => one.state !== 'applied')) say('This code does not apply.')
      },
      address: async given => {
        const { email, ...address } = Object.fromEntries(given)
        const to = await change({ shipping_address: { ...address, country: 'DE' } })
        await showPayment(await change({ shipping_method_id: to.shipping_methods[0].id }), email)
      },
    },
  )
}

/** The platform's page, or the form of the provider in this one. Both order what was shown here. */
async function showPayment(cart, email) {
  const { id: cart_id, pricing_fingerprint } = cart
  const api = await me()
  const card = await openCard(api, cart)
  at('totals').innerHTML = totalsOf(cart).html
  at('payment').innerHTML = piece`<h2 tabindex="-1">Payment</h2>
    <button id="redirect">Pay on the payment page</button><h2>Or pay here</h2>
    <form id="here" aria-label="Card"><div id="card"></div><button>Order and pay</button></form>`.html
  card.mount(at('card'))
  at('payment').querySelector('h2').focus()
  acts.redirect = async () => {
    const body = { email, pricing_fingerprint, return_url: `${base_url}/#/thanks` }
    const made = await api.POST('/v1/carts/{cart_id}/payment-request', { ...ofCart(), body })
    location.href = made.data.url
  }
  acts.here = async () => {
    const refused = await card.pay(payment => ({ cart_id, email, pricing_fingerprint, payment }))
    if (refused) say(refused)
    else location.hash = '#/thanks'
  }
}

async function showThanks() {
  const cart = await readCart()
  if (!cart?.order_id) return (location.hash = '#/cart')
  const params = { path: { order_id: cart.order_id } }
  const { data: order } = await (await me()).GET('/v1/orders/{order_id}', { params })
  const { data: link } = await (await me()).GET('/v1/orders/{order_id}/page-link', { params })
  draw(piece`<h1>Thank you</h1><p>Your order ${order.number} is ${order.state}. A mail to ${order.email}
    is on its way.</p><div class="panel">${totalsOf(order)}</div><p><a href="${link.url}">See the order</a></p>`)
}

async function show() {
  const [path, query = ''] = (location.hash || '#/').slice(1).split('?')
  const [, name, id] = path.split('/')
  if (name === 'product') await showProduct(id)
  else if (name === 'cart') await showCart()
  else if (name === 'thanks') await showThanks()
  else await showList(new URLSearchParams(query))
}

addEventListener('hashchange', event => {
  // The next thing goes into a new cart.
  if (event.oldURL.endsWith('#/thanks') && at('count').textContent === '')
    localStorage.removeItem('cart')
  void attempt(show).then(() => main.focus())
})
void attempt(async () => {
  for await (const { key, title } of (await reader()).all('/v1/product-collections')) {
    at('collections').innerHTML += piece`<a href="#/?collection=${key}">${title}</a>`.html
  }
  await readCart()
  await show()
})
