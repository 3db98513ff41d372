/** The page of the agency: what can be booked, and the bookings of the person who has logged in. */
// oxlint-disable-next-line import/no-absolute-path -- an address of the platform that serves this page
import { createClient, login, Problem } from '/client/v1/client.js'

const base_url = location.origin
const at = id => document.getElementById(id)
const say = text => (at('state').textContent = text)
const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })
const price = minor => euros.format(minor / 100)
const words = {
  open: 'not paid',
  paid: 'paid, in work',
  delivered: 'delivered',
  cancelled: 'cancelled',
}

let api = createClient({ base_url })

function row(text, label, act) {
  const line = document.createElement('li')
  const about = document.createElement('span')
  about.textContent = text
  line.append(about)
  if (!act) return line
  const button = document.createElement('button')
  button.textContent = label
  button.setAttribute('aria-label', `${label}: ${text}`)
  // One key for one intent: a second click, or a retry after a lost answer, does it once.
  const key = crypto.randomUUID()
  button.addEventListener('click', () => {
    button.disabled = true
    void attempt(() => act(key)).finally(() => (button.disabled = false))
  })
  line.append(button)
  return line
}

async function attempt(act) {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    say(`${error.message} (${error.code})`)
  }
}

async function all(path, show) {
  const rows = []
  for await (const one of api.all(path)) rows.push(show(one))
  return rows
}

async function show() {
  at('services').replaceChildren(
    ...(await all('/v1/services', ({ id, title, price_minor }) =>
      row(`${title}, ${price(price_minor)}`, 'Book', key => book(id, key)),
    )),
  )
  at('bookings').replaceChildren(
    ...(await all('/v1/bookings', ({ id, title, price_minor, state }) => {
      const text = `${title}, ${price(price_minor)}: ${words[state]}`
      if (state === 'open') return row(text, 'Pay', key => pay(id, key))
      if (state === 'delivered') return row(text, 'Download', () => download(id))
      return row(text)
    })),
  )
}

async function book(service_id, key) {
  const headers = { 'idempotency-key': key }
  await api.POST('/v1/bookings', { headers, body: { service_id } })
  say('It is booked. Pay within three days.')
  await show()
}

async function pay(booking_id, key) {
  const params = { path: { booking_id } }
  const body = { payment_method: at('card').value }
  const headers = { 'idempotency-key': key }
  const { data } = await api.POST('/v1/bookings/{booking_id}/pay', { params, headers, body })
  say('The payment is on its way.')
  say(await outcome(params, data.operation_id))
  await show()
}

/** The card is charged after the reply, and the booking is paid by its workflow. */
async function outcome(params, operation_id) {
  for (let look = 0; look < 60; look += 1) {
    await new Promise(done => setTimeout(done, 500))
    const { data: booking } = await api.GET('/v1/bookings/{booking_id}', { params })
    if (booking.state !== 'open') return `The booking is ${words[booking.state]}.`
    const { data } = await api.GET('/v1/bookings/{booking_id}/payment', { params })
    const { declined } = data
    if (declined?.operation_id === operation_id)
      return `The card was declined (${declined.code}). Try another one.`
  }
  return 'The payment takes longer than usual. Look again later.'
}

async function download(booking_id) {
  const params = { path: { booking_id } }
  const { data } = await api.GET('/v1/bookings/{booking_id}/download', { params })
  location.assign(data.url)
}

at('who').addEventListener('submit', event => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(event.target))
  void attempt(async () => {
    // The answer is the same for a known address, so registering first is always right.
    await api.POST('/v1/accounts', { body: { email, password } })
    api = await login({ base_url, email, password })
    event.target.hidden = true
    at('inside').hidden = false
    say(`Welcome, ${email}.`)
    await show()
  })
})
