/** A browser's session lives in cookies that scripts cannot read, and unsafe requests show a CSRF token. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'

const world = await openProductWorld()
const secure = await openProductWorld({ PUBLIC_URL: 'https://dodeca.test' })
afterAll(() => Promise.all([world.close(), secure.close()]))

function jar(headers: Headers): string {
  return headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ')
}

test('cookies carry the tokens, and the CSRF token is required', async () => {
  const member = await world.member()
  const login = await world.login(member, { delivery: 'cookie' })
  expect(login.status).toBe(201)
  expect(login.body).not.toHaveProperty('access_token')
  expect(login.body).not.toHaveProperty('refresh_token')
  const { csrf_token, session_id } = login.body
  const cookie = jar(login.headers)
  const readable = login.headers.getSetCookie().filter(one => !one.includes('HttpOnly'))
  expect(readable).toEqual([expect.stringMatching(/^logged-in=1; Path=\/console; /)])
  const same = { cookie, 'sec-fetch-site': 'same-origin' }
  const read = await world.call('GET', '/v1/me', { headers: { cookie } })
  expect(read.body.id).toBe(member.id)
  const path = `/v1/sessions/${session_id}/refresh`
  const bare = await world.call('POST', path, { headers: same })
  expect(bare.body.code).toBe('csrf_failed')
  const cross = await world.call('POST', path, {
    headers: { cookie, 'x-csrf-token': csrf_token, 'sec-fetch-site': 'cross-site' },
  })
  expect(cross.body.code).toBe('csrf_failed')
  const headers = { ...same, 'x-csrf-token': csrf_token }
  const refreshed = await world.call('POST', path, { headers })
  expect(refreshed.status).toBe(200)
  expect(refreshed.body.csrf_token).toBe(csrf_token)
  expect(jar(refreshed.headers)).not.toBe(cookie)
  const out = await world.call('DELETE', `/v1/sessions/${session_id}`, { headers })
  expect(out.status).toBe(204)
  expect(out.headers.getSetCookie().every(one => one.includes('Max-Age=0'))).toBe(true)
  const again = await world.call('DELETE', `/v1/sessions/${session_id}`, { headers })
  expect(again.status).toBe(204)
})

test('over https the cookies are Secure and say so in their names', async () => {
  const member = await secure.member()
  const { headers } = await secure.login(member, { delivery: 'cookie' })
  const [access = '', refresh = ''] = headers.getSetCookie()
  expect(access).toMatch(/^__Secure-at=.*; Path=\/v1; .*HttpOnly; SameSite=Lax; Secure$/)
  expect(refresh).toMatch(
    /^__Secure-rt=.*; Path=\/v1\/sessions; .*HttpOnly; SameSite=Strict; Secure$/,
  )
})

test('a page that is reloaded gets its CSRF token again, and a page of another site does not', async () => {
  const member = await world.member()
  const login = await world.login(member, { delivery: 'cookie' })
  const { csrf_token, session_id } = login.body
  const cookie = jar(login.headers)
  const read = (headers: Record<string, string>) =>
    world.call('GET', '/v1/sessions/current', { headers })
  const own = await read({ cookie, 'sec-fetch-site': 'same-origin' })
  expect(own.body).toMatchObject({ csrf_token, session_id, account_id: member.id })
  expect(own.headers.get('cache-control')).toBe('no-store')
  expect(own.headers.get('access-control-allow-origin')).toBeNull()
  for (const site of ['cross-site', 'same-site']) {
    expect((await read({ cookie, 'sec-fetch-site': site })).body.code).toBe('csrf_failed')
  }
  const foreign = await read({ cookie, origin: 'https://attacker.test' })
  expect(foreign.body.code).toBe('csrf_failed')
  expect((await read({})).status).toBe(401)

  // The access token has expired, so only the refresh cookie is left.
  const left = cookie.split('; ').find(one => one.startsWith('rt=')) ?? ''
  const rest = await read({ cookie: left, 'sec-fetch-site': 'same-origin' })
  expect(rest.body).toMatchObject({ csrf_token, session_id })
  const headers = { cookie: left, 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrf_token }
  const path = `/v1/sessions/${session_id}/refresh`
  expect((await world.call('POST', path, { headers })).status).toBe(200)
  expect((await read({ cookie: left })).status).toBe(401)

  const bearer = await read({ authorization: `Bearer ${member.token}` })
  expect(bearer.body.session_id).toBe(member.session_id)
  expect(bearer.body).not.toHaveProperty('csrf_token')
})
