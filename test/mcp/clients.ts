/** Clients of MCP: those of others, and one that sends what no client would. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const info = { name: 'a test', version: '1.0.0' }
const headers = (token: string) => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
})

export type Answering = (message: string) => { approve?: boolean; action?: 'accept' | 'decline' }

/** A client of revision 2026-07-28. Its person answers what a tool asks. */
export async function connect(url: string, token: string, answer?: Answering, path = '/mcp') {
  const client = new Client(info, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  if (answer) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const { approve = true, action = 'accept' } = answer(params.message)
      return { action, ...(action === 'accept' ? { content: { approve } } : {}) }
    })
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), headers(token)))
  return client
}

/** A client of 2025. */
export async function connectOld(url: string, token: string) {
  const client = new OldClient(info)
  await client.connect(new OldTransport(new URL('/mcp', url), headers(token)))
  return client
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type Raw = { readonly status: number; readonly body: Json; readonly headers: Headers }
type Sent = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly path?: string
}

/** One request as revision 2026-07-28 has it. */
export async function rpc(
  url: string,
  token: string,
  method: string,
  sent: Sent = {},
): Promise<Raw> {
  const { params = {}, headers: more = {}, meta = {}, path = '/mcp' } = sent
  const about = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    ...meta,
  }
  return await post(
    url,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: about } },
    {
      path,
      headers: {
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(method === 'tools/call' ? { 'mcp-name': String(params['name']) } : {}),
        ...more,
      },
    },
  )
}

export async function post(
  url: string,
  body: unknown,
  { path = '/mcp', headers: more }: Pick<Sent, 'path' | 'headers'>,
): Promise<Raw> {
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, body: text ? JSON.parse(text) : null, headers: answer.headers }
}

/** A call of a tool, with what its first text says. */
export async function toolCall(
  url: string,
  token: string,
  name: string,
  given: object,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Raw & { readonly result: Json; readonly said: Json }> {
  const raw = await rpc(url, token, 'tools/call', { params: { name, arguments: given, ...more } })
  const result = raw.body?.result
  return { ...raw, result, said: saidIn(result) }
}

export function saidIn(result: unknown): Json {
  const text =
    (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text ?? 'null'
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
}
