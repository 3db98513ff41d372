/** A booking from the first click to the file, and who may see it. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { contract, eventually, newKey } from 'dodeca/testing'
import {
  again,
  agencyOf,
  book,
  expectOk,
  openAgency,
  pay,
  reached,
  see,
  upload,
} from './agency-world.ts'

type Sent = { type: string; data: Record<string, string> }
const received: Sent[] = []
/** Where the webhooks of the agency go. It answers the challenge, as every endpoint must. */
const receiver = createServer((request, response) => {
  void text(request).then(said => {
    const event = JSON.parse(said) as Sent
    received.push(event)
    const challenge = event.data['challenge']
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(challenge ? { challenge } : {}))
  })
})
await new Promise<void>(done => receiver.listen(0, '127.0.0.1', done))
const { port } = receiver.address() as AddressInfo

const world = await openAgency({
  WEBHOOKS_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${port}`,
  WEBHOOKS_ALLOWED_PORTS: `443,${port}`,
})
const { call } = world
after(async () => {
  await world.close()
  receiver.close()
})

test('a customer books, pays and gets the file; a rule and a webhook tell of it', async () => {
  const { host, customer, service } = await agencyOf(world)
  const subscription = {
    endpoint: `http://127.0.0.1:${port}/hooks`,
    event_filter: { types: ['booking.paid'] },
    api_version: '2026-01',
  }
  const hook = { token: host.token, key: newKey(), body: subscription }
  const { id: hook_id } = await expectOk(call('POST', '/v1/webhook-subscriptions', hook))
  await eventually('the endpoint is known', async () => {
    const { body } = await call('GET', `/v1/webhook-subscriptions/${hook_id}`, host)
    return body.state === 'active'
  })
  const rule = {
    event: 'booking.paid',
    job: {
      type: 'notifications.notify',
      parameters: {
        recipient: { user_id: { $event: '/data/host_id' } },
        category: 'agency.bookings',
        template: { name: 'notice' },
        channels: ['in_app'],
        data: { subject: 'Paid', paragraphs: ['A booking is paid. You can begin.'] },
      },
    },
  }
  await expectOk(call('PUT', '/v1/job-rules/tell-host', { token: host.token, body: rule }))

  const { id } = await expectOk(book(call, customer, service))
  const none = await call('GET', `/v1/bookings/${id}/download`, customer)
  deepEqual([none.status, none.body.code], [409, 'not_delivered'])
  await expectOk(pay(call, customer, id))
  await reached(world, customer, id, 'paid')
  const { data } = await expectOk(call('GET', `/v1/conversations/${id}/messages`, customer))
  match(data[0].body, /^A portrait is paid/)
  const reply = { token: host.token, key: newKey(), body: { body: 'See you on Monday.' } }
  await expectOk(call('POST', `/v1/conversations/${id}/messages`, reply))

  const file_id = await upload(world, host)
  await expectOk(
    call('POST', `/v1/bookings/${id}/deliver`, { ...host, key: newKey(), body: { file_id } }),
  )
  equal((await see(world, customer, id)).body.state, 'delivered')
  const { url, filename } = await expectOk(call('GET', `/v1/bookings/${id}/download`, customer))
  equal(filename, 'portrait.txt')
  match(await (await fetch(url.replace('http://dodeca.test', world.url))).text(), /^the work/)

  await eventually('the host is told', async () => {
    const { body } = await call('GET', '/v1/inbox', host)
    return body.data.some((one: { title: string }) => one.title === 'Paid')
  })
  await eventually('the webhook arrives', () => received.some(one => one.type === 'booking.paid'))
  const events = await world.events({ aggregate_id: id }, 3)
  const own = events.map(one => one.type).filter(type => type.startsWith('booking.'))
  deepEqual(own, ['booking.created', 'booking.paid', 'booking.delivered'])
})

test('ten customers who want the last place at once: one gets it', async () => {
  const { host, service } = await agencyOf(world, 1)
  const customers = await Promise.all(Array.from({ length: 10 }, () => world.member(host.tenant)))
  const answers = await Promise.all(customers.map(one => book(call, one, service)))
  equal(answers.filter(one => one.status === 201).length, 1)
  equal(answers.filter(one => one.body.code === 'fully_booked').length, 9)
})

test('a card that is declined leaves the booking open; another one pays it', async () => {
  const { customer, service } = await agencyOf(world)
  const { id } = await expectOk(book(call, customer, service))
  const begun = await expectOk(pay(call, customer, id, { card: 'pm_card_visa_chargeDeclined' }))
  equal(begun.state, 'pending')
  match(begun.next, /another card/)
  const payment = () => call('GET', `/v1/bookings/${id}/payment`, customer)
  await eventually('the card is declined', async () => (await payment()).body.declined !== null)
  equal((await payment()).body.declined.operation_id, begun.operation_id)
  equal((await see(world, customer, id)).body.state, 'open')
  const both = await Promise.all([pay(call, customer, id), pay(call, customer, id)])
  deepEqual(
    both.map(one => one.status).toSorted((a, b) => a - b),
    [202, 409],
  )
  await reached(world, customer, id, 'paid')
  equal((await payment()).body.state, 'captured')
})

test('a booking that is not paid is reminded after a day and cancelled after three', async () => {
  const { host, customer, service } = await agencyOf(world, 1)
  const { id } = await expectOk(book(call, customer, service))
  const aDayLater = async (waits_for: string) => {
    const { token } = await again(world, host)
    await eventually(`it waits for ${waits_for}`, async () => {
      const { body } = await call('GET', `/v1/jobs/${id}/steps`, { token })
      return body.data.some((one: { name: string }) => one.name === waits_for)
    })
    await world.clock.forward(24 * 3600 + 1)
    return again(world, customer)
  }
  const reminded = await aDayLater('payment 1')
  await world.inbox(customer.email, 2)
  const subjects = (await world.inbox(customer.email)).map(one => one.subject)
  equal(subjects.filter(one => one === 'Not paid yet: A portrait').length, 1)
  equal((await see(world, reminded, id)).body.state, 'open')
  await aDayLater('payment 2')
  const late = await aDayLater('payment 3')
  await reached(world, late, id, 'cancelled')
  const refused = await pay(call, late, id)
  deepEqual([refused.status, refused.body.code], [409, 'invalid_transition'])
  // Its place is free again.
  equal((await book(call, late, service)).status, 201)
})

test('another customer and another agency find nothing', async () => {
  const { host, customer, service } = await agencyOf(world)
  const other = await agencyOf(world)
  const { id } = await expectOk(book(call, customer, service))
  const colleague = await world.member(host.tenant)
  for (const who of [colleague, other.customer, other.host]) {
    equal((await see(world, who, id)).status, 404)
    equal((await pay(call, who, id)).status, 404)
    equal((await call('GET', `/v1/bookings/${id}/payment`, who)).status, 404)
    equal((await call('GET', `/v1/bookings/${id}/download`, who)).status, 404)
    equal((await call('GET', `/v1/conversations/${id}`, who)).status, 404)
  }
  equal((await book(call, other.customer, service)).body.code, 'service_not_found')
  const file_id = await upload(world, other.host)
  const body = { file_id }
  const path = `/v1/bookings/${id}/deliver`
  equal((await call('POST', path, { ...customer, key: newKey(), body })).status, 403)
  const foreign = await call('POST', path, { ...other.host, key: newKey(), body })
  deepEqual([foreign.status, foreign.body.code], [404, 'booking_not_found'])
  const stolen = await call('POST', path, { ...host, key: newKey(), body })
  deepEqual([stolen.status, stolen.body.code], [404, 'file_not_found'])
})

test('a customer has the booking in the export, and is nowhere in it after the erasure', async () => {
  const { host, customer, service } = await agencyOf(world, 1)
  const { id } = await expectOk(book(call, customer, service))
  const exported = await call('GET', '/v1/me/export', customer)
  match(exported.text, new RegExp(`"booking".*${id}`, 's'))
  await expectOk(call('DELETE', `/v1/accounts/${customer.id}`, host))
  await eventually('the booking is gone', async () => (await see(world, host, id)).status === 404)
  await eventually('its workflow is cancelled', async () => {
    const { body } = await call('GET', `/v1/jobs/${id}`, host)
    return body.state === 'cancelled'
  })
  equal((await book(call, await world.member(host.tenant), service)).status, 201)
})

/** A booking of the caller, who is the host as well. */
const recipes: Parameters<typeof contract>[1] = {
  recipes: {
    'POST /v1/services': {
      request: async ({ ask }) => {
        const { id: host_id } = await ask('GET', '/v1/me')
        return { body: { title: 'A portrait', price_minor: 100, places: 5, host_id } }
      },
    },
    'POST /v1/bookings': {
      request: async ({ ask }) => ({ body: { service_id: await serviceOf(ask) } }),
    },
    'POST /v1/bookings/{booking_id}/pay': {
      request: () => ({ body: { payment_method: 'pm_card_visa' } }),
      refusal: () => ({ body: { payment_method: '4242 4242 4242 4242' } }),
    },
    'POST /v1/bookings/{booking_id}/deliver': {
      request: async ({ person, ask }, { booking_id }) => {
        await paid(ask, booking_id ?? '')
        return { body: { file_id: await upload(world, person) } }
      },
    },
    'GET /v1/bookings/{booking_id}/download': {
      request: async ({ person, ask }, { booking_id }) => {
        await paid(ask, booking_id ?? '')
        const body = { file_id: await upload(world, person) }
        await ask('POST', `/v1/bookings/${booking_id}/deliver`, body)
        return {}
      },
    },
  },
  subjects: {
    '/v1/bookings/{booking_id}': {
      make: async ({ ask }) =>
        (await ask('POST', '/v1/bookings', { service_id: await serviceOf(ask) })).id as string,
    },
  },
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are asserted where they are used
type Asking = (method: string, path: string, body?: unknown) => Promise<any>

async function serviceOf(ask: Asking): Promise<string> {
  const { id: host_id } = await ask('GET', '/v1/me')
  const body = { title: 'A portrait', price_minor: 100, places: 5, host_id }
  return (await ask('POST', '/v1/services', body)).id as string
}

async function paid(ask: Asking, id: string): Promise<void> {
  await ask('POST', `/v1/bookings/${id}/pay`, { payment_method: 'pm_card_visa' })
  await eventually('the booking is paid', async () => {
    return (await ask('GET', `/v1/bookings/${id}`)).state === 'paid'
  })
}

for (const { name, run } of contract(world, recipes)) test(name, run)
