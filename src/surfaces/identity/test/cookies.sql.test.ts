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

test('cookies carry the tokens, and the CSRF token is demanded', async () => {
  const member = await world.member()
  const login = await world.login(member, { delivery: 'cookie' })
  expect(login.status).toBe(201)
  expect(login.body).not.toHaveProperty('access_token')
  expect(login.body).not.toHaveProperty('refresh_token')
  const { csrf_token, session_id } = login.body
  const cookie = jar(login.headers)
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
