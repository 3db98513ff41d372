/**
 * Streams an answer sentence by sentence. Before each sentence every source is checked against the
 * live rows, in the version that was read. If a source is lost, the stream ends with an error and
 * the answer is redacted. A citation is sent before its sentence.
 */
import { createHash } from 'node:crypto'
import { Problem, type EventStream, type SseEvent } from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { readQuestion, type Question } from './accept-question.ts'
import type { Piece, Start } from './pieces.ts'
import { produce, requireSources } from './produce.ts'
import type { Answer, AnswerUsage, Citation } from './schemas.ts'
import { answerView, findAnswer } from './show-answer.ts'
import { completeAnswer, Draft, endAnswer, resumeAnswer, type Placed } from './store-answer.ts'

/** Resolves when the first piece is available, so that an earlier failure is an error status. */
export async function openAnswerStream(
  deps: Deps,
  id: string,
  attempt: 'first' | 'resumed',
  signal: AbortSignal,
): Promise<EventStream> {
  const question = await readQuestion(deps.kernel.db, id)
  if (attempt === 'resumed') await resumeAnswer(deps, question)
  const pieces = produce(deps, question, signal)
  const numbered = openNumbers(question)
  try {
    const first = await pieces.next()
    if (first.done || first.value.type !== 'started') throw new Error('an answer did not start')
    const events = eventsOf(deps, question, first.value, pieces, numbered, signal)
    return Object.assign(events, { ending: (code: string) => numbered.error(code, true) })
  } catch (error) {
    const code = error instanceof Problem ? error.code : 'internal_error'
    await endAnswer(deps.kernel.db, question, signal.aborted ? 'cancelled' : 'failed', code)
    throw error
  }
}

type Numbers = ReturnType<typeof openNumbers>

function openNumbers({ request_id }: Question) {
  let sequence = 0
  const event = (name: string, data: object): SseEvent => ({
    event: name,
    data: { sequence: ++sequence, ...data },
  })
  return {
    event,
    last: (name: string, data: object): SseEvent => ({ ...event(name, data), terminal: true }),
    error: (code: string, retryable: boolean): SseEvent => ({
      ...event('error', { code, retryable, request_id }),
      terminal: true,
    }),
  }
}

async function* eventsOf(
  deps: Deps,
  question: Question,
  started: Start,
  pieces: AsyncGenerator<Piece>,
  numbered: Numbers,
  signal: AbortSignal,
): AsyncGenerator<SseEvent> {
  const { db, fault } = deps.kernel
  const { asker, id } = question
  const { sources, retrieval_version } = started
  const draft = new Draft()
  let usage: AnswerUsage | undefined
  let ended = false
  try {
    yield numbered.event('started', { answer_id: id, retrieval_version })
    yield numbered.event('sources', { documents: documentsOf(sources) })
    for await (const piece of pieces) {
      if (piece.type === 'working') yield { event: 'working', data: {}, silent: true }
      if (piece.type === 'ended') ({ usage } = piece)
      if (piece.type !== 'sentence') continue
      await fault('retrieval.before_sentence')
      await requireSources(db, deps, asker, sources)
      const { delta, citations } = draft.add(piece)
      for (const one of citations) yield numbered.event('citation', citationOf(one))
      yield numbered.event('delta', { text: delta })
    }
    if (!usage) throw new Error('an answer ended without its last piece')
    const spent = usage
    await db.tx(async tx => {
      await requireSources(tx, deps, asker, sources)
      await completeAnswer(tx, question, started, draft, spent)
    })
    ended = true
    yield numbered.event('usage', usage)
    yield numbered.last('completed', completed(id, draft.outcome, draft.text))
  } catch (error) {
    if (signal.aborted) throw error
    if (!(error instanceof Problem)) deps.kernel.log.error({ err: error, id }, 'an answer failed')
    ended = true
    const { code, retryable } = error instanceof Problem ? error : problem('internal_error')
    const lost = code === 'answer_sources_changed'
    await endAnswer(deps.kernel.db, question, lost ? 'redacted' : 'failed', code)
    yield numbered.error(code, retryable)
  } finally {
    if (!ended) await endAnswer(deps.kernel.db, question, 'cancelled', null).catch(() => {})
  }
}

function documentsOf(sources: Start['sources']) {
  const titles = new Map(sources.map(one => [one.document_id, one.title]))
  return [...titles].map(([document_id, title]) => ({ document_id, title }))
}

function citationOf({ rank, source, quote, range, answer_range }: Placed): Citation {
  const { chunk_id, document_id, document_version, title, source_uri, page_starts } = source
  const further = page_starts.filter(start => start <= range.start).length
  const page = source.page === null ? null : source.page + further
  return {
    rank,
    redacted: false,
    chunk_id,
    document_id,
    document_version,
    title,
    source_uri,
    page,
    quoted_range: range,
    quote,
    answer_range,
  }
}

function completed(answer_id: string, outcome: Answer['outcome'], text: string) {
  const output_sha256 = createHash('sha256').update(text).digest('hex')
  return { answer_id, outcome, output_sha256 }
}

/** Streams the stored answer again, if the caller may still read it. */
export async function* repeatAnswerStream(deps: Deps, id: string): AsyncGenerator<SseEvent> {
  const { db } = deps.kernel
  const question = await readQuestion(db, id)
  const numbered = openNumbers(question)
  const { asker } = question
  const stored = await findAnswer(db, asker.tenant_id, id)
  const answer = stored && (await answerView(db, await callerOf(db, deps, asker), stored))
  if (answer?.state !== 'completed' || answer.text === null) {
    const code = answer?.state === 'redacted' ? 'answer_sources_changed' : answer?.error_code
    yield numbered.error(code ?? 'internal_error', false)
    return
  }
  const { retrieval_version, citations, text, usage, outcome } = answer
  yield numbered.event('started', { answer_id: id, retrieval_version })
  const titles = new Map(citations.map(one => [one.document_id, one.title]))
  const documents = [...titles].map(([document_id, title]) => ({ document_id, title }))
  yield numbered.event('sources', { documents })
  for (const one of citations) yield numbered.event('citation', one)
  if (text !== '') yield numbered.event('delta', { text })
  yield numbered.event('usage', usage ?? {})
  yield numbered.last('completed', completed(id, outcome, text))
}
