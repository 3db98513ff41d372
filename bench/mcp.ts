/** A call of a tool beside the same GET: what MCP adds to an operation. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { comparison } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { makePeople, startProduct } from './ground/product.ts'
import { costNote, ratioVerdict, standingsOf } from './ground/report.ts'
import { compete } from './ground/rounds.ts'

const connections = 16

await comparison('mcp', async ({ options, database }) => {
  const database_url = await database.create('mcp')
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-mcp-'))
  const how = { side: 'server', profile: options.profile, roles: 'api' } as const
  const platform = await startProduct(database_url, folder, how)
  const [person] = await makePeople(platform.port, 1)
  if (!person) throw new Error('no person')
  person.wire.close()
  const token = person.access_token
  const over = (request: string) => () =>
    load({ port: platform.port, pid: platform.pid, connections, requests: [request] }, options)
  const [get, tool] = await compete(
    [
      { name: 'GET /v1/me', run: over(requestText({ path: '/v1/me', token })) },
      { name: 'tools/call getMe', run: over(toolText(token)) },
    ],
    options.rounds,
  )
  await platform.stop()
  await rm(folder, { recursive: true, force: true })
  if (!get || !tool) throw new Error('not everything was measured')
  return [
    standingsOf(
      'A tool that reads, 16 connections',
      [get, tool],
      [ratioVerdict(tool, get, 0.8)],
      [costNote(tool, get)],
    ),
  ]
})

function toolText(token: string): string {
  const prefix = 'io.modelcontextprotocol'
  const about = {
    [`${prefix}/protocolVersion`]: '2026-07-28',
    [`${prefix}/clientCapabilities`]: {},
  }
  const params = { name: 'getMe', arguments: {}, _meta: about }
  return requestText({
    method: 'POST',
    path: '/mcp',
    token,
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'getMe',
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  })
}
