/**
 * What reaches beyond a tenant that is deleted or moved: what its people left in other tenants, their
 * access tokens for these, and open streams.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { deleteTenant } from '../../src/runtime/tenants/delete.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import { default_tenant_id } from '../../src/surfaces/identity/schemas.ts'
import { beginNarrow } from '../narrow.ts'
import type { Member } from '../product-world.ts'
import { eventually } from '../world.ts'
import { ask, openCells, type Cell } from './cells.ts'

let one: Cell
let other: Cell
beforeAll(async () => {
  ;[one, other] = await openCells()
})
afterAll(async () => {
  await Promise.all([one?.close(), other?.close()])
})

const disable = ({ tenant }: Member) =>
  one.platform.kernel.db.run(sql`
    update identity.tenants set state = 'disabled' where id = ${tenant.id}`)

/** Ends the deletion right after the rows of a table. */
const endAfter = (table: string) => (line: string) => {
  if (line.endsWith(` of ${table}.`)) throw new Error('interrupted')
}

/** The same person with a token of another tenant, in which they are a guest. */
async function guestOf(host: Member, who: Member): Promise<Member> {
  await one.give({ ...who, tenant: host.tenant }, 'auditor')
  return await refresh(who, host.tenant)
}

async function refresh(who: Member, tenant: Member['tenant']): Promise<Member> {
  const body = { refresh_token: who.refresh_token, tenant_id: tenant.id }
  const path = `/v1/sessions/${who.session_id}/refresh`
  const { status, text, body: tokens } = await one.call('POST', path, { body })
  expect(status, text).toBe(200)
  const { access_token: token, refresh_token } = tokens
  return { ...who, tenant, token: token as string, refresh_token: refresh_token as string }
}

/** The tenant moves to the other cell and back, with the work between the moves. */
async function backAndForth({ tenant }: Member, work?: () => Promise<unknown>): Promise<void> {
  const scratch = one.data_dir
  await moveTenant({ from: one.place, to: other.place, cell_url: other.url, scratch }, tenant.slug)
  await work?.()
  await moveTenant({ from: other.place, to: one.place, cell_url: one.url, scratch }, tenant.slug)
}

test('what people of a deleted tenant left in other tenants is erased, and counted once', async () => {
  const host = await one.member()
  const { tenant } = host
  const [stays, left] = [await one.member(), await one.member()]
  const alone = await one.member(left.tenant)
  const mark = `zq${newId().slice(-12)}`
  for (const who of [stays, left]) {
    const guest = await guestOf(host, who)
    await ask(one, guest, 'POST', '/v1/posts', { body: `${mark} ${who.id}`, visibility: 'public' })
  }
  // A guest may have left long ago.
  const { db } = one.platform.kernel
  await db.run(sql`
    delete from identity.role_assignments where tenant_id = ${tenant.id} and account_id = ${left.id}`)
  const bodies = () =>
    db.many(
      Type.Object({ body: Type.String() }),
      sql`
        select body from social.post_bodies
        where tenant_id = ${tenant.id} and body like ${`${mark}%`}`,
    )
  expect(await bodies()).toHaveLength(2)
  await disable(left)
  const { slug } = left.tenant
  await expect(deleteTenant(one.place, slug, endAfter('identity.accounts'))).rejects.toThrow()
  const receipt = await deleteTenant(one.place, slug)
  expect(receipt).toMatchObject({ guests: 1, rows: { 'identity.accounts': 2 } })
  const erased = await db.many(
    Type.Object({ account_id: Type.String() }),
    sql`
      select distinct account_id from kernel.erasures
      where account_id in (${left.id}, ${alone.id}, ${stays.id})`,
  )
  expect(erased).toEqual([{ account_id: left.id }])
  await eventually('its posts are erased', async () => (await bodies()).length === 1)
  expect((await bodies())[0]?.body).toBe(`${mark} ${stays.id}`)
})

test('an erasure that has not ended does not go with the tenant', async () => {
  const who = await one.member()
  const { db } = one.platform.kernel
  const { id, tenant } = who
  await ask(one, who, 'DELETE', `/v1/accounts/${id}`)
  await disable(who)
  await deleteTenant(one.place, tenant.slug)
  const open = await db.many(
    Type.Object({ surface: Type.String() }),
    sql`
      select surface from kernel.erasures where account_id = ${id} and due_at is not null`,
  )
  expect(open.length).toBeGreaterThan(5)
})

test('access tokens for another tenant end with a move', async () => {
  const host = await one.member()
  const home = await one.member()
  const guest = await guestOf(host, home)
  const mine = () => one.call('GET', '/v1/me/external-identities', { token: guest.token })
  expect((await mine()).status).toBe(200)
  const move = { from: one.place, to: other.place, cell_url: other.url, scratch: one.data_dir }
  await moveTenant(move, home.tenant.slug)
  await eventually('the token is refused', async () => (await mine()).status === 401)
  // A process that starts now has to know it too.
  const gone = await one.platform.kernel.db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from identity.gone_sessions where id = ${home.session_id}`,
  )
  expect(gone).toHaveLength(1)
})

test('a session goes on when its tenant comes back, but not where it was a guest', async () => {
  const host = await one.member()
  const home = await one.member()
  const guest = await guestOf(host, home)
  const back = await refresh(guest, home.tenant)
  await backAndForth(home)
  const tokens = await refresh(back, home.tenant)
  const mine = (token: string) => one.call('GET', '/v1/me', { token })
  await eventually('it is served', async () => (await mine(tokens.token)).status !== 503)
  expect((await mine(tokens.token)).status).toBe(200)
  expect((await mine(guest.token)).status).toBe(401)
  // A session that has ended in the meantime has ended everywhere.
  await ask(one, tokens, 'DELETE', `/v1/sessions/${home.session_id}`)
  expect((await mine(tokens.token)).status).toBe(401)
})

test('what was granted to an application of another tenant ends with a move', async () => {
  const home = await one.member()
  const { db } = one.platform.kernel
  const granted = async (tenant_id: string) => {
    const client_id = newId()
    await db.run(sql`
      insert into identity.clients
        (tenant_id, id, name, type, redirect_uris, scopes, first_party)
      values (${tenant_id}, ${client_id}, 'An app', 'spa', '{}', '[]', false)`)
    const scope = ['openid', 'offline_access']
    return await beginNarrow(one.platform, home, { scope, client_id })
  }
  const [own, foreign] = [await granted(home.tenant.id), await granted(default_tenant_id)]
  const me = async ({ token }: { token: string }) =>
    (await one.call('GET', '/v1/me', { token })).status
  expect([await me(own), await me(foreign)]).toEqual([200, 200])
  await backAndForth(home)
  await eventually('the token is accepted', async () => (await me(own)) === 200)
  expect(await me(foreign)).toBe(401)
  const left = await db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from identity.sessions where id in (${own.session_id}, ${foreign.session_id})`,
  )
  expect(left).toEqual([{ id: own.session_id }])
})

test('what was granted to a model ends with a move: it has to ask the person again', async () => {
  const who = await one.member()
  const granted = { scope: ['commerce.read'], client_id: 'https://agent.example.test/client.json' }
  const audience = 'http://dodeca.test/mcp'
  const { token, session_id } = await beginNarrow(one.platform, who, {
    ...granted,
    audience,
  })
  const list = (cell: Cell) =>
    cell.call('POST', '/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
  expect((await list(one)).body.result.tools.length).toBeGreaterThan(2)
  await backAndForth(who, async () => {
    await eventually('it is refused', async () => (await list(one)).status === 401)
    expect((await list(other)).status).toBe(401)
    const there = await other.platform.kernel.db.many(
      Type.Object({ id: Type.String() }),
      sql`select id from identity.sessions where id in (${session_id}, ${who.session_id})`,
    )
    expect(there).toEqual([{ id: who.session_id }])
  })
  // Also when the tenant is back: nothing of the grant came along.
  const back = await list(one)
  expect(back.status).toBe(401)
  expect(back.headers.get('www-authenticate')).toContain(
    '/.well-known/oauth-protected-resource/mcp',
  )
  const body = { refresh_token: who.refresh_token }
  const own = await one.call('POST', `/v1/sessions/${who.session_id}/refresh`, { body })
  expect(own.status, own.text).toBe(200)
})

test('a session that ended in the other cell has ended when its tenant comes back', async () => {
  const who = await one.member()
  const later = await one.member(who.tenant)
  await backAndForth(who, () =>
    other.platform.kernel.db.run(sql`
      update identity.sessions
      set revoked_at = kernel.now() - interval '2 minutes', revoked_reason = 'logout'
      where tenant_id = ${who.tenant.id} and id = ${who.session_id}`),
  )
  const mine = ({ token }: Member) => one.call('GET', '/v1/me', { token })
  await eventually('it is served', async () => (await mine(later)).status !== 503)
  await eventually('it has ended', async () => (await mine(who)).status === 401)
  expect((await mine(later)).status).toBe(200)
})

test('a stream of a tenant that has moved ends, so that its reader opens one in the new cell', async () => {
  const who = await one.member()
  const headers = { accept: 'text/event-stream' }
  let text: string | undefined
  const reading = one.call('GET', '/v1/inbox', { token: who.token, headers }).then(answer => {
    text = answer.text
  })
  const move = { from: one.place, to: other.place, cell_url: other.url, scratch: one.data_dir }
  await moveTenant(move, who.tenant.slug)
  await eventually('the stream ends', () => text !== undefined)
  await reading
  expect(text).toContain('"code":"shutting_down"')
})
