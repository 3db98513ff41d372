/**
 * Returns an answer as one JSON reply. Its sources are checked again in the transaction that
 * completes it.
 */
import { Problem, type Tx } from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { readQuestion, type Question } from './accept-question.ts'
import type { Start } from './pieces.ts'
import { produce, requireSources } from './produce.ts'
import type { Answer, AnswerUsage } from './schemas.ts'
import { answerView, findAnswer } from './show-answer.ts'
import { completeAnswer, Draft, endAnswer, resumeAnswer } from './store-answer.ts'

export type Written = {
  readonly question: Question
  readonly started: Start
  readonly draft: Draft
  readonly usage: AnswerUsage
}

/** A failure here is not recorded for the key, so that a retry may succeed. */
export async function writeAnswer(
  deps: Deps,
  id: string,
  attempt: 'first' | 'resumed',
  signal: AbortSignal,
): Promise<Written> {
  const question = await readQuestion(deps.kernel.db, id)
  if (attempt === 'resumed') await resumeAnswer(deps, question)
  const late = AbortSignal.timeout(deps.kernel.settings['retrieval.answer_seconds'] * 1000)
  try {
    const draft = new Draft()
    let started: Start | undefined
    for await (const piece of produce(deps, question, AbortSignal.any([signal, late]))) {
      if (piece.type === 'started') started = piece
      if (piece.type === 'sentence') draft.add(piece)
      if (piece.type === 'ended' && started) {
        return { question, started, draft, usage: piece.usage }
      }
    }
    throw new Error('an answer ended without its last piece')
  } catch (error) {
    const state = signal.aborted ? 'cancelled' : 'failed'
    const code = error instanceof Problem ? error.code : 'internal_error'
    await endAnswer(deps.kernel.db, question, state, late.aborted ? 'upstream_timeout' : code)
    if (late.aborted && !signal.aborted) throw problem('upstream_timeout', {}, { cause: error })
    throw error
  }
}

/** Returns the answer, or an error if a source was lost meanwhile. */
export async function finishAnswer(
  tx: Tx,
  deps: Deps,
  { question, started, draft, usage }: Written,
): Promise<Answer | Problem> {
  const { asker, id } = question
  try {
    await requireSources(tx, deps, asker, started.sources)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    await endAnswer(tx, question, 'redacted', error.code)
    return error
  }
  await completeAnswer(tx, question, started, draft, usage)
  const stored = await findAnswer(tx, asker.tenant_id, id)
  if (!stored) throw problem('answer_not_found')
  return await answerView(tx, await callerOf(tx, deps, asker), stored)
}
