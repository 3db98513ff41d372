/**
 * The operations of all surfaces as tools for models: MCP over HTTP at `POST /mcp`, without sessions.
 * The caller's credential decides at each request; a cookie never does.
 */
import { Type } from 'typebox'
import { closed, isAllowed, otherOrigins, problem, reply, route, text } from '#dodeca/kernel'
import type { Principal, Route } from '#dodeca/kernel'
import type { RequestFacts } from '../../kernel/http/contract/route.ts'
import type { Operation } from '../../kernel/http/tools/operations.ts'
import type { PlatformParts, Requests } from '../platform-parts.ts'
import { callTool, type Caller, type McpDeps } from './call-tool.ts'
import { general_tools } from './find.ts'
import { reachOf } from './reach.ts'
import {
  codes,
  errorText,
  old_revisions,
  readRpc,
  resultText,
  revisions,
  RpcError,
  type Rpc,
} from './rpc.ts'

const body_limit_bytes = 1024 * 1024
const list_ttl_ms = 300_000

const instructions =
  'Each tool acts with the rights of the person or the key that called. Amounts are in the smallest unit of their currency. A tool that asks first returns nothing until the person has said yes.'

const Message = Type.Object({}, { additionalProperties: true })

export function mcpRoutes(parts: PlatformParts, requests: Requests): Route[] {
  const { options, kernel, access, gathered } = parts
  const server = { name: 'dodeca', title: 'Dodeca', version: options.version }
  const deps = { access, gathered, kernel, requests }
  const isOpenTo = originCheck(parts)
  return [
    route({
      method: 'POST',
      path: '/mcp',
      name: 'callMcp',
      summary: 'The tools of the platform, for models',
      permission: 'authenticated',
      narrow: 'any',
      resource: '/mcp',
      hidden: true,
      added: true,
      rate: 'read',
      consumes: 'raw',
      produces: ['application/json'],
      body_limit_bytes,
      transaction: 'own',
      idempotency: 'ignored',
      query: closed({ surfaces: Type.Optional(text(200)) }),
      replies: { 200: Message, 202: null, 400: Message, 403: Message, 404: Message },
      handle: async ({ principal, query, request }) => {
        const { headers } = request
        let rpc: Rpc | null = null
        try {
          if (!(await isOpenTo(headers['origin']))) {
            throw new RpcError(codes.request, 'This origin may not call.', { status: 403 })
          }
          rpc = readRpc(request.raw, headers)
          if (rpc === null) return reply(202, null)
          const caller = callerOf(principal, request, surfacesIn(parts, query.surfaces))
          return reply(
            200,
            resultText(rpc, server, await answer(deps, server, rpc, caller)) as never,
          )
        } catch (error) {
          if (!(error instanceof RpcError)) throw error
          error.id ??= rpc?.id
          return reply(error.status as 400, errorText(error) as never)
        }
      },
    }),
    // Older clients ask for a stream, and go on without one. A link must not answer them.
    route({
      method: 'GET',
      path: '/mcp',
      summary: 'There is no stream of events for models',
      permission: 'public',
      hidden: true,
      added: true,
      replies: { 204: null },
      handle: () => {
        throw problem('method_not_allowed', { headers: { allow: 'POST' } })
      },
    }),
  ]
}

async function answer(deps: McpDeps, serverInfo: object, rpc: Rpc, caller: Caller) {
  const { method, modern, params } = rpc
  if (method === 'tools/call') return await callTool(deps, rpc, caller)
  if (method === 'tools/list') {
    const tools = await listTools(deps, caller)
    return modern ? { tools, ttlMs: list_ttl_ms, cacheScope: 'private' } : { tools }
  }
  const capabilities = { tools: {} }
  if (modern && method === 'server/discover') {
    const cache = { ttlMs: list_ttl_ms, cacheScope: 'private' }
    return { supportedVersions: revisions, capabilities, serverInfo, instructions, ...cache }
  }
  if (!modern && method === 'initialize') {
    const asked = params['protocolVersion']
    const protocolVersion = old_revisions.find(one => one === asked) ?? old_revisions[0]
    return { protocolVersion, capabilities, serverInfo, instructions }
  }
  if (!modern && method === 'ping') return {}
  throw new RpcError(codes.method, `Method not found: ${method}`, { status: modern ? 404 : 200 })
}

/** In the order of their names, so that a model's cache of the list stays good. */
async function listTools(deps: McpDeps, caller: Caller): Promise<readonly object[]> {
  const reach = await reachOf(deps, deps.kernel.db, deps.requests.operations(), caller)
  return [...general_tools, ...reach.filter(one => one.is_tool).map(toolOf)]
}

function toolOf({ name, says, mode, input }: Operation): object {
  return {
    name,
    description: mode === 'confirm' ? `${says} The person is asked first.` : says,
    inputSchema: input,
    annotations: mode === 'read' ? { readOnlyHint: true } : { destructiveHint: mode === 'confirm' },
  }
}

function callerOf(
  principal: Principal,
  request: RequestFacts,
  surfaces: Caller['surfaces'],
): Caller {
  const key = request.headers['idempotency-key']
  return { principal, surfaces, key: typeof key === 'string' ? key : undefined, request }
}

function surfacesIn({ named }: PlatformParts, asked: string | undefined): Caller['surfaces'] {
  if (asked === undefined) return null
  const names = asked.split(',')
  const unknown = names.find(name => !Object.hasOwn(named, name))
  if (unknown === undefined) return new Set(names)
  throw new RpcError(codes.params, `There is no surface ${unknown} here.`)
}

/** A page of another site must not use a server that only this browser reaches. */
function originCheck({ options: { config }, access }: PlatformParts) {
  const own = new URL(config.public_url).origin
  const others = otherOrigins(config.profile, config.settings['kernel.cors_origins'])
  return async (origin: string | string[] | undefined): Promise<boolean> => {
    if (origin === undefined || origin === own) return true
    if (typeof origin !== 'string') return false
    return isAllowed(others, origin) || ((await access.isClientOrigin?.(origin)) ?? false)
  }
}
