/** One address for two cells: requests find the cell of their tenant, also after a move. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openRouter, type Router } from '../../src/runtime/cells/router.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Member } from '../product-world.ts'
import { call, newKey, type Ask } from '../world.ts'
import { openCells, type Cell } from './cells.ts'

let first: Cell
let second: Cell
let router: Router
let url: string
beforeAll(async () => {
  ;[first, second] = await openCells()
  router = await openRouter({ cells: [first.url, second.url], host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${router.port}`
})
afterAll(async () => {
  await router.close()
  await Promise.all([first.close(), second.close()])
})

const ask = (who: Pick<Member, 'token'>, method: string, path: string, more: Ask = {}) =>
  call(url, method, path, { token: who.token, ...more })

async function shorten(who: Pick<Member, 'token'>): Promise<string> {
  const body = { destination_url: `https://www.example.com/${newId()}` }
  const answer = await ask(who, 'POST', '/v1/links', { key: newKey(), body })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.code as string
}

test('a request reaches the cell that knows its credential, and the router learns it', async () => {
  const [here, there] = [await first.member(), await second.member()]
  for (const who of [here, there]) {
    const me = await ask(who, 'GET', '/v1/me')
    expect([me.status, me.body.id]).toEqual([200, who.id])
  }
  const before = router.searched()
  for (let turn = 0; turn < 3; turn++) await ask(there, 'GET', '/v1/me')
  expect(router.searched()).toBe(before)
  expect((await ask({ token: 'unknown' }, 'GET', '/v1/me')).status).toBe(401)
})

test('a log-in and a short link, which name no tenant, are found', async () => {
  const there = await second.member()
  const { email, password, tenant } = there
  const body = { email, password, tenant: tenant.slug }
  const login = await call(url, 'POST', '/v1/sessions', { body })
  expect([login.status, login.body.account_id]).toEqual([201, there.id])
  const wrong = await call(url, 'POST', '/v1/sessions', { body: { ...body, password: 'no' } })
  expect(wrong.status).toBe(401)
  const code = await shorten(there)
  const followed = await call(url, 'GET', `/${code}`, { headers: { host: 'dodeca.test' } })
  expect(followed.status).toBe(302)
  expect((await call(url, 'GET', '/nothing-here')).status).toBe(404)
})

test('a session goes on in the cell to which its tenant was moved', async () => {
  const who = await first.member()
  const code = await shorten(who)
  const move = {
    from: first.place,
    to: second.place,
    cell_url: second.url,
    scratch: first.data_dir,
  }
  await moveTenant(move, who.tenant.slug)
  const { session_id, refresh_token } = who
  // The cell signs with other keys: the client refreshes its session, as after five minutes.
  expect((await ask(who, 'GET', '/v1/me')).status).toBe(401)
  const path = `/v1/sessions/${session_id}/refresh`
  const refreshed = await call(url, 'POST', path, { body: { refresh_token } })
  expect(refreshed.status, refreshed.text).toBe(200)
  const now = { token: refreshed.body.access_token as string }
  expect((await ask(now, 'GET', `/v1/links/${code}`)).body.code).toBe(code)
  expect((await call(url, 'GET', `/${code}`)).status).toBe(302)
})

test('a socket opens in the cell of its tenant', async () => {
  const who = await second.member()
  const { body } = await ask(who, 'GET', '/v1/realtime-token')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?token=${body.token}`)
  await once(socket, 'open')
  expect(socket.readyState).toBe(WebSocket.OPEN)
  socket.close()
  await once(socket, 'close')
})

test('a cell that does not answer is 503 for its own tenants only', async () => {
  const apart = await openRouter({
    cells: [first.url, 'http://127.0.0.1:9'],
    host: '127.0.0.1',
    port: 0,
  })
  const here = await first.member()
  const answer = await call(`http://127.0.0.1:${apart.port}`, 'GET', '/v1/me', here)
  expect(answer.status).toBe(200)
  const lost = await call(`http://127.0.0.1:${apart.port}`, 'GET', '/v1/me', { token: 'other' })
  expect([lost.status, lost.body.code]).toEqual([503, 'service_unavailable'])
  await apart.close()
})
