/** The storefront: a list with filters, a product, a cart, two ways to pay as a guest, and thanks. */
// oxlint-disable-next-line import/no-absolute-path -- an address of the platform that serves this page
import { createClient, Problem, resumePage } from '/client.js'
// oxlint-disable-next-line import/no-absolute-path -- the same
import { openCard } from '/pay.js'

const base_url = location.origin
const visitor = createClient({ base_url })
const at = id => document.getElementById(id)
const main = document.querySelector('main')
const say = text => (at('state').textContent = text)
const fieldsOf = form => Object.fromEntries(new FormData(form))

/** Amounts are whole minor units. */
function money({ amount_minor, currency }) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(amount_minor / 10 ** format.resolvedOptions().maximumFractionDigits)
}

/** An element. Text is never HTML. */
function h(name, given = {}, ...inside) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (key in element && key !== 'list') element[key] = value
    else element.setAttribute(key, value)
  }
  element.append(...inside.flat().filter(one => one !== null && one !== false))
  return element
}

const field = (label, given) => h('label', {}, label, h('input', { required: true, ...given }))
const submits = run => event => {
  event.preventDefault()
  void attempt(() => run(event.target), event.submitter)
}

/** Errors are decided by their code. */
async function attempt(act, button) {
  if (button) button.disabled = true
  say('')
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.status === 401) {
      localStorage.clear()
      session = undefined
      say('Your session has ended. Fill a new cart.')
    } else if (error.code === 'payment_declined') {
      say('The card was declined. Nothing was ordered. Try another one.')
    } else if (error.code === 'insufficient_inventory' || error.code === 'pricing_changed') {
      await show()
      say(`${error.message} Look at your cart again.`)
    } else say(error.message)
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
const cartPath = (more = {}) => ({ params: { path: { cart_id: cartId(), ...more } } })

async function put(sku, quantity) {
  if (!cartId()) localStorage.setItem('cart', crypto.randomUUID())
  const api = await me()
  const { data } = await api.PUT('/v1/carts/{cart_id}/items/{sku}', {
    ...cartPath({ sku }),
    body: { quantity },
  })
  return count(data)
}

async function change(body) {
  return count((await (await me()).PUT('/v1/carts/{cart_id}', { ...cartPath(), body })).data)
}

function count(cart) {
  const units = cart.items.reduce((sum, one) => sum + one.quantity, 0)
  at('count').textContent = units > 0 ? `(${units})` : ''
  return cart
}

async function readCart() {
  if (!cartId()) return null
  try {
    return count((await (await me()).GET('/v1/carts/{cart_id}', cartPath())).data)
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

function picture({ title, handle, image }) {
  if (image) return h('img', { className: 'picture', src: image.url, alt: '' })
  const place = h('div', { className: 'picture' }, title.replace(/^An? /, '')[0].toUpperCase())
  place.setAttribute('aria-hidden', 'true')
  place.style.setProperty(
    '--hue',
    String([...handle].reduce((n, c) => n + c.charCodeAt(0) * 7, 0) % 360),
  )
  return place
}

async function showList(asked) {
  const query = Object.fromEntries([...asked].filter(([, value]) => value !== ''))
  const api = await reader()
  const { data } = await api.GET('/v1/products', {
    params: { query: { ...query, include: 'facets', limit: 50 } },
  })
  const filter = submits(form => {
    const { sort, price_to, ...more } = fieldsOf(form)
    const next = new URLSearchParams({ sort })
    if (price_to) next.set('price_to', String(Math.round(Number(price_to) * 100)))
    for (const name of ['attribute', 'option']) {
      const chosen = new FormData(form).getAll(name)
      if (chosen.length > 0) next.set(name, chosen.join(','))
    }
    if (more.collection) next.set('collection', more.collection)
    location.hash = `#/?${next}`
  })
  const chosen = [...asked.getAll('option'), ...asked.getAll('attribute')].join(',').split(',')
  const facets = data.facets.values.filter(one => one.name !== null)
  const lost = chosen.filter(
    one => one && !facets.some(({ name, value }) => `${name}:${value}` === one),
  )
  const box = (by, text, label) =>
    h(
      'label',
      { className: 'check' },
      h('input', { type: 'checkbox', name: by, value: text, checked: chosen.includes(text) }),
      label,
    )
  const options = { newest: 'Newest', price: 'Cheapest first', '-price': 'Dearest first' }
  const sort = h(
    'select',
    { name: 'sort' },
    Object.entries(options).map(([value, label]) =>
      h('option', { value, selected: asked.get('sort') === value }, label),
    ),
  )
  const upTo = asked.get('price_to')
  main.replaceChildren(
    h('h1', {}, asked.get('collection') ? 'A collection' : 'All things'),
    h(
      'div',
      { className: 'columns' },
      h(
        'form',
        {
          className: 'panel',
          onsubmit: filter,
          onchange: event => event.currentTarget.requestSubmit(),
          ariaLabel: 'Filters',
        },
        h('input', { type: 'hidden', name: 'collection', value: asked.get('collection') ?? '' }),
        h('label', {}, 'Sort', sort),
        field('At most, in €', {
          name: 'price_to',
          type: 'number',
          min: '1',
          required: false,
          value: upTo ? String(upTo / 100) : '',
        }),
        ...['material', 'colour'].map(name =>
          h(
            'fieldset',
            {},
            h('legend', {}, name),
            facets
              .filter(one => one.name === name)
              .map(one => box(one.by, `${name}:${one.value}`, `${one.value} (${one.count})`)),
            lost
              .filter(one => one.startsWith(`${name}:`))
              .map(one =>
                box(name === 'colour' ? 'option' : 'attribute', one, `${one.split(':')[1]} (0)`),
              ),
          ),
        ),
        h('button', { className: 'plain' }, 'Show'),
      ),
      h(
        'ul',
        { className: 'cards', ariaLabel: 'Products' },
        data.data.map(one =>
          h(
            'li',
            { className: 'card' },
            picture(one),
            h(
              'div',
              {},
              h('a', { href: `#/product/${one.id}` }, one.title),
              h('br'),
              one.price_from ? money(one.price_from) : '',
              one.in_stock ? '' : ' · sold out',
            ),
          ),
        ),
        data.data.length === 0 && h('li', {}, 'Nothing fits. Take a filter away.'),
      ),
    ),
  )
}

async function showProduct(id) {
  const params = { path: { product_id: id } }
  const api = await reader()
  const { data } = await api.GET('/v1/products/{product_id}', { params })
  const put1 = submits(async form => {
    await put(fieldsOf(form).sku, 1)
    say(`${data.title} is in your cart.`)
  })
  main.replaceChildren(
    h(
      'div',
      { className: 'columns even' },
      h('div', { className: 'card' }, picture({ ...data, image: data.images[0] })),
      h(
        'div',
        {},
        h('h1', {}, data.title),
        h('p', {}, data.description),
        h(
          'form',
          { onsubmit: put1 },
          h(
            'fieldset',
            {},
            h('legend', {}, 'Colour'),
            data.variants.map((one, place) =>
              h(
                'label',
                { className: 'check' },
                h('input', {
                  type: 'radio',
                  name: 'sku',
                  value: one.sku,
                  checked: place === 0,
                  disabled: !one.in_stock,
                }),
                `${one.title}, ${money(one.price)}${one.in_stock ? '' : ' (sold out)'}`,
              ),
            ),
          ),
          h('button', {}, 'Add to cart'),
        ),
      ),
    ),
  )
}

function totalsOf({ totals, currency }) {
  const row = (label, amount_minor) =>
    amount_minor !== 0 &&
    h('tr', {}, h('th', { scope: 'row' }, label), h('td', {}, money({ amount_minor, currency })))
  return h(
    'table',
    {},
    row('Goods', totals.subtotal_minor),
    row('Discount', -totals.discount_minor),
    row('Shipping', totals.shipping_minor - totals.shipping_discount_minor),
    row('Tax', totals.prices_include_tax ? 0 : totals.tax_minor),
    row('Total', totals.total_minor),
  )
}

async function showCart() {
  const cart = await readCart()
  if (!cart || cart.items.length === 0 || cart.state !== 'open') {
    const empty = cart && cart.state !== 'open' ? 'This cart is being paid.' : 'Your cart is empty.'
    return main.replaceChildren(h('h1', {}, 'Cart'), h('p', {}, empty))
  }
  const { currency } = cart
  const item = ({ sku, title, quantity, subtotal_minor }) =>
    h(
      'li',
      {},
      h(
        'span',
        {},
        title,
        h('br'),
        h('span', { className: 'soft' }, money({ amount_minor: subtotal_minor, currency })),
      ),
      h('input', {
        type: 'number',
        min: '0',
        max: '20',
        value: String(quantity),
        ariaLabel: `How many: ${title}`,
        onchange: event => void attempt(() => put(sku, Number(event.target.value)).then(showCart)),
      }),
      h(
        'button',
        {
          className: 'plain',
          ariaLabel: `Remove: ${title}`,
          onclick: event => void attempt(() => put(sku, 0).then(showCart), event.currentTarget),
        },
        '×',
      ),
    )
  const code = submits(async form => {
    const { discounts } = await change({ discount_codes: [fieldsOf(form).code.toUpperCase()] })
    await showCart()
    if (discounts.some(one => one.state !== 'applied')) say('This code does not apply.')
  })
  const address = submits(async form => {
    const { email, ...shipping_address } = fieldsOf(form)
    const to = await change({ shipping_address: { ...shipping_address, country: 'DE' } })
    const [method] = to.shipping_methods
    await showPayment(method ? await change({ shipping_method_id: method.id }) : to, email)
  })
  const to = cart.shipping_address ?? {}
  main.replaceChildren(
    h('h1', {}, 'Cart'),
    h(
      'div',
      { className: 'columns even' },
      h(
        'section',
        { className: 'panel' },
        h('ul', { className: 'items' }, cart.items.map(item)),
        h('div', { id: 'totals' }, totalsOf(cart)),
        h(
          'form',
          { className: 'row', onsubmit: code },
          field('Discount code', { name: 'code' }),
          h('button', { className: 'plain' }, 'Apply'),
        ),
      ),
      h(
        'section',
        { className: 'panel', id: 'payment' },
        h(
          'form',
          { onsubmit: address },
          field('Mail address', { name: 'email', type: 'email', autocomplete: 'email' }),
          field('Name', { name: 'name', autocomplete: 'name', value: to.name ?? '' }),
          field('Street', { name: 'line1', autocomplete: 'address-line1', value: to.line1 ?? '' }),
          field('Postal code', {
            name: 'postal_code',
            autocomplete: 'postal-code',
            value: to.postal_code ?? '',
          }),
          field('City', { name: 'city', autocomplete: 'address-level2', value: to.city ?? '' }),
          h('p', { className: 'soft' }, 'We send to Germany.'),
          h('button', {}, 'Go on to the payment'),
        ),
      ),
    ),
  )
}

/** The platform's page, or the form of the provider in this one. Both order what was shown here. */
async function showPayment(cart, email) {
  const { pricing_fingerprint } = cart
  const api = await me()
  at('totals').replaceChildren(totalsOf(cart))
  const redirect = async () => {
    const { data } = await api.POST('/v1/carts/{cart_id}/payment-request', {
      ...cartPath(),
      body: { email, pricing_fingerprint, return_url: `${base_url}/#/thanks` },
    })
    location.href = data.url
  }
  const card = await openCard(api, cart)
  const here = submits(async () => {
    const order = await card.pay(payment_method => ({
      cart_id: cart.id,
      email,
      pricing_fingerprint,
      payment: { payment_method },
    }))
    if (order.error) return say(order.error)
    location.hash = '#/thanks'
  })
  at('payment').replaceChildren(
    h('h2', { tabIndex: -1 }, 'Payment'),
    h(
      'button',
      { onclick: event => void attempt(redirect, event.currentTarget) },
      'Pay on the payment page',
    ),
    h('h2', {}, 'Or pay here'),
    h('form', { onsubmit: here, ariaLabel: 'Card' }, card.place, h('button', {}, 'Order and pay')),
  )
  card.mount()
  at('payment').querySelector('h2').focus()
}

async function showThanks() {
  const cart = await readCart()
  if (!cart?.order_id) return (location.hash = '#/cart')
  const api = await me()
  const params = { path: { order_id: cart.order_id } }
  const { data: order } = await api.GET('/v1/orders/{order_id}', { params })
  const { data: link } = await api.GET('/v1/orders/{order_id}/page-link', { params })
  at('count').textContent = ''
  main.replaceChildren(
    h('h1', {}, 'Thank you'),
    h(
      'p',
      {},
      `Your order ${order.number ?? ''} is ${order.state}. A mail to ${order.email} is on its way.`,
    ),
    h('div', { className: 'panel' }, totalsOf(order)),
    h('p', {}, h('a', { href: link.url }, 'See the order')),
  )
  // The next thing goes into a new cart.
  if (order.state === 'confirmed')
    addEventListener('hashchange', () => localStorage.removeItem('cart'), { once: true })
}

async function show() {
  const [path, query = ''] = (location.hash || '#/').slice(1).split('?')
  const [, name, id] = path.split('/')
  if (name === 'product') await showProduct(id)
  else if (name === 'cart') await showCart()
  else if (name === 'thanks') await showThanks()
  else await showList(new URLSearchParams(query))
}

addEventListener('hashchange', () => void attempt(show).then(() => main.focus()))
void attempt(async () => {
  for await (const { key, title } of (await reader()).all('/v1/product-collections')) {
    at('collections').append(h('a', { href: `#/?collection=${key}` }, title))
  }
  await Promise.all([show(), location.hash.startsWith('#/cart') || readCart()])
})
