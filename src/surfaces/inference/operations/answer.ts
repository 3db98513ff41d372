/** The answer of a call that succeeded, from memory or from its row, for every dialect. */
import type { Reader } from '#dodeca/kernel'
import type { EndReason } from './call-model.ts'
import type { Kernel } from '../settings.ts'
import type { Finished } from './call-blocking.ts'
import { readOutput, type Output } from './contents.ts'
import type { OperationRow } from './read-operation.ts'
import { readSteps, type Performable, type Step } from '../tools/steps.ts'
import { outputOf, type SettledCall } from './settle-call.ts'

export type Answered = {
  readonly id: string
  /** In seconds. */
  readonly created: number
  /** The version that answered, if the provider names it. */
  readonly model: string
  readonly output: Output
  readonly finish_reason: EndReason
  readonly usage: {
    readonly input: number
    readonly cached_input: number
    readonly output: number
    readonly reasoning: number
  }
  readonly metadata: Record<string, string> | null
  readonly acted: Acted
}

/** What the platform performed in the call. */
export type Acted = { readonly answered: readonly Performable[]; readonly steps: readonly Step[] }
const nothing: Acted = { answered: [], steps: [] }

export async function answerOf(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  done: Finished,
): Promise<Answered> {
  if (!('ended' in done)) return answerOfSettled(done)
  const output = await readOutput(reader, kernel, done.ended)
  return answerOfRow(done.ended, output ?? { text: '' })
}

export async function readActed(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  { tenant_id, id, steps, previous_id }: OperationRow,
): Promise<Acted> {
  // Only a call that continues one can have answered something.
  if (steps === 0 && previous_id === null) return nothing
  const found = await readSteps(reader, kernel, tenant_id, [id])
  return { answered: found.answered.get(id) ?? [], steps: found.of.get(id) ?? [] }
}

export function answerOfSettled({ call, result, spent }: SettledCall): Answered {
  const { ending } = result
  return {
    id: call.id,
    created: secondsOf(call.created_at),
    model: result.spent.model_snapshot || call.model,
    output: outputOf(result) ?? { text: '' },
    finish_reason: ending.state === 'succeeded' ? ending.finish_reason : 'stop',
    usage: {
      input: spent.input_units,
      cached_input: spent.cached_input_units,
      output: spent.output_units,
      reasoning: spent.reasoning_units,
    },
    metadata: call.metadata && { ...call.metadata },
    acted: call,
  }
}

export function answerOfRow(row: OperationRow, output: Output, acted = nothing): Answered {
  const { usage } = row
  return {
    id: row.id,
    created: secondsOf(row.created_at),
    model: row.model_snapshot || row.model,
    output,
    finish_reason: (row.finish_reason ?? 'stop') as EndReason,
    usage: {
      input: usage?.input_units ?? 0,
      cached_input: usage?.cached_input_units ?? 0,
      output: usage?.output_units ?? 0,
      reasoning: usage?.reasoning_units ?? 0,
    },
    metadata: row.metadata as Answered['metadata'],
    acted,
  }
}

export function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}
