/**
 * One call of a tool: of one that is declared, or of any operation by its name. What asks for a yes is
 * checked before the person is asked, and all of it again when it is done.
 */
import { allowsSome, cutResult, lacks, newId, Problem, renderProblem } from '#dodeca/kernel'
import type { Principal } from '#dodeca/kernel'
import type { RequestFacts } from '../../kernel/http/contract/route.ts'
import type { Arguments } from '../../kernel/http/tools/arguments.ts'
import type { Operation } from '../../kernel/http/tools/operations.ts'
import type { Performed, Performing } from '../../kernel/http/tools/perform.ts'
import type { PlatformParts, Requests } from '../platform-parts.ts'
import { approvedKey, askFor } from './approval.ts'
import { findOperations, isGeneral } from './find.ts'
import { isAsked, reachOf } from './reach.ts'
import { codes, isMembers, RpcError, type Rpc } from './rpc.ts'

export type McpDeps = Pick<PlatformParts, 'access' | 'gathered' | 'kernel'> & {
  readonly requests: Pick<Requests, 'operations' | 'performer'>
}

export type Caller = {
  readonly principal: Principal
  readonly surfaces: ReadonlySet<string> | null
  /** The Idempotency-Key of the request. */
  readonly key: string | undefined
  readonly request: Pick<RequestFacts, 'signal' | 'ip' | 'id'>
}

type Result = Readonly<Record<string, unknown>>

export async function callTool(deps: McpDeps, rpc: Rpc, caller: Caller): Promise<Result> {
  const { name, arguments: given = {} } = rpc.params
  if (typeof name !== 'string' || !isMembers(given)) {
    throw new RpcError(
      codes.params,
      'Give the `name` of the tool, and its `arguments` as an object.',
    )
  }
  if (name === 'find_operation') return await found(deps, caller, given)
  const general = isGeneral(name)
  const named = general ? given['operation'] : name
  const operation = deps.requests.operations().get(String(named))
  if (!operation || !isAsked(operation, caller) || (!general && !operation.is_tool)) {
    throw new RpcError(codes.params, `Unknown ${general ? 'operation' : 'tool'}`, { status: 200 })
  }
  const reads = operation.mode === 'read'
  if (general && reads !== (name === 'read')) {
    return failed(
      `This operation ${reads ? 'reads: call it by read' : 'writes: call it by write'}.`,
    )
  }
  const inner = general ? (given['arguments'] ?? {}) : given
  if (!isMembers(inner)) return failed('`arguments` must be an object.')
  const call = { operation, arguments: inner }
  return operation.mode === 'confirm' || name === 'write'
    ? await withYes(deps, rpc, caller, call)
    : shown(
        deps,
        await deps.requests.performer().perform(performing(caller, call, keyFor(caller, reads))),
      )
}

type Call = { readonly operation: Operation; readonly arguments: Arguments }

function performing({ principal, request }: Caller, call: Call, key?: string): Performing {
  const { ip, id: request_id } = request
  const operation = call.operation.name
  return {
    operation,
    arguments: call.arguments,
    principal,
    key,
    ip,
    request_id,
    get signal() {
      return request.signal
    },
  }
}

/** A client that may repeat the request sends a key of its own. */
function keyFor({ key }: Caller, reads: boolean): string | undefined {
  return reads ? undefined : (key ?? `tool-${newId()}`)
}

async function withYes(deps: McpDeps, rpc: Rpc, caller: Caller, call: Call): Promise<Result> {
  const { performer } = deps.requests
  const { requestState: state, inputResponses: responses } = rpc.params
  const asked = { ...call, principal: caller.principal }
  try {
    await requireApprover(deps, caller.principal)
    if (state !== undefined) {
      const key = approvedKey(deps.kernel, asked, state, responses)
      return shown(deps, await performer().perform(performing(caller, call, key)))
    }
    const refused = await performer().check(performing(caller, call))
    if (refused) return shown(deps, refused)
    if (!rpc.modern)
      return failed(
        `${call.operation.name} asks a person first, which needs a client of MCP 2026-07-28.`,
      )
    if (!rpc.asks) {
      const data = { requiredCapabilities: { elicitation: { form: {} } } }
      throw new RpcError(codes.capability, 'This tool asks a person with a form', { data })
    }
    return askFor(deps.kernel, asked)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return shown(deps, refusalOf(deps, caller, error))
  }
}

/** The yes of a program is no one's, unless its key was made to say it. */
async function requireApprover({ access, kernel }: McpDeps, principal: Principal): Promise<void> {
  if (principal.kind === 'account') return
  const held = await access.grants(kernel.db, principal)
  if (!allowsSome(held, approve)) throw lacks(approve, by_program)
}
const approve = 'kernel.tools.approve'
const by_program = `This asks a person first. An API key may say yes only with the permission \`${approve}\`.`

function refusalOf({ kernel }: McpDeps, { request }: Caller, refusal: Problem): Performed {
  const { public_url } = kernel
  const body = renderProblem(refusal, { public_url, path: '/mcp', request_id: request.id })
  return { status: refusal.status, headers: {}, body, replayed: false, refusal }
}

/** A missing scope is an HTTP error: the client can then ask the person for it. */
function shown({ kernel }: McpDeps, { status, body, refusal }: Performed): Result {
  if (refusal?.code === 'insufficient_scope') throw refusal
  const most = kernel.settings['kernel.tool_result_bytes']
  const text = body ?? 'Done.'
  return { content: [{ type: 'text', text: cutResult(text, most) }], isError: status >= 400 }
}

function failed(text: string): Result {
  return { content: [{ type: 'text', text }], isError: true }
}

async function found(deps: McpDeps, caller: Caller, { query }: Arguments): Promise<Result> {
  if (typeof query !== 'string') return failed('`query` must be a text.')
  const reach = await reachOf(deps, deps.kernel.db, deps.requests.operations(), caller)
  const text = JSON.stringify(findOperations(reach, query.slice(0, 200)))
  return { content: [{ type: 'text', text }], isError: false }
}
