/**
 * The end of a call, in one commit: what it used, its state, its output, its attempts, decisions and event.
 * The reservation guards it: if the reaper or another run has ended it, nothing of this is written.
 */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Problem } from '../../../kernel/errors/problem.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { settleRun, type Settled } from '../quotas/settle.ts'
import { announceEnd } from './announce-end.ts'
import type { Call } from './call.ts'
import type { Ending, Result } from './call-model.ts'
import { eraseContents, storeContent } from './contents.ts'
import { writeEnds } from './ledger.ts'
import { recordDecisions } from './record-decisions.ts'

const Version = Type.Object({ version: Type.Integer(), completed_at: Type.String() })

export type SettledCall = {
  readonly call: Call
  readonly result: Result
  readonly spent: Settled
  readonly completed_at: string
  readonly output_length: number
  readonly output_sha256: string
}

/** Undefined: the call has ended already. */
export async function settleCall(
  tx: Tx,
  deps: Deps,
  call: Call,
  result: Result,
): Promise<SettledCall | undefined> {
  const { tenant_id, id, run, store, parameters } = call
  const { ending, text } = result
  const spent = await settleRun(tx, { tenant_id, operation_id: id, run }, result.spent)
  if (!spent) return undefined
  await writeEnds(tx, call, result.attempts)
  await recordDecisions(tx, deps, call, 'output', result.decided)
  const is_kept = store || parameters.keyed === true
  const keeps = is_kept && text !== ''
  const output_ref = keeps ? await storeContent(tx, deps.kernel, call, text) : null
  const sha = hash('sha256', text, 'buffer')
  const output_length = codePoints(text)
  const { version, completed_at } = await tx.one(
    Version,
    sql`
      update inference.inference_operations
      set state = ${ending.state}, error_code = ${codeOf(ending)},
        retryable = ${isRetryable(ending)}, output_ref = ${output_ref},
        model_snapshot = ${result.spent.model_snapshot},
        provider_response_id = ${result.response_id},
        finish_reason = ${finishOf(ending)}, output_length = ${output_length},
        output_sha256 = ${sha}, completed_at = kernel.now(), version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and run = ${run}
        and state in ('running', 'reconciling')
      returning version, completed_at`,
  )
  if (!is_kept) await tx.run(eraseContents(tenant_id, id))
  const finish_reason = finishOf(ending)
  const error_code = codeOf(ending)
  announceEnd(
    tx,
    call,
    {
      state: ending.state,
      spent,
      ...(finish_reason === null ? {} : { finish_reason }),
      ...(error_code === null ? {} : { error_code }),
    },
    version,
  )
  return {
    call,
    result,
    spent,
    completed_at,
    output_length,
    output_sha256: sha.toString('hex'),
  }
}

export function codeOf(ending: Ending): string | null {
  if (ending.state === 'succeeded') return null
  return ending.state === 'blocked' ? 'content_blocked' : ending.code
}

/** The same key, or the job, may run it again. */
export function isRetryable(ending: Ending): boolean {
  if (ending.state === 'cancelled') return ending.retryable
  return ending.state === 'failed' && problemOf(ending).status >= 500
}

/** What the caller gets who has seen no output yet. */
export function problemOf(ending: Exclude<Ending, { readonly state: 'succeeded' }>): Problem {
  if (ending.state === 'blocked') return problem('content_blocked')
  if (ending.state === 'failed') return problem(ending.code)
  // Only a process that stops ends the call of a caller that is still there.
  return ending.retryable ? problem('shutting_down') : problem('inference_cancelled')
}

function finishOf(ending: Ending): string | null {
  return ending.state === 'succeeded' ? ending.finish_reason : null
}

function codePoints(text: string): number {
  // A low surrogate after a high one is the second half of one.
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}
