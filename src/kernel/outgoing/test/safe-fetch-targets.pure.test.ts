/** No packet leaves for an address that may not be reached, however it is written, named or led to. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSafeFetch } from '../safe-fetch.ts'
import { makeCertificate } from './certificate.ts'
import { openReceiver, type Answering, type Receiver } from './receiver.ts'
import { openSafeWorld, reasonOf, type SafeWorld } from './safe-world.ts'

const ok: Answering = response => response.end('ok')
const redirectTo =
  (location: string, status = 307): Answering =>
  response =>
    response.writeHead(status, { location }).end()

let world: SafeWorld
beforeAll(async () => {
  world = await openSafeWorld()
})
afterAll(() => world.close())

async function receiver(answer: Answering): Promise<Receiver> {
  return world.keep(await openReceiver(answer))
}

describe('written addresses', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '１２７.0.0.1',
    '127%2e0.0.1',
    '0.0.0.0',
    '0',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
  ])('%s leads nowhere although a listener waits there', async host => {
    const listener = await receiver(ok)
    const stranger = world.client([], [listener.port])
    const url = `http://${host}:${listener.port}/`
    expect(await reasonOf(stranger(url))).toBe('blocked_address')
    expect(await reasonOf(stranger.inspect(url))).toBe('blocked_address')
    expect(listener.connections()).toBe(0)
  })

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00:ec2::254]/',
    'http://3232235521/',
    'http://0xc0a80001/',
    'https://100.100.100.200/',
  ])('%s is refused', async url => {
    expect(await reasonOf(world.client([], [80, 443])(url))).toBe('blocked_address')
  })

  test('each kind of invalid URL has its own reason', async () => {
    const stranger = world.client([], [80, 443])
    const reasons = {
      'not an address': 'invalid_url',
      'http://': 'invalid_url',
      'http://a..b/': 'invalid_url',
      'http://1.2.3.4.5/': 'invalid_url',
      [`http://${'a'.repeat(64)}.test/`]: 'invalid_url',
      [`http://hooks.test/${'a'.repeat(9000)}`]: 'invalid_url',
      'ftp://hooks.test/': 'blocked_scheme',
      'file:///etc/passwd': 'blocked_scheme',
      'javascript:alert(1)': 'blocked_scheme',
      'http://user@hooks.test/': 'blocked_credentials',
      'http://user:password@hooks.test/': 'blocked_credentials',
      'http://hooks.test:22/': 'blocked_port',
      'http://hooks.test:443/../:80': 'dns_failed',
      'http://printer.local/': 'blocked_host',
      'http://metadata.google.internal/': 'blocked_host',
    }
    for (const [url, reason] of Object.entries(reasons)) {
      expect([url, await reasonOf(stranger(url))]).toEqual([url, reason])
    }
    const careful = world.keep(openSafeFetch({ schemes: ['https:'] }))
    expect(await reasonOf(careful('http://hooks.test/'))).toBe('blocked_scheme')
  })
})

describe('names', () => {
  test('a name for this machine leads nowhere, and the same name is reached where it may be', async () => {
    const listener = await receiver(ok)
    world.dns.lay('inner.test', ['127.0.0.1'])
    const url = `http://inner.test:${listener.port}/`
    expect(await reasonOf(world.client([], [listener.port])(url))).toBe('blocked_address')
    expect(listener.connections()).toBe(0)
    expect((await world.client([listener])(url)).body.toString()).toBe('ok')
    expect(listener.connections()).toBe(1)
  })

  test.each([
    ['a forbidden one among allowed ones', ['127.0.0.1', '0.0.0.0']],
    ['the forbidden one first', ['0.0.0.0', '127.0.0.1']],
    ['a forbidden IPv6 one beside an allowed IPv4 one', ['127.0.0.1', '::1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['a mapped one beside an allowed one', ['127.0.0.1', '::ffff:7f00:1']],
  ])('with %s nothing is sent to any', async (_says, addresses) => {
    const listener = await receiver(ok)
    world.dns.lay('mixed.test', addresses)
    const reason = await reasonOf(world.client([listener])(`http://mixed.test:${listener.port}/`))
    expect(reason).toBe('blocked_address')
    expect(listener.connections()).toBe(0)
  })

  test('one look-up decides: an answer that changes after the check changes nothing', async () => {
    const listener = await receiver(ok)
    world.dns.lay('rebind.test', ['127.0.0.1'], ['0.0.0.0'])
    const client = world.client([listener])
    const url = `http://rebind.test:${listener.port}/`
    const first = await client(url)
    expect([first.status, first.address]).toEqual([200, '127.0.0.1'])
    expect(world.dns.asked('rebind.test')).toBe(1)
    // The connection is still warm, and the records lived for an hour: neither counts.
    expect(await reasonOf(client(url))).toBe('blocked_address')
    expect(world.dns.asked('rebind.test')).toBe(2)
    expect([listener.connections(), listener.requests.length]).toEqual([1, 1])
  })

  test('look-ups of one name at one time share one question', async () => {
    const listener = await receiver(ok)
    world.dns.lay('shared.test', ['127.0.0.1'])
    const client = world.client([listener])
    const url = `http://shared.test:${listener.port}/`
    await Promise.all(Array.from({ length: 10 }, () => client(url)))
    expect(world.dns.asked('shared.test')).toBe(1)
    expect(listener.requests).toHaveLength(10)
  })

  test('a name without an address, and a DNS failure, have their own reasons', async () => {
    const client = world.client([], [80])
    world.dns.lay('empty.test', [])
    world.dns.lay('failing.test', 'broken')
    for (const name of ['unknown.test', 'empty.test', 'failing.test']) {
      expect(await reasonOf(client(`http://${name}/`))).toBe('dns_failed')
    }
  })

  test('a proxy of the environment is not used', async () => {
    const [listener, proxy] = [await receiver(ok), await receiver(ok)]
    world.dns.lay('direct.test', ['127.0.0.1'])
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
    try {
      await world.client([listener])(`http://direct.test:${listener.port}/`)
    } finally {
      for (const name of names) delete process.env[name]
    }
    expect([listener.requests.length, proxy.connections()]).toEqual([1, 0])
  })
})

describe('redirects', () => {
  /** A door that answers as said, and a client that reaches it and what is public on the ports. */
  async function behind(answer: Answering, ports: readonly number[] = [], more: Receiver[] = []) {
    const door = await receiver(answer)
    world.dns.lay('door.test', ['127.0.0.1'])
    const fetch = world.client([door, ...more], ports)
    return { door, fetch, url: `http://door.test:${door.port}/start` }
  }

  test('are checked like the first URL', async () => {
    const listener = await receiver(ok)
    const { port } = listener
    world.dns.lay('evil.test', ['0.0.0.0'])
    const reasons = {
      'http://169.254.169.254/latest/meta-data/': 'blocked_address',
      [`http://127.0.0.1:${port}/`]: 'blocked_address',
      [`http://0.0.0.0:${port}/`]: 'blocked_address',
      [`//0x7f.1:${port}/`]: 'blocked_address',
      [`http://[::ffff:127.0.0.1]:${port}/`]: 'blocked_address',
      [`http://evil.test:${port}/`]: 'blocked_address',
      [`http://user@evil.test:${port}/`]: 'blocked_credentials',
      'http://evil.test:22/': 'blocked_port',
      'gopher://evil.test/': 'blocked_scheme',
      'http://[': 'invalid_url',
    }
    for (const [location, reason] of Object.entries(reasons)) {
      const { fetch, url, door } = await behind(redirectTo(location), [80, port])
      expect([location, await reasonOf(fetch(url))]).toEqual([location, reason])
      expect(door.requests).toHaveLength(1)
    }
    expect(listener.connections()).toBe(0)
  })

  test('are resolved again at every hop', async () => {
    const { door, fetch, url } = await behind((response, { url: path }) =>
      response.writeHead(302, { location: path === '/start' ? '/next' : '/end' }).end(),
    )
    world.dns.lay('door.test', ['127.0.0.1'], ['127.0.0.1'], ['0.0.0.0'])
    expect(await reasonOf(fetch(url))).toBe('blocked_address')
    expect(door.requests.map(({ url: path }) => path)).toEqual(['/start', '/next'])
  })

  test('are followed three times and not a fourth', async () => {
    const countdown: Answering = (response, { url: path }) => {
      const left = Number(path.slice(1))
      if (left === 0) response.end('arrived')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    }
    const { door, fetch, url } = await behind(countdown)
    const arrived = await fetch(new URL('/3', url).href)
    expect([arrived.body.toString(), new URL(arrived.url).pathname]).toEqual(['arrived', '/0'])
    expect(door.requests).toHaveLength(4)
    expect(await reasonOf(fetch(new URL('/4', url).href))).toBe('too_many_redirects')
    expect(door.requests).toHaveLength(8)
    const wish = { max_redirects: 9 }
    expect(await reasonOf(fetch(new URL('/4', url).href, wish))).toBe('too_many_redirects')
    const answer = await fetch(new URL('/3', url).href, { max_redirects: 0 })
    expect([answer.status, answer.headers.location]).toEqual([302, '/2'])
  })

  test('repeat a POST whole by 307 and 308, and not at all by 301 to 303', async () => {
    for (const status of [307, 308]) {
      const target = await receiver(ok)
      const location = `http://door.test:${target.port}/there`
      const { fetch, url } = await behind(redirectTo(location, status), [], [target])
      const headers = { 'webhook-id': 'e1', authorization: 'Bearer secret', Cookie: 'a=b' }
      const { body } = await fetch(url, { method: 'POST', body: 'payload', headers })
      expect(body.toString()).toBe('ok')
      const [request] = target.requests
      expect([request?.method, request?.body]).toEqual(['POST', 'payload'])
      expect(request?.headers).toMatchObject({
        'webhook-id': 'e1',
        host: `door.test:${target.port}`,
      })
      // Another origin: what was meant for the first one stays there.
      expect(request?.headers).not.toHaveProperty('authorization')
      expect(request?.headers).not.toHaveProperty('cookie')
    }
    for (const status of [301, 302, 303]) {
      const { fetch, url, door } = await behind(redirectTo('/there', status))
      expect((await fetch(url, { method: 'POST', body: 'payload' })).status).toBe(status)
      expect(door.requests).toHaveLength(1)
    }
  })

  test('without a location are an answer', async () => {
    const { fetch, url } = await behind(response => response.writeHead(302).end('where?'))
    expect(await fetch(url)).toMatchObject({ status: 302 })
  })
})

describe('TLS', () => {
  const certificate = makeCertificate(['secure.test'])
  const before = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...before, certificate.cert]))
  afterAll(() => setDefaultCACertificates(before))

  test('checks the name although the connection goes to an address, and never steps down', async () => {
    const plain = await receiver(ok)
    const location = `http://secure.test:${plain.port}/`
    const secure = world.keep(await openReceiver(redirectTo(location), certificate))
    world.dns.lay('secure.test', ['127.0.0.1'])
    world.dns.lay('other.test', ['127.0.0.1'])
    const fetch = world.client([plain, secure])
    const url = `https://secure.test:${secure.port}/`
    const answer = await fetch(url, { max_redirects: 0 })
    expect(answer.status).toBe(307)
    expect(secure.requests[0]?.headers.host).toBe(`secure.test:${secure.port}`)
    expect(await reasonOf(fetch(url))).toBe('blocked_redirect')
    expect(plain.connections()).toBe(0)
    expect(await reasonOf(fetch(`https://other.test:${secure.port}/`))).toBe('tls_failed')
    expect(await reasonOf(fetch(`https://127.0.0.1:${secure.port}/`))).toBe('tls_failed')
    expect(await reasonOf(fetch(`https://secure.test:${plain.port}/`))).toBe('tls_failed')
    expect(secure.requests).toHaveLength(2)
  })

  test('a certificate without a trusted issuer is refused', async () => {
    const unknown = makeCertificate(['secure.test'])
    const secure = world.keep(await openReceiver(ok, unknown))
    world.dns.lay('secure.test', ['127.0.0.1'])
    const url = `https://secure.test:${secure.port}/`
    expect(await reasonOf(world.client([secure])(url))).toBe('tls_failed')
    expect(secure.requests).toHaveLength(0)
  })
})
