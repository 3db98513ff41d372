/** Events of the provider that were lost while the platform was away: all of them are listed, also many. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProductWorld, type ProductWorld } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'

const count = 10_150
const page_size = 100
const began_s = Math.floor(Date.now() / 1000) - 7200

/** The newest first, as the provider lists them. None is about money, so nothing is read after it. */
const events = Array.from({ length: count }, (_, n) => ({
  id: `evt_${String(n).padStart(6, '0')}`,
  object: 'event',
  type: n % 2 === 0 ? 'customer.updated' : 'balance.available',
  created: began_s + Math.floor(n / 2),
  // The balance has no id.
  data: { object: n % 2 === 0 ? { id: `cus_${n}`, object: 'customer' } : { object: 'balance' } },
})).toReversed()

let requests = 0
/** From this request on, the provider does not answer until it is Infinity. */
let fails_at = 60
let provider: Server
let world: ProductWorld
beforeAll(async () => {
  provider = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://provider.test')
    response.setHeader('content-type', 'application/json')
    if (url.pathname !== '/v1/events') {
      response.statusCode = 404
      response.end('{"error":{"type":"invalid_request_error"}}')
      return
    }
    requests++
    if (requests >= fails_at) {
      response.statusCode = 400
      response.end('{"error":{"type":"invalid_request_error"}}')
      return
    }
    const { searchParams } = url
    const gte = Number(searchParams.get('created[gte]'))
    const lte = Number(searchParams.get('created[lte]') ?? Infinity)
    const found = events.filter(one => one.created >= gte && one.created <= lte)
    const after = searchParams.get('starting_after')
    const start = after === null ? 0 : found.findIndex(one => one.id === after) + 1
    const data = found.slice(start, start + page_size)
    const has_more = start + page_size < found.length
    response.end(JSON.stringify({ object: 'list', url: '/v1/events', data, has_more }))
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  world = await openProductWorld({
    PAYMENTS_STRIPE_SECRET_KEY: 'sk_test_catchup',
    PAYMENTS_STRIPE_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: 'whsec_catchup',
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_EVENT_CATCHUP_SECONDS: '1',
  })
})
afterAll(async () => {
  await world?.close()
  provider?.close()
})

test('more than ten thousand events are read to the oldest, also if the pass breaks off', async () => {
  const { db } = world.platform.kernel
  const read = () =>
    db.maybe(
      Type.Object({ done: Type.Boolean() }),
      sql`
        select read_until = to_timestamp(${events[0]?.created ?? 0}) and pass_until is null as done
        from payments.provider_cursors where name = 'events'`,
    )
  await eventually('the pass has broken off', () => requests >= 60)
  fails_at = Infinity
  await eventually('the list was read to its end', async () => (await read())?.done)
  const { n } = await db.one(
    Type.Object({ n: Type.Integer() }),
    sql`select count(*)::int as n from payments.provider_events`,
  )
  expect(n).toBe(count / 2)
})
