/**
 * The steps of a call: what the model said before it called operations of the platform, its calls, and
 * their results. They are read again by a process that takes over, by calls that continue this one,
 * and by the caller.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { openContentOf } from '../operations/contents.ts'
import type { Item, Sealed, ToolCall } from '../providers/form.ts'
import type { Kernel } from '../settings.ts'

/** As it is stored, sealed. */
export type Said = {
  readonly text: string
  readonly sealed: readonly Sealed[]
  readonly model_snapshot: string | null
  /** Tokens. */
  readonly used: { readonly input: number; readonly output: number }
  /** Also those that the caller runs. */
  readonly tool_calls: readonly ToolCall[]
}

export type State = 'running' | 'asked' | 'expired' | 'done' | 'failed' | 'refused'

export type Performable = ToolCall & {
  /** Its key, where it writes, is made from it. */
  readonly row_id: string
  state: State
  output: string | null
}

export type Step = Said & { readonly calls: readonly Performable[] }

export type Steps = {
  /** By the id of the call. */
  readonly of: ReadonlyMap<string, readonly Step[]>
  /** Calls of an earlier one that these calls answer, by the id of the answering call. */
  readonly answered: ReadonlyMap<string, readonly Performable[]>
}

const Bytes = nullable(Type.Unsafe<Buffer>(Type.Any()))
const Row = Type.Object({
  operation_id: Type.String(),
  answered_by: nullable(Type.String()),
  id: Type.String(),
  step: Type.Integer(),
  call_id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  said_ref: Type.String(),
  result_ref: nullable(Type.String()),
  said: Bytes,
  result: Bytes,
  bytes: Type.Integer(),
})

/** A step whose content was erased is left out. */
export async function readSteps(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  tenant_id: string,
  ids: readonly string[],
  bytes_max = 64 * 1024 * 1024,
): Promise<Steps> {
  const rows = await reader.many(
    Row,
    sql`
      with found as (
        select t.operation_id, t.answered_by, t.id, t.step, t.place, t.call_id, t.name,
          case when t.state = 'asked' and t.asked_until <= kernel.now() then 'expired'
            else t.state end as state,
          t.said_ref, t.result_ref, s.sealed as said, r.sealed as result,
          sum(coalesce(octet_length(s.sealed), 0) + coalesce(octet_length(r.sealed), 0))
            over ()::int as bytes
        from inference.tool_calls t
        left join inference.contents s on s.tenant_id = t.tenant_id and s.id = t.said_ref
          and (t.place = 0 or t.answered_by = any(${ids}::uuid[]))
        left join inference.contents r on r.tenant_id = t.tenant_id and r.id = t.result_ref
        where t.tenant_id = ${tenant_id}
          and (t.operation_id = any(${ids}::uuid[]) or t.answered_by = any(${ids}::uuid[])))
      select operation_id, answered_by, id, step, call_id, name, state, said_ref, result_ref,
        case when bytes <= ${bytes_max} then said end as said,
        case when bytes <= ${bytes_max} then result end as result, bytes
      from found order by operation_id, step, place`,
  )
  if ((rows[0]?.bytes ?? 0) > bytes_max) throw problem('chain_too_long')
  const of = new Map<string, Step[]>()
  const answered = new Map<string, Performable[]>()
  const asked = new Set(ids)
  const saids = new Map<string, { said: Said; calls: Performable[] }>()
  for (const row of rows) {
    const known = saids.get(row.said_ref)
    if (!known && row.said === null) continue
    const said =
      known?.said ?? (JSON.parse(openContentOf(kernel, row.said_ref, row.said as Buffer)) as Said)
    const one = performableOf(kernel, row, said)
    if (!one) continue
    if (known) known.calls.push(one)
    else {
      const calls = [one]
      saids.set(row.said_ref, { said, calls })
      if (asked.has(row.operation_id)) push(of, row.operation_id, { ...said, calls })
    }
    if (row.answered_by !== null && asked.has(row.answered_by)) push(answered, row.answered_by, one)
  }
  return { of, answered }
}

function performableOf(
  kernel: Pick<Kernel, 'keys'>,
  { id: row_id, call_id, state, result_ref, result }: Static<typeof Row>,
  { tool_calls }: Said,
): Performable | undefined {
  const call = tool_calls.find(one => one.id === call_id)
  if (!call) return undefined
  const output = result_ref && result ? openContentOf(kernel, result_ref, result) : null
  return { ...call, row_id, state: state as State, output }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

export const isError = ({ state }: Pick<Performable, 'state'>) => state !== 'done'

const says: Partial<Record<State, string>> = {
  refused: 'The caller did not approve this call. It was not done. Do not repeat it.',
  expired: 'The caller did not answer in time. It was not done.',
  failed: 'The call failed, and nothing is known of its result.',
  done: 'Done. The result was deleted.',
}

/** Undefined while it has no result. */
function resultOf(call: Performable): Item | undefined {
  const output = call.output ?? says[call.state]
  if (output === undefined) return undefined
  return { type: 'tool_result', id: call.id, output, ...(isError(call) ? { is_error: true } : {}) }
}

export function itemsOfSteps(steps: readonly Step[]): Item[] {
  return steps.flatMap(({ text, sealed, tool_calls, calls }): Item[] => [
    ...sealed,
    ...(text === ''
      ? []
      : [
          {
            type: 'message' as const,
            role: 'assistant' as const,
            parts: [{ type: 'text' as const, text }],
          },
        ]),
    ...tool_calls.map(call => ({ type: 'tool_call' as const, ...call })),
    ...calls.flatMap(call => resultOf(call) ?? []),
  ])
}

type Conversation = {
  readonly before: readonly Item[]
  readonly answered: readonly Performable[]
  readonly steps: readonly Step[]
}

/** The calls before with what this one answers, and then its own input and steps. */
export function aroundInput({ before, answered, steps }: Conversation) {
  const there = new Set(before.flatMap(one => (one.type === 'tool_result' ? one.id : [])))
  const results = answered.flatMap(call => (there.has(call.id) ? [] : (resultOf(call) ?? [])))
  return { before: [...before, ...results], after: itemsOfSteps(steps) }
}
