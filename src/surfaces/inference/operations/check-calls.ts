/**
 * Checks the tool calls of an answer before one of them is passed on: a tool that was offered, a JSON
 * object of bounded size, an id of its own, and the policy of outputs. A call cannot be redacted,
 * so it is blocked.
 */
import { limit, newId } from '#dodeca/kernel'
import type { Tool, ToolCall } from '../providers/form.ts'
import { ProviderFailure } from '../providers/provider.ts'
import { decideOn, type Decided, type Policy } from '../safety/policy.ts'
import { parsed } from './check-json.ts'

const arguments_bytes_max = limit(
  'inference.tool_arguments_bytes',
  64 * 1024,
  'bytes',
  'Longest arguments of a tool call',
)
const calls_max = limit('inference.tool_calls', 64, 'calls', 'Most tool calls in one answer')

export function checkCalls(
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  known: ReadonlySet<string> = new Set(),
): ToolCall[] {
  if (calls.length > calls_max) throw broken('too_many_tool_calls')
  const ids = new Set<string>()
  return calls.map(call => {
    const checked = { ...call, id: idOf(call, known) }
    if (!tools.some(one => one.name === call.name)) throw broken('unknown_tool')
    if (ids.has(checked.id)) throw broken('duplicate_tool_call')
    ids.add(checked.id)
    if (Buffer.byteLength(call.arguments) > arguments_bytes_max) throw broken('tool_call_too_long')
    const value = parsed(call.arguments)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw broken('tool_arguments')
    }
    return checked
  })
}

/** With the escapes of JSON resolved, so that a blocked word cannot hide in them. */
export function decideOnCalls(policy: Policy, calls: readonly ToolCall[]): Decided[] {
  const said = calls.map(call => JSON.stringify(parsed(call.arguments))).join('\n')
  return decideOn(policy, 'output', said)
    .filter(one => one.decision === 'redact' || one.decision === 'block')
    .map(one => ({ ...one, decision: 'block' as const }))
}

/** Some servers send no id. */
function idOf({ id }: ToolCall, known: ReadonlySet<string>): string {
  return /^[\w.:-]{1,64}$/.test(id) && !known.has(id) ? id : `call_${newId()}`
}

function broken(reason: string): ProviderFailure {
  return new ProviderFailure('upstream_invalid_response', { retryable: true, reason })
}
