/**
 * Performs what a model called, as its caller would over HTTP: with the rights of this moment, and a write
 * under a key made from the call, so that it acts once however often a process dies.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { cutResult, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { cancelledBy, type Ending } from '../operations/call-model.ts'
import type { Call } from '../operations/call.ts'
import { sealContent } from '../operations/contents.ts'
import type { Sink } from '../operations/reading.ts'
import { decideOn } from '../safety/policy.ts'
import { principalOf, stillStands } from './acting.ts'
import type { Performable, State } from './steps.ts'

/** Why the call ends before its model is asked again. */
export async function performCalls(
  deps: Deps,
  call: Call,
  signal: AbortSignal,
  sink: Sink,
): Promise<Ending | undefined> {
  const open = [...call.answered, ...(call.steps.at(-1)?.calls ?? [])]
  for (const group of groupsOf(deps, open)) {
    if (signal.aborted) return cancelledBy(signal)
    const endings = await Promise.all(
      group.map(async one => {
        if (one.state !== 'running') return undefined
        const ending = await performOne(deps, call, one, signal)
        if (one.output !== null) await sink.toolResult(one)
        return ending
      }),
    )
    const ending = endings.find(one => one !== undefined)
    if (ending) return ending
  }
  return signal.aborted ? cancelledBy(signal) : undefined
}

/** In their order; reads that follow each other run at one time. */
function groupsOf({ kernel }: Deps, calls: readonly Performable[]): Performable[][] {
  const at_once = kernel.settings['inference.tool_reads_at_once']
  const groups: Performable[][] = []
  let reads = 0
  for (const one of calls) {
    const is_read = kernel.tools().get(one.name)?.mode === 'read'
    if (is_read && reads > 0 && reads < at_once) groups.at(-1)?.push(one)
    else groups.push([one])
    if (!is_read) reads = 0
    else reads = reads < at_once ? reads + 1 : 1
  }
  return groups
}

const denied: Ending = { state: 'failed', code: 'permission_denied', retryable: false }
/** The call stays open, and is performed under the same key by who goes on. */
const unknown: Ending = { state: 'failed', code: 'service_unavailable', retryable: true }

async function performOne(
  deps: Deps,
  call: Call,
  one: Performable,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  const { kernel } = deps
  const { caller } = call.content
  const tool = kernel.tools().get(one.name)
  if (!caller || !tool) {
    await keepResult(deps, call, one, { state: 'failed', text: 'There is no such operation now.' })
    return undefined
  }
  const principal = principalOf(call, caller)
  if (!(await stillStands(deps, principal))) return denied
  await kernel.fault('inference.before_tool')
  const reads = tool.mode === 'read'
  const asked = {
    operation: one.name,
    arguments: JSON.parse(one.arguments) as Record<string, unknown>,
    principal,
    key: reads ? undefined : `tool-${one.row_id}`,
    ip: caller.ip,
    request_id: call.id,
    signal,
  }
  const done = await (reads ? readInTime(deps, asked) : kernel.perform(asked))
  await kernel.fault('inference.after_tool')
  if (done === 'late') {
    await keepResult(deps, call, one, { state: 'failed', text: 'The operation took too long.' })
    return undefined
  }
  const { status, body, refusal } = done
  if (!reads && (status >= 500 || refusal?.code === 'idempotency_in_progress')) return unknown
  const state = status >= 400 ? 'failed' : 'done'
  await keepResult(deps, call, one, { state, text: body ?? 'Done.' })
  await kernel.fault('inference.after_result')
  return status === 401 || status === 403 ? denied : undefined
}

type Asked = Parameters<Deps['kernel']['perform']>[0]

async function readInTime({ kernel }: Deps, asked: Asked) {
  const ended = new AbortController()
  const signal = AbortSignal.any([asked.signal, ended.signal])
  const late = wait(kernel.settings['inference.tool_read_ms'], 'late' as const, { signal }).catch(
    () => 'late' as const,
  )
  try {
    return await Promise.race([kernel.perform({ ...asked, signal }), late])
  } finally {
    ended.abort()
  }
}

type Got = { readonly state: 'done' | 'failed'; readonly text: string }

const withheld = 'The result was withheld: the safety policy does not allow it.'

async function keepResult(
  { kernel, policy }: Deps,
  { tenant_id, store }: Call,
  one: Performable,
  got: Got,
): Promise<void> {
  const is_blocked = decideOn(policy, 'input', got.text).some(each => each.decision === 'block')
  const text = is_blocked ? withheld : got.text
  const output = cutResult(text, kernel.settings['kernel.tool_result_bytes'])
  const { id, sealed, hours } = sealContent(kernel, store, output)
  await kernel.db.run(sql`
    with ended as (
      update inference.tool_calls
      set state = ${got.state}, result_ref = ${id}, completed_at = kernel.now()
      where tenant_id = ${tenant_id} and id = ${one.row_id} and state = 'running'
      returning tenant_id, operation_id)
    insert into inference.contents (tenant_id, id, operation_id, sealed, erase_at)
    select e.tenant_id, ${id}, e.operation_id, ${sealed},
      kernel.now() + make_interval(hours => ${hours})
    from ended e`)
  Object.assign(one, { state: got.state satisfies State, output })
}
