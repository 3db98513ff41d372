/**
 * Produces an answer piece by piece: its sources, then verified sentences, then its usage and cost.
 * Both ways to write an answer produce these pieces, and both kinds of reply consume them.
 */
import type { Reader } from '#dodeca/kernel'
import { callerOf, type Asker } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { allReadable, type Source } from '../searches/hydrate.ts'
import { search } from '../searches/search.ts'
import type { Question } from './accept-question.ts'
import { extractSentences } from './extract-sentences.ts'
import { generateSentences } from './generate-sentences.ts'
import { readContext } from './read-context.ts'
import type { Piece } from './pieces.ts'

const extractive_version = 'extractive@1'

export async function* produce(
  deps: Deps,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const { db } = deps.kernel
  const began_ms = performance.now()
  const { asker, collection_ids, conditions, top_k, tags } = question
  const caller = await callerOf(db, deps, asker)
  const context = await readContext(db, caller, question)
  const query = [...context.map(one => one.query), question.query].join(' ')
  const found = await search(deps, caller, { collection_ids, conditions, top_k, query, tags })
  const { sources, retrieval_version, degraded } = found
  const retrieval_ms = Math.round(performance.now() - began_ms)
  signal.throwIfAborted()
  // If there is no source, a model has nothing to quote.
  if (question.answerer === 'generative' && sources.length > 0) {
    yield* generateSentences(deps, question, { ...found, retrieval_ms, context }, signal)
    return
  }
  yield {
    type: 'started',
    retrieval_version,
    degraded,
    sources,
    prompt_version: null,
    model_version: extractive_version,
  }
  for (const sentence of extractSentences(question.query, sources)) {
    yield { type: 'sentence', ...sentence }
  }
  const free = { input_units: 0, output_units: 0, cost_amount: null, currency: null }
  yield { type: 'ended', usage: { ...free, retrieval_ms } }
}

/**
 * Runs before any part of an answer is sent. Every source of the answer must still be served in
 * this version, and the caller must be allowed to read it with their current roles.
 */
export async function requireSources(
  reader: Reader,
  deps: Pick<Deps, 'people'>,
  asker: Asker,
  sources: readonly Source[],
): Promise<void> {
  if (sources.length === 0) return
  const caller = await callerOf(reader, deps, asker)
  const ids = sources.map(one => one.chunk_id)
  if (!(await allReadable(reader, caller, ids))) throw problem('answer_sources_changed')
}
