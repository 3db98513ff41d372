/** What a visitor is answered, by state, by policy and by method, and how long others may keep it. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { firstLine } from './raw-http.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
let owner: Member
beforeAll(async () => {
  world = await openLinkWorld()
  owner = await world.member()
})
afterAll(() => world.close())

const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  world.call(method, path, { headers })

async function link(more: object = {}): Promise<string> {
  const made = await world.shorten(owner, more)
  expect(made.status).toBe(201)
  return made.body.code as string
}

describe('a redirect', () => {
  test('is the same from memory as from the database', async () => {
    const code = await link({ destination_url: 'https://www.example.com/a?b=c#d' })
    const first = await visit(`/${code}`)
    const second = await visit(`/${code}?utm=1`)
    for (const { status, headers, text } of [first, second]) {
      expect([status, text, headers.get('location')]).toEqual([
        302,
        '',
        'https://www.example.com/a?b=c#d',
      ])
      expect(headers.get('cache-control')).toBe('private, no-store, max-age=0')
      expect(headers.get('referrer-policy')).toBe('no-referrer-when-downgrade')
      expect(headers.get('x-robots-tag')).toBe('noindex')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('etag')).toBeNull()
    }
    expect(first.headers.get('x-request-id')).not.toBeNull()
    // Only the way through the database has one: the second came from memory.
    expect(second.headers.get('x-request-id')).toBeNull()
  })

  test.for([301, 302, 307, 308])('answers %i where its owner says so', async status => {
    const code = await link({ policy: { redirect_status: status } })
    expect((await visit(`/${code}`)).status).toBe(status)
    expect((await visit(`/${code}`)).status).toBe(status)
  })

  test('may be kept as long as its owner says, and at the edge', async () => {
    const policy = { cache_seconds: 120, edge_cache_seconds: 600 }
    const { headers } = await visit(`/${await link({ policy })}`)
    expect(headers.get('cache-control')).toBe('private, max-age=120')
    expect(headers.get('cdn-cache-control')).toBe('max-age=600')
    expect(headers.get('surrogate-key')).toMatch(/^link-[0-9a-f-]{36} domain-[0-9a-f-]{36}$/)
  })

  test('that is counted is never cached, whatever its owner says', async () => {
    const policy = { cache_seconds: 120, edge_cache_seconds: 600 }
    const code = await link({ max_clicks: 2, policy })
    for (let visits = 0; visits < 2; visits++) {
      const { status, headers } = await visit(`/${code}`)
      expect([status, headers.get('cache-control')]).toEqual([302, 'private, no-store, max-age=0'])
      expect([headers.get('cdn-cache-control'), headers.get('surrogate-key')]).toEqual([null, null])
    }
  })

  test('many uncached codes at once each lead to their own destination', async () => {
    const links = Array.from({ length: 100 }, (_, n) => ({
      destination_url: `https://www.example.com/${n}`,
    }))
    const { body } = await world.call('POST', '/v1/links/batches', {
      token: owner.token,
      body: { links },
    })
    const made = body.data as { code: string; destination_url: string }[]
    const absent = ['nobody-1', 'nobody-2'].map(code => ({ code, destination_url: null }))
    const asked = [...made, ...made, ...absent]
    const visits = await Promise.all(asked.map(({ code }) => visit(`/${code}`)))
    expect(visits.map(({ headers }) => headers.get('location'))).toEqual(
      asked.map(({ destination_url }) => destination_url),
    )
  })

  test('passes the query on where its owner says so', async () => {
    const code = await link({
      destination_url: 'https://www.example.com/?a=1#end',
      policy: { query: 'append' },
    })
    for (let visits = 0; visits < 2; visits++) {
      const { headers } = await visit(`/${code}?b=2&c=%20x`)
      expect(headers.get('location')).toBe('https://www.example.com/?a=1&b=2&c=%20x#end')
    }
  })

  test('finds an alias whatever its capitals, and a random code only as it is', async () => {
    const alias = `al-${newId().slice(-12)}`
    await link({ alias })
    for (let visits = 0; visits < 2; visits++) {
      expect((await visit(`/${alias.toUpperCase()}`)).status).toBe(302)
    }
    const code = await link()
    const other = code.replace(/[a-z]/i, sign =>
      sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase(),
    )
    expect([code !== other, (await visit(`/${other}`)).status]).toEqual([true, 404])
  })

  test('answers HEAD without a body, and no other method', async () => {
    const code = await link()
    for (let visits = 0; visits < 2; visits++) {
      const head = await visit(`/${code}`, {}, 'HEAD')
      expect([head.status, head.headers.get('location')]).toEqual([302, 'https://www.example.com/'])
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await visit(`/${code}`, {}, method)
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
  })

  test('is found under its escaped spelling, once decoded', async () => {
    const code = await link()
    const escaped = `%${code.charCodeAt(0).toString(16)}${code.slice(1)}`
    expect((await visit(`/${escaped}`)).status).toBe(302)
    expect((await visit(`/${escaped.replace('%', '%25')}`)).status).toBe(404)
    expect((await visit(`/${code}/`)).status).toBe(404)
    expect(
      await firstLine(
        world.url,
        `GET /${code}%zz HTTP/1.1\r\nHost: dodeca.test\r\nConnection: close\r\n\r\n`,
      ),
    ).toBe('HTTP/1.1 404 Not Found')
  })
})

describe('no redirect', () => {
  const refusals = [
    ['link_not_found', async () => `nope${newId().slice(-8)}`],
    [
      'link_disabled',
      async () => {
        const code = await link()
        await world.call('PATCH', `/v1/links/${code}`, {
          token: owner.token,
          body: { state: 'disabled' },
        })
        return code
      },
    ],
    [
      'link_not_found',
      async () => {
        const code = await link()
        await world.call('DELETE', `/v1/links/${code}`, { token: owner.token })
        return code
      },
    ],
    [
      'link_expired',
      async () => {
        const code = await link()
        await world.platform.kernel.db.run(sql`
          -- any tenant: a test ends its own link
          update links.links set expires_at = kernel.now() - interval '1 ms' where code = ${code}`)
        return code
      },
    ],
  ] as const

  test.for(refusals)('%s', async ([reason, make]) => {
    const code = await make()
    for (let visits = 0; visits < 2; visits++) {
      const { status, headers, body } = await visit(`/${code}`)
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        404,
        'application/problem+json',
        'no-store',
      ])
      expect(body).toMatchObject({ code: reason, status: 404, instance: `/${code}` })
      expect(body.request_id).toBe(headers.get('x-request-id'))
    }
    const page = await visit(`/${code}`, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test.for(['image/avif,image/webp', 'application/pdf', 'text/plain'])(
    'is refused for want of %s',
    async accept => {
      expect((await visit(`/${await link()}`, { accept })).status).toBe(302)
      expect((await visit(`/nope${newId().slice(-8)}`, { accept })).status).toBe(404)
    },
  )
})

describe('a preview', () => {
  test('shows where a link leads, and is not a click', async () => {
    const code = await link()
    const { status, body } = await visit(`/${code}+`)
    expect([status, body]).toEqual([
      200,
      {
        short_url: `http://dodeca.test/${code}`,
        destination_url: 'https://www.example.com/',
        created_at: expect.stringMatching(/Z$/),
        safety_state: expect.any(String),
      },
    ])
    const page = await visit(`/${code}+`, { accept: 'text/html' })
    expect([page.status, page.text.includes('https://www.example.com/')]).toEqual([200, true])
    expect((await visit(`/${code}`)).status).toBe(302)
    await eventually('the click is stored', async () => (await clicksOn(code)) > 0)
    expect(await clicksOn(code)).toBe(1)
  })

  test('is published as it is answered', async () => {
    const { body } = await visit('/openapi.json')
    const { content } = body.paths['/{code}'].get.responses['200']
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/LinkPreview' })
    expect(body.components.schemas.LinkPreview.required).toContain('destination_url')
  })

  test('is blocked with its link while that waits for its scan', async () => {
    const destination_url = 'https://xn--pple-43d.com/'
    const statuses = async (scan: string) => {
      const code = await link({ destination_url, policy: { scan } })
      return [(await visit(`/${code}`)).status, (await visit(`/${code}+`)).status]
    }
    expect(await statuses('block')).toEqual([404, 404])
    expect(await statuses('warn')).toEqual([200, 200])
    // `allow` holds for a destination that is not checked yet, and not for a suspicious one.
    expect(await statuses('allow')).toEqual([200, 200])
  })

  test('does not give away where a counted link leads', async () => {
    const code = await link({ max_clicks: 1 })
    expect((await visit(`/${code}+`)).status).toBe(404)
    const page = await visit(`/${code}+`, { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect([(await visit(`/${code}`)).status, (await visit(`/${code}`)).body.code]).toEqual([
      302,
      'link_exhausted',
    ])
  })
})

test.each([
  ['a HEAD request', 'HEAD', {}],
  ['a messenger that makes a preview', 'GET', { 'user-agent': 'Slackbot-LinkExpanding 1.0' }],
  ['a prefetch', 'GET', { 'sec-purpose': 'prefetch' }],
])('%s uses up a click, because it gets the destination', async (_who, method, headers) => {
  const code = await link({ max_clicks: 1 })
  const first = await world.call(method, `/${code}`, { headers })
  expect([first.status, first.headers.has('location')]).toEqual([302, true])
  expect((await visit(`/${code}`)).body.code).toBe('link_exhausted')
})

test('of 100 at once only one follows a link that may be followed once', async () => {
  const code = await link({ max_clicks: 1 })
  const answers = await Promise.all(Array.from({ length: 100 }, () => visit(`/${code}`)))
  const followed = answers.filter(({ status }) => status === 302)
  const refused = answers.filter(({ body }) => body?.code === 'link_exhausted')
  expect([followed.length, refused.length]).toEqual([1, 99])
})

async function clicksOn(code: string): Promise<number> {
  const { clicks } = await world.platform.kernel.db.one(
    Type.Object({ clicks: Type.Integer() }),
    sql`select count(*) as clicks from links.click_events where code = ${code}`,
  )
  return clicks
}
