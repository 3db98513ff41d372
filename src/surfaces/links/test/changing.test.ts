/** What an owner may do with a link afterwards, what others see of it, lists and pictures. */
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { expireLinks } from '../shortening/expire-links.ts'
import { newId } from '../../../kernel/ids.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld({ LINKS_CREATES_PER_MINUTE: '10000' })
})
afterAll(() => world.close())

const alias = () => `c-${newId().slice(-12)}`

async function made(body: object = {}): Promise<{ who: Member; code: string; path: string }> {
  const who = await world.member()
  const answer = await world.shorten(who, body)
  expect(answer.status, answer.text).toBe(201)
  return { who, code: answer.body.code, path: `/v1/links/${answer.body.code}` }
}

const patch = (who: Member, path: string, body: object, headers: Record<string, string> = {}) =>
  world.call('PATCH', path, { token: who.token, body, headers })

describe.concurrent('a change', () => {
  test('of everything at once is one version, and says so', async () => {
    const { who, path, code } = await made()
    const change = {
      destination_url: 'https://www.example.org/new',
      expires_at: '2031-01-01T00:00:00.000Z',
      title: 'New',
      max_clicks: 7,
    }
    const { status, body, headers } = await patch(who, path, {
      ...change,
      policy: { query: 'append' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...change,
      remaining_clicks: 7,
      destination_version: 2,
      version: 2,
    })
    expect(body.policy).toMatchObject({ query: 'append', redirect_status: 302 })
    expect(headers.get('etag')).toBe('"2"')
    expect(await world.told({ code })).toEqual(['link.created', 'link.updated'])
  })

  test('that changes nothing spends no version', async () => {
    const { who, path, code } = await made({ expires_at: '2031-01-01T00:00:00Z' })
    const same = {
      destination_url: 'HTTPS://www.example.com',
      expires_at: '2031-01-01T01:00:00+01:00',
      title: null,
      state: 'active',
    }
    const { status, body } = await patch(who, path, same)
    expect([status, body.version, body.destination_version]).toEqual([200, 1, 1])
    expect(await world.told({ code })).toEqual(['link.created'])
  })

  test('of a stale version is refused, and of two at once one is', async () => {
    const { who, path } = await made()
    const two = await Promise.all(
      ['a', 'b'].map(title => patch(who, path, { title }, { 'if-match': '"1"' })),
    )
    expect(two.map(({ status }) => String(status)).sort()).toEqual(['200', '412'])
    const stale = two.find(({ status }) => status === 412)
    expect([stale?.body.code, stale?.headers.get('etag')]).toEqual(['precondition_failed', '"2"'])
  })

  test.each([
    [{ code: 'other' }, 'validation_failed'],
    [{ domain: 'dodeca.test' }, 'validation_failed'],
    [{ destination_url: 'http://10.0.0.1/' }, 'destination_not_allowed'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at_invalid'],
    [{ policy: { redirect_status: 301 }, max_clicks: 2 }, 'redirect_status_unsafe'],
    [{ state: 'deleted' }, 'validation_failed'],
  ])('like %j is refused', async (body, code) => {
    const { who, path } = await made()
    const answer = await patch(who, path, body)
    expect([answer.status, answer.body.code]).toEqual([422, code])
    const read = await world.call('GET', path, { token: who.token })
    expect(read.body.version).toBe(1)
  })

  test('of the number of clicks keeps those that were used', async () => {
    const { who, path, code } = await made({ max_clicks: 5 })
    await world.platform.kernel.db.run(sql`
      -- any tenant: this test's link
      update links.links set remaining_clicks = 2 where code = ${code}`)
    expect((await patch(who, path, { max_clicks: 10 })).body.remaining_clicks).toBe(7)
    expect((await patch(who, path, { max_clicks: 2 })).body.remaining_clicks).toBe(0)
    expect((await patch(who, path, { max_clicks: null })).body.remaining_clicks).toBeNull()
  })

  test('to a suspicious destination puts the link back into its scan', async () => {
    const { who, path } = await made()
    const { body } = await patch(who, path, { destination_url: 'https://bit.ly/x' })
    expect(body).toMatchObject({ state: 'pending_scan', safety_state: 'suspicious' })
    const enabled = await patch(who, path, { state: 'active' })
    expect([enabled.status, enabled.body.code]).toEqual([409, 'invalid_transition'])
    const back = await patch(who, path, { destination_url: 'https://www.example.com/' })
    expect(back.body).toMatchObject({
      state: 'active',
      safety_state: 'clean',
      destination_version: 3,
    })
  })

  test('off and on again', async () => {
    const { who, path, code } = await made()
    expect((await patch(who, path, { state: 'disabled' })).body.state).toBe('disabled')
    const moved = await patch(who, path, { destination_url: 'https://bit.ly/x' })
    expect(moved.body).toMatchObject({ state: 'disabled', safety_state: 'suspicious' })
    expect((await patch(who, path, { state: 'active' })).body.state).toBe('pending_scan')
    expect(await world.told({ code })).toEqual([
      'link.created',
      'link.disabled',
      'link.updated',
      'link.enabled',
    ])
  })
})

describe('the time', () => {
  test('ends a link, its label follows, and a new end wakes it', async () => {
    const strict = await openLinkWorld()
    try {
      const who = await strict.member()
      const ends = new Date(Date.now() + 120_000).toISOString()
      const { body } = await strict.shorten(who, { expires_at: ends })
      const path = `/v1/links/${body.code}`
      const ask = (method: string, change?: object) =>
        strict.call(method, path, { token: who.token, ...(change ? { body: change } : {}) })
      await strict.call('POST', '/dev/clock', { body: { offset_seconds: 121 } })
      expect((await ask('GET')).body).toMatchObject({ state: 'expired', version: 1 })
      await expireLinks(strict.deps, new AbortController().signal)
      expect((await ask('GET')).body).toMatchObject({ state: 'expired', version: 2 })
      for (const state of ['active', 'disabled']) {
        expect((await ask('PATCH', { state })).body.code).toBe('invalid_transition')
      }
      expect((await ask('PATCH', { title: 'still' })).body.state).toBe('expired')
      expect((await ask('PATCH', { expires_at: null })).body.state).toBe('active')
      expect(await strict.told({ code: body.code })).toEqual([
        'link.created',
        'link.expired',
        'link.updated',
        'link.updated',
      ])
    } finally {
      await strict.close()
    }
  })
})

describe.concurrent('a deleted link', () => {
  test('is gone for its owner, and its code is taken for ever', async () => {
    const wanted = alias()
    const { who, path, code } = await made({ alias: wanted })
    const gone = await world.call('DELETE', path, { token: who.token })
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await world.call('DELETE', path, { token: who.token })).status).toBe(204)
    for (const method of ['GET', 'PATCH'] as const) {
      const answer = await world.call(method, path, {
        token: who.token,
        ...(method === 'PATCH' ? { body: { title: 'x' } } : {}),
      })
      expect([answer.status, answer.body.code]).toEqual([404, 'link_not_found'])
    }
    const again = await world.shorten(who, { alias: wanted })
    expect([again.status, again.body.code]).toEqual([409, 'alias_taken'])
    expect(await world.told({ code })).toEqual(['link.created', 'link.deleted'])
  })

  test('is deleted once by ten who delete it at once', async () => {
    const { who, path, code } = await made()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.call('DELETE', path, { token: who.token })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 204))
    expect(await world.told({ code })).toEqual(['link.created', 'link.deleted'])
  })
})

describe.concurrent('somebody else', () => {
  test.each(['of the same tenant', 'of another tenant'])('%s finds no link', async whose => {
    const { who, path } = await made()
    const other = await world.member(whose === 'of the same tenant' ? who.tenant : undefined)
    const absent = await world.call('GET', '/v1/links/nothing-here', { token: other.token })
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { title: 'mine' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await world.call(method, path, {
        token: other.token,
        ...(body ? { body } : {}),
      })
      expect([answer.status, answer.body.code, answer.body.title]).toEqual([
        404,
        absent.body.code,
        absent.body.title,
      ])
    }
    expect((await world.call('GET', `${path}/qr`, { token: other.token })).status).toBe(404)
    const deleted = await world.call('DELETE', path, { token: who.token })
    expect(deleted.status).toBe(204)
    expect((await world.call('DELETE', path, { token: other.token })).status).toBe(404)
  })
})

describe.concurrent('the list', () => {
  test('shows each link once, newest first, over many pages', async () => {
    const who = await world.member()
    const links = Array.from({ length: 45 }, () => ({ destination_url: 'https://example.com/' }))
    const { body } = await world.call('POST', '/v1/links/batches', {
      token: who.token,
      body: { links },
    })
    const seen: string[] = []
    let next: string | null = '/v1/links?limit=10'
    while (next) {
      const page = await world.call('GET', next, { token: who.token })
      seen.push(...page.body.data.map((one: { code: string }) => one.code))
      next = page.body.next_cursor && `/v1/links?limit=10&cursor=${page.body.next_cursor}`
    }
    const codes = body.data.map((one: { code: string }) => one.code)
    expect(seen).toHaveLength(45)
    expect(new Set(seen)).toEqual(new Set(codes))
  })

  test('can be searched', async () => {
    const who = await world.member()
    const sale = await world.shorten(who, { title: 'Spring_sale 50%' })
    const other = await world.shorten(who, { destination_url: 'https://shop.example.org/autumn' })
    await world.call('PATCH', `/v1/links/${other.body.code}`, {
      token: who.token,
      body: { state: 'disabled' },
    })
    const found = async (query: string) => {
      const { body } = await world.call('GET', `/v1/links?${query}`, { token: who.token })
      return body.data.map((one: { code: string }) => one.code)
    }
    expect(await found('q=spring_')).toEqual([sale.body.code])
    expect(await found('q=50%25')).toEqual([sale.body.code])
    expect(await found('q=%25')).toEqual([sale.body.code])
    expect(await found('q=AUTUMN')).toEqual([other.body.code])
    expect(await found(`q=${sale.body.code}`)).toEqual([sale.body.code])
    expect(await found('state=disabled')).toEqual([other.body.code])
    expect(await found('state=active&domain=dodeca.test')).toEqual([sale.body.code])
    const foreign = await world.call('GET', '/v1/links?domain=no.example.com', { token: who.token })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'domain_not_found'])
  })
})

describe.concurrent('the picture', () => {
  test.each([
    [128, 'L', 0],
    [512, 'M', 4],
    [300, 'Q', 10],
    [2048, 'H', 1],
  ])('of %i pixels, correction %s and margin %i leads to the link', async (size, ec, margin) => {
    const { who, path, code } = await made()
    const answer = await fetch(
      `${world.url}${path}/qr?format=png&size=${size}&ec=${ec}&margin=${margin}`,
      { headers: { authorization: `Bearer ${who.token}` } },
    )
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    const { data, width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()))
    expect([width, height]).toEqual([size, size])
    const read = jsQR.default(new Uint8ClampedArray(data), width, height)
    expect(read?.data).toBe(`http://dodeca.test/${code}?s=qr`)
  })

  test('is drawn as SVG, and not sent again to whoever has it', async () => {
    const { who, path } = await made()
    const first = await world.call('GET', `${path}/qr`, { token: who.token })
    expect(first.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(first.text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="512"/)
    const etag = first.headers.get('etag') ?? ''
    const again = await world.call('GET', `${path}/qr`, {
      token: who.token,
      headers: { 'if-none-match': etag },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    const other = await world.call('GET', `${path}/qr?size=128`, { token: who.token })
    expect(other.headers.get('etag')).not.toBe(etag)
  })

  test.each(['size=127', 'size=2049', 'format=gif', 'ec=X', 'margin=11'])(
    'is not drawn with %s',
    async query => {
      const { who, path } = await made()
      const answer = await world.call('GET', `${path}/qr?${query}`, { token: who.token })
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    },
  )
})
