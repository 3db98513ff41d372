/** MCP on the wire: revisions, headers, origins, and the credentials that it takes. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { Id, newId, sql } from '#dodeca/kernel'
import { openProductWorld } from '../product-world.ts'
import { beginNarrow } from '../narrow.ts'
import { connect, connectOld, post, rpc, saidIn, toolCall } from './clients.ts'

const world = await openProductWorld()
afterAll(() => world.close())
const { url, platform } = world

const member = await world.member()
const bearer = { authorization: `Bearer ${member.token}` }
const modern = { ...bearer, 'mcp-protocol-version': '2026-07-28' }
const about = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('revision 2026-07-28', () => {
  test('is discovered, and its list of tools may be kept', async () => {
    const { status, body } = await rpc(url, member.token, 'server/discover')
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28', '2025-11-25']),
      capabilities: { tools: {} },
      ttlMs: 300_000,
      cacheScope: 'private',
    })
    const listed = await rpc(url, member.token, 'tools/list')
    expect(listed.body.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
  })

  test.each([
    ['another method in the header', { 'mcp-method': 'tools/list' }, 400, -32_020],
    ['another tool in the header', { 'mcp-name': 'getOrder' }, 400, -32_020],
    ['another revision in the header', { 'mcp-protocol-version': '2025-11-25' }, 400, -32_020],
  ])('%s is refused', async (_what, headers, status, code) => {
    const params = { name: 'getMe', arguments: {} }
    const answer = await rpc(url, member.token, 'tools/call', { params, headers })
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([status, code, 1])
  })

  test('a name in base64 is compared as what it says', async () => {
    const coded = `=?base64?${Buffer.from('getMe').toString('base64')}?=`
    const params = { name: 'getMe', arguments: {} }
    const sent = { params, headers: { 'mcp-name': coded } }
    expect((await rpc(url, member.token, 'tools/call', sent)).status).toBe(200)
  })

  test('an unknown revision is told what there is', async () => {
    const later = '2027-01-01'
    const { status, body } = await rpc(url, member.token, 'tools/list', {
      headers: { 'mcp-protocol-version': later },
      meta: { 'io.modelcontextprotocol/protocolVersion': later },
    })
    expect([status, body.error.code]).toEqual([400, -32_022])
    expect(body.error.data).toMatchObject({ requested: later })
    expect(body.error.data.supported).toContain('2026-07-28')
  })

  test.each([
    ['a list of requests', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], 400, -32_600],
    ['no JSON', '{"jsonrpc"', 400, -32_700],
    [
      'an unknown method',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: about } },
      404,
      -32_601,
    ],
    ['no _meta', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 400, -32_602],
    [
      'an id of null',
      { jsonrpc: '2.0', id: null, method: 'tools/list', params: { _meta: about } },
      400,
      -32_600,
    ],
    ['no method', { jsonrpc: '2.0', id: 1, result: {} }, 400, -32_600],
  ])('%s is refused', async (_what, sent, status, code) => {
    const answer = await post(url, sent, { headers: { ...modern, 'mcp-method': 'ping' } })
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('a notification gets 202, and there is no stream', async () => {
    const sent = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(url, sent, { headers: bearer })).status).toBe(202)
    const stream = await fetch(`${url}/mcp`, { headers: bearer })
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

test('a client of 2025 lists and calls tools', async () => {
  const client = await connectOld(url, member.token)
  await client.ping()
  const { tools } = await client.listTools()
  expect(tools.length).toBeGreaterThan(20)
  const me = await client.callTool({ name: 'getMe', arguments: {} })
  expect(saidIn(me)).toMatchObject({ id: member.id })
  await client.close()
})

describe('the caller', () => {
  test('is known by a bearer token alone', async () => {
    const without = await post(url, {}, {})
    const cookie = await post(url, {}, { headers: { cookie: `at=${member.token}` } })
    for (const { status, headers } of [without, cookie]) {
      const metadata = `http://dodeca.test/.well-known/oauth-protected-resource/mcp`
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${metadata}"`,
      ])
    }
    const { body } = await world.call('GET', '/.well-known/oauth-protected-resource/mcp')
    expect(body.resource).toBe('http://dodeca.test/mcp')
    // An application asks for all of these at once, and there are at most 20.
    expect(body.scopes_supported.length).toBeLessThanOrEqual(15)
    expect(body.scopes_supported.every((one: string) => !one.includes('write'))).toBe(true)
  })

  test('of a page of another site is refused', async () => {
    for (const origin of ['https://evil.test', 'null']) {
      const { status } = await rpc(url, member.token, 'tools/list', { headers: { origin } })
      expect(status).toBe(403)
    }
    const own = await rpc(url, member.token, 'tools/list', {
      headers: { origin: 'http://dodeca.test' },
    })
    expect(own.status).toBe(200)
  })

  test('with a token for /mcp gets nothing elsewhere', async () => {
    const audience = 'http://dodeca.test/mcp'
    const scope = ['commerce.read', 'openid']
    const { token } = await beginNarrow(platform, member, { scope, client_id: 'app', audience })
    expect((await toolCall(url, token, 'listOrders', {})).said).toMatchObject({ data: [] })
    for (const path of ['/v1/orders', '/v1/me', '/v1/realtime-token']) {
      const { status, body } = await world.call('GET', path, { token })
      expect([path, status, body.code]).toEqual([path, 401, 'invalid_token'])
    }
    expect((await toolCall(url, token, 'listOrders', {})).status).toBe(200)
    const elsewhere = await beginNarrow(platform, member, {
      scope,
      client_id: 'app',
      audience: 'https://api.example.com',
    })
    expect((await rpc(url, elsewhere.token, 'tools/list')).status).toBe(401)
  })

  test('whose session has ended is refused', async () => {
    const gone = await world.member()
    expect((await rpc(url, gone.token, 'tools/list')).status).toBe(200)
    await world.call('DELETE', `/v1/sessions/${gone.session_id}`, { token: gone.token })
    expect((await rpc(url, gone.token, 'tools/list')).status).toBe(401)
  })
})

describe('a narrow session', () => {
  test('has the tools of its scope', async () => {
    const { token } = await beginNarrow(platform, member, { scope: ['commerce.read'] })
    const { body } = await rpc(url, token, 'tools/list')
    const names = body.result.tools.map((one: { name: string }) => one.name)
    expect(names).toContain('listOrders')
    expect(names).toContain('getProduct')
    for (const name of ['cancelOrder', 'requestReturn', 'listJobs', 'sendMessage', 'getMe']) {
      expect(names).not.toContain(name)
    }
    const found = await toolCall(url, token, 'find_operation', { query: 'open a cart' })
    expect(found.said.map((one: { operation: string }) => one.operation)).not.toContain('openCart')
  })

  test('orders no work that outlives it', async () => {
    const one = await world.member()
    const type = 'toil.any'
    await world.allow(one, `jobs.jobs.submit:${type}`)
    const scope = [`jobs.jobs.submit:${type}`]
    const { token, session_id } = await beginNarrow(platform, one, { scope })
    const { said } = await toolCall(url, token, 'submitJob', { type, parameters: {} })
    const Row = Type.Object({ session_id: Id })
    const row = sql`select session_id from jobs.jobs where id = ${said.id ?? said.job_id}`
    expect(await platform.kernel.db.one(Row, row)).toEqual({ session_id })
  })

  test('of an application is told which scope it needs, and does nothing without it', async () => {
    const { token } = await beginNarrow(platform, member, {
      scope: ['commerce.read'],
      client_id: 'app',
    })
    const refused = await toolCall(url, token, 'requestReturn', {
      order_id: newId(),
      lines: [{ order_line_id: newId(), quantity: 1, reason: 'damaged' }],
    })
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
    const challenge = refused.headers.get('www-authenticate')
    expect(challenge).toContain('error="insufficient_scope", scope="commerce.write"')
    expect(challenge).toContain('oauth-protected-resource/mcp"')
    const generic = await toolCall(url, token, 'write', {
      operation: 'openCart',
      arguments: { currency: 'EUR' },
    })
    expect([generic.status, generic.body.code]).toEqual([403, 'insufficient_scope'])
  })
})

describe('other operations', () => {
  test('are found, and read by their name', async () => {
    const found = await toolCall(url, member.token, 'find_operation', { query: 'list carts' })
    expect(found.said[0]).toMatchObject({ operation: 'listCarts', call: 'read' })
    const read = await toolCall(url, member.token, 'read', { operation: 'listCarts' })
    expect(read.said).toMatchObject({ data: [] })
  })

  test('write only with a yes', async () => {
    const asked: string[] = []
    const client = await connect(url, member.token, message => {
      asked.push(message)
      return {}
    })
    const given = { operation: 'openCart', arguments: { currency: 'EUR' } }
    const done = await client.callTool({ name: 'write', arguments: given })
    expect(saidIn(done)).toMatchObject({ currency: 'EUR' })
    expect(asked).toHaveLength(1)
    await client.close()
    const { said } = await toolCall(url, member.token, 'read', given)
    expect(said).toContain('call it by write')
  })

  test('that are closed to models do not exist for them', async () => {
    for (const operation of ['createApiKey', 'rotateSigningKey', 'getRealtimeToken', 'putQuota']) {
      for (const name of ['read', 'write']) {
        const { body } = await toolCall(url, member.token, name, { operation, arguments: {} })
        expect(body.error.code).toBe(-32_602)
      }
      const { said } = await toolCall(url, member.token, 'find_operation', { query: operation })
      expect(JSON.stringify(said)).not.toContain(`"${operation}"`)
    }
  })

  test('of one surface only, where a client asked for it', async () => {
    const sent = (surfaces: string) => ({ path: `/mcp?surfaces=${surfaces}` })
    const { body } = await rpc(url, member.token, 'tools/list', sent('links,chat'))
    const names = body.result.tools.map((one: { name: string }) => one.name)
    expect(names).toContain('listLinks')
    expect(names).not.toContain('listOrders')
    const call = { params: { name: 'listOrders', arguments: {} }, ...sent('links') }
    expect((await rpc(url, member.token, 'tools/call', call)).body.error.code).toBe(-32_602)
    const unknown = await rpc(url, member.token, 'tools/list', sent('nothing'))
    expect([unknown.status, unknown.body.error.code]).toEqual([400, -32_602])
  })
})

test('the list of an administrator is sorted and has at most 12,000 tokens', async () => {
  const one = await world.member()
  await world.give(one, 'tenant_admin', 'platform_operator', 'refund_operator', 'support_viewer')
  const { token } = await world.again(one)
  const { body } = await rpc(url, token, 'tools/list')
  const { tools } = body.result
  const names = tools.slice(3).map((tool: { name: string }) => tool.name)
  expect(names).toEqual(names.toSorted())
  expect(names.length).toBeGreaterThan(45)
  // Four characters are about one token.
  const tokens = JSON.stringify(tools).length / 4
  expect(tokens).toBeLessThan(12_000)
  expect(JSON.stringify(tools.slice(0, 3)).length / 4).toBeLessThan(1500)
})
