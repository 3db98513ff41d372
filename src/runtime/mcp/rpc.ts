/**
 * The messages of MCP (JSON-RPC 2.0) over HTTP. Revision 2026-07-28 has no sessions: each request
 * says its revision and what its client can do, and repeats the method and the tool in headers. A
 * client of 2025 begins with `initialize`; nothing is kept of it either.
 */
import { parseJson, Problem } from '#dodeca/kernel'

const revision = '2026-07-28'
export const old_revisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
export const revisions = [revision, ...old_revisions]

const prefix = 'io.modelcontextprotocol'
const members_max = 20_000

export const codes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  headers: -32_020,
  capability: -32_021,
  version: -32_022,
} as const

type Id = string | number
type Members = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string | string[] | undefined>>

export type Rpc = {
  readonly id: Id
  readonly method: string
  readonly params: Members
  /** Whether it follows the revision without sessions. */
  readonly modern: boolean
  /** Whether its client can ask a person with a form. */
  readonly asks: boolean
}

/** An error of the protocol, with the HTTP status that it has. */
export class RpcError extends Error {
  readonly code: number
  readonly status: number
  readonly data: unknown
  id: Id | undefined

  constructor(
    code: number,
    message: string,
    { status = 400, data }: { status?: number; data?: unknown } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

/** Null is a notification, which gets no reply. */
export function readRpc(raw: Buffer, headers: Headers): Rpc | null {
  const message = parse(raw)
  const { id, method, params = {} } = message
  if (message['jsonrpc'] !== '2.0' || typeof method !== 'string' || !isMembers(params)) {
    throw new RpcError(codes.request, 'Send one JSON-RPC 2.0 request.')
  }
  if (id === undefined) return null
  if (!isRpcId(id)) throw new RpcError(codes.request, '`id` must be a text or a whole number.')
  try {
    return { id, method, params, ...eraOf(method, params, headers) }
  } catch (error) {
    if (error instanceof RpcError) error.id = id
    throw error
  }
}

function parse(raw: Buffer): Members {
  try {
    const message = parseJson(raw, members_max)
    if (isMembers(message)) return message
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new RpcError(codes.parse, error.details.detail ?? 'The body is not JSON.')
  }
  throw new RpcError(codes.request, 'Send one request in an object, and no list of requests.')
}

function isRpcId(id: unknown): id is Id {
  return (typeof id === 'string' && id.length <= 200) || Number.isSafeInteger(id)
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function eraOf(method: string, params: Members, headers: Headers): Pick<Rpc, 'modern' | 'asks'> {
  const header = headers['mcp-protocol-version']
  const meta = isMembers(params['_meta']) ? params['_meta'] : {}
  const said = meta[`${prefix}/protocolVersion`]
  const is_old = (old_revisions as readonly unknown[]).includes(header)
  if (said === undefined && (header === undefined || is_old || method === 'initialize')) {
    return { modern: false, asks: false }
  }
  const capabilities = meta[`${prefix}/clientCapabilities`]
  if (typeof said !== 'string' || !isMembers(capabilities)) {
    throw new RpcError(
      codes.params,
      `\`_meta\` needs ${prefix}/protocolVersion and ${prefix}/clientCapabilities.`,
    )
  }
  requireHeader(headers, 'mcp-protocol-version', said)
  if (said !== revision) {
    const data = { supported: revisions, requested: said }
    throw new RpcError(codes.version, 'Unsupported protocol version', { data })
  }
  requireHeader(headers, 'mcp-method', method)
  if (method === 'tools/call') requireHeader(headers, 'mcp-name', String(params['name']))
  const { elicitation } = capabilities
  const asks = isMembers(elicitation) && (isMembers(elicitation['form']) || !elicitation['url'])
  return { modern: true, asks }
}

/** What a proxy decides by must be what is done. */
function requireHeader(headers: Headers, name: string, value: string): void {
  const given = headers[name]
  const coded = typeof given === 'string' && /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(given)
  const text = coded ? Buffer.from(coded[1] ?? '', 'base64').toString() : given
  if (text === value) return
  throw new RpcError(codes.headers, `Header mismatch: ${name} is not what the body says.`)
}

export function resultText({ id, modern }: Rpc, server: object, result: Members): string {
  const more = modern ? { resultType: 'complete', _meta: { [`${prefix}/serverInfo`]: server } } : {}
  return JSON.stringify({ jsonrpc: '2.0', id, result: { ...more, ...result } })
}

export function errorText({ id, code, message, data }: RpcError): string {
  const error = { code, message, ...(data === undefined ? {} : { data }) }
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error })
}
