/** One address for two cells: requests find the cell of their tenant, also after a move. */
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { for_callers, openRouter, type Router } from '../../src/runtime/cells/router.ts'
import { hold, release } from '../../src/runtime/tenants/hold.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import { onPlace } from '../../src/runtime/tenants/place.ts'
import { tenantTables } from '../../src/runtime/tenants/tables.ts'
import { newId } from '#dodeca/kernel'
import type { Member } from '../product-world.ts'
import { call, eventually, newKey, type Ask } from '../world.ts'
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

test('files of each cell are sent and read by signed URLs, also long ones', async () => {
  const here = (signed: string) => url + new URL(signed).pathname + new URL(signed).search
  for (const who of [await first.member(), await second.member()]) {
    for (const bytes of [randomBytes(100), randomBytes(3 * 1024 * 1024)]) {
      const checksum = `sha256:${hash('sha256', bytes, 'hex')}`
      const order = { expected_size: bytes.length, checksum, media_category: 'any' }
      const body = { ...order, purpose: 'generic' }
      const begun = await ask(who, 'POST', '/v1/uploads', { key: newKey(), body })
      const { id, upload_url } = begun.body
      const sent = await fetch(here(upload_url), { method: 'PUT', body: new Uint8Array(bytes) })
      expect(sent.status, await sent.text()).toBe(200)
      const done = await ask(who, 'POST', `/v1/uploads/${id}/complete`, { key: newKey(), body: {} })
      const path = `/v1/files/${done.body.file_id}/download-url`
      const signed = await eventually('the file can be read', async () => {
        const { status, body: found } = await ask(who, 'GET', path)
        return status === 200 && (found.url as string)
      })
      const read = await fetch(here(signed))
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
    }
  }
})

test('a long body without a right is refused, and the next request is served', async () => {
  const refused = await fetch(`${url}/_objects/u/${newId()}/1?exp=1&kid=k1&sig=x`, {
    method: 'PUT',
    body: new Uint8Array(3 * 1024 * 1024),
  })
  expect(refused.status).toBe(403)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

test('a forgotten password is mailed by the cell of the account', async () => {
  for (const cell of [first, second]) {
    const { email, tenant } = await cell.member()
    const body = { email, tenant: tenant.slug }
    const asked = await call(url, 'POST', '/v1/password-reset-requests', { body })
    expect(asked.status).toBe(202)
    await eventually('the mail waits', async () => {
      return (await cell.mails(email)).some(mail => mail.template === 'reset_password')
    })
  }
})

test('a public operation that depends on its caller is served by the cell of the caller', async () => {
  const routes = second.platform.routes.filter(one => one.takes === 'optional')
  expect(routes.length).toBeGreaterThan(0)
  for (const { path } of routes) {
    expect(
      for_callers.some(one => one.test(path.replaceAll(/\{[a-z_]+\}/g, 'x'))),
      path,
    ).toBe(true)
  }
  const there = await second.member()
  const fresh = await openRouter({ cells: [first.url, second.url], host: '127.0.0.1', port: 0 })
  onTestFinished(() => fresh.close())
  const at = `http://127.0.0.1:${fresh.port}`
  const asked = await call(at, 'GET', '/v1/products', { token: there.token })
  const anonymous = await call(at, 'GET', '/v1/products')
  // Only the reply to a known caller is not stored.
  expect([asked.status, asked.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(anonymous.headers.get('cache-control')).not.toBe('no-store')
})

test('a browser with cookies of one cell follows a link of the other', async () => {
  const [here, there] = [await first.member(), await second.member()]
  const code = await shorten(there)
  const headers = { cookie: `at=${here.token}` }
  expect((await call(url, 'GET', '/v1/me', { headers })).body.id).toBe(here.id)
  expect((await call(url, 'GET', `/${code}`, { headers })).status).toBe(302)
  const before = router.searched()
  expect((await call(url, 'GET', '/v1/me', { headers })).body.id).toBe(here.id)
  expect(router.searched()).toBe(before)
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

const dead = 'http://127.0.0.1:9'

/** The address of a router in front of these cells. */
async function routed(...cells: string[]): Promise<string> {
  const apart = await openRouter({ cells, host: '127.0.0.1', port: 0 })
  onTestFinished(() => apart.close())
  return `http://127.0.0.1:${apart.port}`
}

const forgot = (at: string, { email, tenant }: Pick<Member, 'email' | 'tenant'>) =>
  call(at, 'POST', '/v1/password-reset-requests', { body: { email, tenant: tenant.slug } })

test('a request for a mail is accepted only if the cell of the account has accepted it', async () => {
  const who = await first.member()
  expect((await forgot(url, who)).status).toBe(202)
  for (const cells of [
    [second.url, dead],
    [dead, second.url],
  ]) {
    const { status, headers } = await forgot(await routed(...cells), who)
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  }
  // The cell of the account refuses, and the other one does not know the tenant.
  const mails = (await first.mails(who.email)).length
  await onPlace(first.place, async client => {
    const tables = await tenantTables(client, first.place.schemas, first.place.tenancy)
    await hold(client, first.place, who.tenant.id, tables, 'is tested')
    expect((await forgot(url, who)).status).toBe(503)
    await release(client, who.tenant.id, tables)
  })
  expect(await first.mails(who.email)).toHaveLength(mails)
  expect((await forgot(url, who)).status).toBe(202)
})

test('a caller whose cell is down is not served as anonymous', async () => {
  const there = await second.member()
  const at = await routed(first.url, dead)
  expect((await call(at, 'GET', '/v1/products', { token: there.token })).status).toBe(503)
  expect((await call(at, 'GET', '/v1/products')).status).toBe(200)
})

test.each(['first', 'last'])('a cell that stops refuses only its own tenants: %s', async place => {
  const stopping = createServer((_, reply) => reply.writeHead(503, { 'retry-after': '7' }).end())
  stopping.listen(0, '127.0.0.1')
  await once(stopping, 'listening')
  onTestFinished(() => void stopping.close())
  const there = `http://127.0.0.1:${(stopping.address() as AddressInfo).port}`
  const at = await routed(...(place === 'first' ? [there, first.url] : [first.url, there]))
  const here = await first.member()
  expect((await call(at, 'GET', '/v1/me', here)).status).toBe(200)
  expect((await call(at, 'GET', '/v1/me', { token: 'other' })).status).toBe(503)
})

test.each(['first', 'last'])(
  'a cell that is down is 503 for its own tenants only: %s',
  async at => {
    const cells = at === 'first' ? [dead, first.url] : [first.url, dead]
    const apart = await openRouter({ cells, host: '127.0.0.1', port: 0 })
    const there = `http://127.0.0.1:${apart.port}`
    const here = await first.member()
    expect((await call(there, 'GET', '/v1/me', here)).status).toBe(200)
    const { token } = here
    const body = { destination_url: 'https://www.example.com/' }
    const made = await call(there, 'POST', '/v1/links', { token, key: newKey(), body })
    expect(made.status, made.text).toBe(201)
    expect((await call(there, 'GET', `/${made.body.code}`)).status).toBe(302)
    const realtime = (await call(there, 'GET', '/v1/realtime-token', { token })).body.token
    const socket = new WebSocket(`${there.replace('http', 'ws')}/v1/realtime?token=${realtime}`)
    await once(socket, 'open')
    socket.close()
    await once(socket, 'close')
    const lost = await call(there, 'GET', '/v1/me', { token: 'other' })
    expect([lost.status, lost.body.code]).toEqual([503, 'service_unavailable'])
    await apart.close()
  },
)
