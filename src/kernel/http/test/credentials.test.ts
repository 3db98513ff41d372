/**
 * Access control: credentials, cookies from our own pages only, listed origins, grants, tenants.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/world.ts'

let world: World
let unlisted: World
beforeAll(async () => {
  world = await openWorld({ KERNEL_CORS_ORIGINS: 'https://shop.example' })
  unlisted = await openWorld()
})
afterAll(() => Promise.all([world.close(), unlisted.close()]))

async function writer() {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  return person
}

describe('credentials', () => {
  test('refuses what is absent, malformed or forged, each with a challenge', async () => {
    const ask = (headers: Record<string, string>) => world.call('GET', '/v1/notes', { headers })
    const none = await ask({})
    expect([none.status, none.body.code]).toEqual([401, 'authentication_required'])
    for (const authorization of ['Basic abc', 'Bearer', 'Bearer forged.token', 'Bearer a b']) {
      const answer = await ask({ authorization })
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_token'])
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })

  test('a cookie needs proof that our own page asks', async () => {
    const { token, principal } = await writer()
    const csrf = world.platform.kernel.csrf.tokenOf(principal.session_id ?? '')
    const post = (headers: Record<string, string>) =>
      world.call('POST', '/v1/notes', {
        body: { title: 'x' },
        headers: { cookie: `at=${token}`, ...headers },
      })
    expect(
      (await world.call('GET', '/v1/notes', { headers: { cookie: `at=${token}` } })).status,
    ).toBe(200)
    expect((await post({})).body.code).toBe('csrf_failed')
    expect((await post({ 'x-csrf-token': csrf })).body.code).toBe('csrf_failed')
    expect((await post({ 'x-csrf-token': csrf, origin: 'https://evil.example' })).body.code).toBe(
      'csrf_failed',
    )
    expect((await post({ 'x-csrf-token': csrf, origin: 'http://dodeca.test' })).status).toBe(201)
    expect(
      (await post({ 'x-csrf-token': 'x'.repeat(43), origin: 'http://dodeca.test' })).status,
    ).toBe(403)
  })

  test('a page of a listed origin may write with cookies', async () => {
    const { token, principal } = await writer()
    const csrf = world.platform.kernel.csrf.tokenOf(principal.session_id ?? '')
    const post = (origin: string, more: Record<string, string> = {}) =>
      world.call('POST', '/v1/notes', {
        body: { title: 'x' },
        headers: { cookie: `at=${token}`, 'sec-fetch-site': 'same-site', origin, ...more },
      })
    const proof = { 'x-csrf-token': csrf }
    expect((await post('https://shop.example', proof)).status).toBe(201)
    expect((await post('https://shop.example')).body.code).toBe('csrf_failed')
    expect((await post('https://other.example', proof)).body.code).toBe('csrf_failed')
  })

  test('in development without a list, pages of this machine read without cookies', async () => {
    const ask = async (origin: string, where = unlisted) => {
      const { headers } = await where.call('OPTIONS', '/v1/notes', {
        headers: { origin, 'access-control-request-method': 'POST' },
      })
      const allowed = headers.get('access-control-allow-origin')
      return [allowed, headers.get('access-control-allow-credentials')]
    }
    const here = ['localhost:5173', '127.0.0.1:3000', '[::1]:80', 'app.localhost:5173', 'localhost']
    for (const host of here) {
      expect(await ask(`http://${host}`)).toEqual([`http://${host}`, null])
      expect(await ask(`http://${host}`, world)).toEqual([null, null])
    }
    for (const origin of [
      'http://localhost.evil.example',
      'http://evil.example:5173',
      'http://127.0.0.1.evil.example',
      'http://localhost:5173.evil.example',
      'http://user@localhost:5173',
      'null',
    ]) {
      expect(await ask(origin)).toEqual([null, null])
    }
    const person = unlisted.person()
    await unlisted.grant(person, 'notes.notes.write:*')
    const csrf = unlisted.platform.kernel.csrf.tokenOf(person.principal.session_id ?? '')
    const headers = {
      cookie: `at=${person.token}`,
      origin: 'http://localhost:5173',
      'x-csrf-token': csrf,
    }
    for (const site of [{}, { 'sec-fetch-site': 'same-site' }]) {
      const body = { title: 'x' }
      const answer = await unlisted.call('POST', '/v1/notes', {
        body,
        headers: { ...headers, ...site },
      })
      expect(answer.body.code).toBe('csrf_failed')
    }
  })

  test('lets only the listed origins read', async () => {
    const listed = await world.call('OPTIONS', '/v1/notes', {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    })
    expect(listed.headers.get('access-control-allow-origin')).toBe('https://shop.example')
    const other = await world.call('OPTIONS', '/v1/notes', {
      headers: { origin: 'https://evil.example' },
    })
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('narrows a permission to the type that the body names', async () => {
    const person = world.person()
    await world.grant(person, 'notes.notes.write:poem')
    const write = (kind: string) =>
      world.call('POST', '/v1/notes', { token: person.token, body: { title: 'x', kind } })
    expect((await write('poem')).status).toBe(201)
    expect((await write('law')).body.code).toBe('permission_denied')
    await world.faces.people.revoke(person.principal, 'notes.notes.write:poem')
    expect((await write('poem')).body.code).toBe('permission_denied')
  })

  test('shows another tenant nothing', async () => {
    const { token } = await writer()
    const note = await world.call('POST', '/v1/notes', { token, body: { title: 'mine' } })
    const stranger = world.person()
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await world.call(method, `/v1/notes/${note.body.id}`, {
        token: stranger.token,
        ...(method === 'PATCH' ? { body: { title: 'y' } } : {}),
      })
      expect([answer.status, answer.body.code]).toEqual([404, 'note_not_found'])
    }
  })
})
