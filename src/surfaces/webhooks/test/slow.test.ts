/** Slow receivers: each phase ends by its own limit, and no other endpoint is delayed. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Ground } from './ground.ts'
import { openReceiver } from './receiver.ts'

const ground = await openGround({
  WEBHOOKS_TIMEOUTS: 'dns:500,connect:500,tls:500,write:700,first_byte:800,body:900,total:3000',
  WEBHOOKS_RETRY_SCHEDULE: '0,3600,3600',
})
afterAll(() => ground.close())

/** Below HTTP: answers the challenge through a helper, then misbehaves. */
async function openRough(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** The endpoint moves after it was verified; the rest of the way is the sender's own. */
async function activate({ platform }: Ground, id: string, endpoint: string): Promise<void> {
  await platform.kernel.db.run(sql`
    update webhooks.subscriptions set endpoint = ${endpoint}, version = version + 1 where id = ${id}`)
}

const drip = (socket: Socket, text: string, every_ms: number, first = '') => {
  socket.write(first)
  const timer = setInterval(() => socket.write(text), every_ms)
  socket.on('close', () => clearInterval(timer))
}
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'

describe.concurrent('a receiver', () => {
  test.for([
    ['that says nothing', 'first_byte_timeout', s => s.resume()],
    [
      'that drips its headers',
      'first_byte_timeout',
      s => drip(s.resume(), 'x', 50, 'HTTP/1.1 200 OK\r\nname: '),
    ],
    [
      'whose body never ends',
      'body_timeout',
      s => {
        s.write(`${head}transfer-encoding: chunked\r\n\r\n`)
        drip(s.resume(), '1\r\nx\r\n', 50)
      },
    ],
    ['that hangs up', 'reset', s => s.once('data', () => s.destroy())],
    [
      'that speaks something else',
      'invalid_response',
      s => s.once('data', () => s.end('SMTP\r\n\r\n')),
    ],
  ] as [string, string, (socket: Socket) => void][])(
    '%s ends with %s',
    async ([, error_code, serve]) => {
      const rough = await openRough(serve)
      const fine = await openReceiver()
      const owner = await ground.owner()
      const event_filter = { types: ['account.verified'] }
      const made = await ground.subscribe(owner, at(fine), { event_filter })
      await activate(ground, made.id, `http://127.0.0.1:${rough.port}/`)
      await ground.emit(owner)
      const [delivery] = await eventually('it was tried', async () => {
        const found = await ground.deliveries(made.id)
        return found[0]?.attempt_count === 1 && found
      })
      const [attempt] = await ground.attempts(delivery?.id ?? '')
      expect(attempt?.error_code).toBe(error_code)
      await eventually('its connection is closed', () => rough.sockets.size === 0)
      const path = `/v1/webhook-subscriptions/${made.id}`
      expect((await ground.call('GET', path, owner)).body.health.in_flight).toBe(0)
      await Promise.all([rough.close(), fine.close()])
    },
  )

  test('whose answer is endless and quick is read so far and no further', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const event_filter = { types: ['account.verified'] }
    const made = await ground.subscribe(owner, at(receiver), { event_filter })
    const page = `\u0000${'é'.repeat(40_000)}`
    receiver.answer(response => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(page));
        response.once('drain', more)
      }
      more()
    })
    await ground.emit(owner)
    const [delivery] = await eventually('it is delivered', async () => {
      const found = await ground.deliveries(made.id)
      return found[0]?.state === 'delivered' && found
    })
    const [attempt] = await ground.attempts(delivery?.id ?? '')
    expect(attempt?.response_excerpt).toBe('é'.repeat(1024))
    await eventually('its connection is closed', () => receiver.open() === 0)
    await receiver.close()
  })
})

test('fifty endpoints that hang do not hold up a hundred that do not', async () => {
  const own = await openGround({
    WEBHOOKS_IN_FLIGHT: '160',
    WEBHOOKS_IN_FLIGHT_SLOW: '40',
    WEBHOOKS_BREAKER: 'failures:100000,open_ms:1000,max_open_ms:1000',
    WEBHOOKS_MAX_SUBSCRIPTIONS: '200',
  })
  const [healthy, hanging] = [await openReceiver(), await openReceiver()]
  const [good, bad] = [await own.owner(), await own.owner()]
  const event_filter = { types: ['account.verified'] }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`)
  // A few at a time: each of them looks often whether it is verified.
  const subscribe = async (owner: typeof good, receiver: typeof healthy, paths: string[]) => {
    for (let from = 0; from < paths.length; from += 10) {
      const some = paths.slice(from, from + 10)
      await Promise.all(
        some.map(path => own.subscribe(owner, at(receiver, path), { event_filter })),
      )
    }
  }
  await subscribe(bad, hanging, many(50))
  await subscribe(good, healthy, many(100))
  const held: (() => void)[] = []
  hanging.answer(response => void held.push(() => response.writeHead(204).end()))
  await own.emit(bad, 100)
  await eventually('they hang', () => hanging.open() >= 40)
  await own.emit(good, 20)
  // Nothing of what hangs is answered before all others are delivered.
  await eventually('all others are delivered', () => healthy.received.length === 2000)
  // Of 5,000. What was sent is ended by its time and sent again, so a slow machine sees more of it.
  expect(hanging.received.length).toBeLessThan(2500)
  hanging.answer(response => void response.writeHead(204).end())
  for (const answer of held.splice(0)) answer()
  await own.close()
  await Promise.all([healthy.close(), hanging.close()])
})

test('each part of a setting is listed with the value in force', async () => {
  const owner = await ground.owner()
  const listed: { name: string; value: unknown }[] = []
  for (let at = '/v1/limits?limit=100'; ;) {
    const { body } = await ground.call('GET', at, owner)
    listed.push(...body.data)
    if (!body.has_more) break
    at = `/v1/limits?limit=100&cursor=${body.next_cursor}`
  }
  const values = Object.fromEntries(listed.map(one => [one.name, one.value]))
  expect(values).toMatchObject({
    'webhooks.timeouts.dns': 500,
    'webhooks.timeouts.write': 700,
    'webhooks.timeouts.total': 3000,
    'webhooks.breaker.failures': expect.any(Number),
    'webhooks.breaker.open_ms': expect.any(Number),
    'webhooks.breaker.max_open_ms': expect.any(Number),
  })
})
