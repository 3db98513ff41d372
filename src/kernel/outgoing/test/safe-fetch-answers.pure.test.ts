/** Answers are bounded, and a connection is used again only where it belongs and still stands. */
import { Buffer } from 'node:buffer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReceiver, type Answering, type Receiver } from './receiver.ts'
import { openSafeWorld, reasonOf, type SafeWorld } from './safe-world.ts'

const ok: Answering = response => response.end('ok')

let world: SafeWorld
beforeAll(async () => {
  world = await openSafeWorld()
  world.dns.lay('hooks.test', ['127.0.0.1'])
})
afterAll(() => world.close())

async function receiver(answer: Answering): Promise<Receiver> {
  return world.keep(await openReceiver(answer))
}

function to(server: Receiver) {
  return { fetch: world.client([server]), url: `http://hooks.test:${server.port}/` }
}

test('a header that occurs twice has its first value, but for cookies', async () => {
  const twice = to(
    await receiver(response => {
      const types = ['content-type', 'text/html', 'content-type', 'text/plain']
      response.writeHead(200, [...types, 'set-cookie', 'a=1', 'set-cookie', 'b=2'])
      response.end('ok')
    }),
  )
  const { headers } = await twice.fetch(twice.url)
  expect(headers).toMatchObject({ 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] })
})

describe('a body', () => {
  const limit = { max_body_bytes: 1000 }
  const sized =
    (bytes: number): Answering =>
    response =>
      response.end(Buffer.alloc(bytes, 'x'))

  test('is given whole up to the limit and cut after it', async () => {
    const exact = to(await receiver(sized(1000)))
    const whole = await exact.fetch(exact.url, limit)
    expect([whole.body.length, whole.truncated]).toEqual([1000, false])
    const long = to(await receiver(sized(1001)))
    const cut = await long.fetch(long.url, limit)
    expect([cut.body.length, cut.truncated]).toEqual([1000, true])
  })

  test('without an end is cut, and the connection closed', async () => {
    const closed = Promise.withResolvers<true>()
    const server = await receiver(response => {
      const timer = setInterval(() => response.write(Buffer.alloc(500)), 1)
      response.on('close', () => {
        clearInterval(timer)
        closed.resolve(true)
      })
    })
    const { fetch, url } = to(server)
    const { body, truncated } = await fetch(url, limit)
    expect([body.length, truncated]).toEqual([1000, true])
    expect(await closed.promise).toBe(true)
  })

  test('may have to fit', async () => {
    const strict = { ...limit, over_limit: 'fail' } as const
    const said = to(await receiver(sized(1001)))
    expect(await reasonOf(said.fetch(said.url, strict))).toBe('too_large')
    const unsaid = to(
      await receiver(response => {
        response.write(Buffer.alloc(900))
        response.end(Buffer.alloc(900))
      }),
    )
    expect(await reasonOf(unsaid.fetch(unsaid.url, strict))).toBe('too_large')
    const fits = to(await receiver(sized(1000)))
    expect((await fits.fetch(fits.url, strict)).body).toHaveLength(1000)
  })

  test('is not unpacked, and may be empty', async () => {
    const packed = Buffer.from('1f8b080000000000000303000000000000000000', 'hex')
    const server = await receiver((response, { url }) => {
      if (url === '/none') response.writeHead(204).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    })
    const { fetch, url } = to(server)
    expect((await fetch(url)).body).toEqual(packed)
    const none = await fetch(`${url}none`)
    expect([none.status, none.body.length]).toEqual([204, 0])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.body.length]).toEqual([200, 0])
  })
})

describe('connections', () => {
  test('are kept for the same origin and address, and replaced when the other side closed', async () => {
    const server = await receiver(ok)
    const { fetch, url } = to(server)
    await fetch(url)
    const second = await fetch(url)
    expect([second.timings.connect_ms, second.timings.tls_ms]).toEqual([0, 0])
    expect(server.connections()).toBe(1)
    server.disconnect()
    const answers = await Promise.all([fetch(url), fetch(url), fetch(url)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(server.requests).toHaveLength(5)
  })

  test('that fail when used again are replaced once, for what may be sent twice', async () => {
    const hanging = () => {
      let turn = 0
      return receiver(response => {
        if (turn++ === 1) response.socket?.destroy()
        else response.end('ok')
      })
    }
    const post = { method: 'POST', body: 'x' }
    for (const [wish, outcome] of [
      [post, 'reset'],
      [{ ...post, repeatable: true }, 200],
      [{}, 200],
      [{ repeatable: false }, 'reset'],
    ] as const) {
      const server = await hanging()
      const { fetch, url } = to(server)
      await fetch(url)
      const second =
        outcome === 200 ? (await fetch(url, wish)).status : await reasonOf(fetch(url, wish))
      expect(second).toBe(outcome)
      expect(server.requests).toHaveLength(outcome === 200 ? 3 : 2)
    }
  })

  test('that fail when they are fresh are a failure of the request', async () => {
    const server = await receiver(response => response.socket?.destroy())
    const { fetch, url } = to(server)
    expect(await reasonOf(fetch(url))).toBe('reset')
    expect(server.requests).toHaveLength(1)
  })

  test('are not shared by two names of one address', async () => {
    const server = await receiver(ok)
    world.dns.lay('second.test', ['127.0.0.1'])
    const { fetch, url } = to(server)
    await fetch(url)
    await fetch(url.replace('hooks', 'second'))
    expect(server.connections()).toBe(2)
    expect(server.requests.map(({ headers }) => headers.host)).toEqual([
      `hooks.test:${server.port}`,
      `second.test:${server.port}`,
    ])
  })

  test('go to the next address when one refuses', async () => {
    const server = await receiver(ok)
    world.dns.lay('two.test', ['127.0.0.2', '127.0.0.1'])
    const fetch = world.open({
      ports: [],
      allow: [`127.0.0.1:${server.port}`, `127.0.0.2:${server.port}`],
    })
    const answer = await fetch(`http://two.test:${server.port}/`)
    expect([answer.status, answer.address]).toEqual([200, '127.0.0.1'])
  })

  test('that are idle end with the client', async () => {
    const ended = Promise.withResolvers<true>()
    const server = await receiver(response => {
      response.socket?.once('close', () => ended.resolve(true))
      response.end('ok')
    })
    const { fetch, url } = to(server)
    await fetch(url)
    fetch.close()
    expect(await ended.promise).toBe(true)
  })
})
