/** What an owner may do with a link afterwards, and what others see of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { expireLinks } from '../shortening/expire-links.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld({})
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
    expect(headers.get('etag')).toMatch(/^"2-/)
    expect(await world.eventTypes({ code })).toEqual(['link.created', 'link.updated'])
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
    expect(await world.eventTypes({ code })).toEqual(['link.created'])
  })

  test('of its code or domain is refused, and changes nothing else', async () => {
    const { who, path, code } = await made()
    const body = { code: 'another', domain: 'go.example.com', title: 'x' }
    const refused = await world.call('PATCH', path, { token: who.token, body })
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      422,
      'validation_failed',
      [
        { location: 'body', pointer: '/code', constraint: 'immutable' },
        { location: 'body', pointer: '/domain', constraint: 'immutable' },
      ],
    ])
    expect(refused.body.detail).toContain('stay as they are')
    const { body: read } = await world.call('GET', path, { token: who.token })
    expect([read.code, read.title, read.version]).toEqual([code, null, 1])
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
    expect(await world.eventTypes({ code })).toEqual([
      'link.created',
      'link.disabled',
      'link.updated',
      'link.enabled',
    ])
  })
})

describe('the time', () => {
  test('ends a link, its label follows, and a new end wakes it', async () => {
    const strict = await openLinkWorld({ ROLES: 'api', JOBS_CONCURRENCY: '' })
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
      expect(await strict.eventTypes({ code: body.code })).toEqual([
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
  test('is not mistaken for the alias with the same letters', async () => {
    const { who, path, code } = await made({ code_length: 32 })
    expect(code).not.toBe(code.toLowerCase())
    const other = await world.shorten(who, { alias: code.toLowerCase() })
    expect(other.status, other.text).toBe(201)
    expect((await world.call('DELETE', path, { token: who.token })).status).toBe(204)
    const read = await world.call('GET', path, { token: who.token })
    const changed = await patch(who, path, { title: 'Meant for the deleted one' })
    expect([read.body.code, changed.body.code]).toEqual(['link_not_found', 'link_not_found'])
  })

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
    expect(await world.eventTypes({ code })).toEqual(['link.created', 'link.deleted'])
  })

  test('is not applied to a link that another request changed meanwhile', async () => {
    const { who, path } = await made()
    await world.call('PATCH', path, { token: who.token, body: { title: 'kept' } })
    const remove = (tag: string) =>
      world.call('DELETE', path, { token: who.token, headers: { 'if-match': tag } })
    const stale = await remove('"1"')
    expect([stale.status, stale.body.code, stale.headers.get('etag')]).toEqual([
      412,
      'precondition_failed',
      '"2"',
    ])
    expect((await world.call('GET', path, { token: who.token })).body.title).toBe('kept')
    expect((await remove('"2"')).status).toBe(204)
    // A caller that did not get the first answer asks again with the same tag.
    expect((await remove('"2"')).status).toBe(204)
  })

  test('is deleted once by ten who delete it at once', async () => {
    const { who, path, code } = await made()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.call('DELETE', path, { token: who.token })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 204))
    expect(await world.eventTypes({ code })).toEqual(['link.created', 'link.deleted'])
  })
})

describe.concurrent('another member', () => {
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
