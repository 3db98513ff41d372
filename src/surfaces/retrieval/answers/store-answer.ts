/** Ends an answer once: its text, its citations and its event are one transaction. */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { codePointLength } from '../extraction/normalize.ts'
import { announce } from '../events.ts'
import type { Question } from './accept-question.ts'
import type { Quote, Sentence, Start } from './pieces.ts'
import type { AnswerUsage, Outcome, Range } from './schemas.ts'

export type Placed = Quote & { readonly rank: number; readonly answer_range: Range }

/** The growing text of an answer, with the position of each quote. */
export class Draft {
  text = ''
  readonly placed: Placed[] = []
  private length = 0

  /** Returns the added text and its citations. */
  add({ text, quotes }: Sentence): { delta: string; citations: Placed[] } {
    const delta = this.text === '' ? text : ` ${text}`
    const start = this.length + (this.text === '' ? 0 : 1)
    const end = start + codePointLength(text)
    this.text += delta
    this.length = end
    const citations = quotes.map((quote, at) => ({
      ...quote,
      rank: this.placed.length + at + 1,
      answer_range: { start, end },
    }))
    this.placed.push(...citations)
    return { delta, citations }
  }

  get outcome(): Outcome {
    return this.text === '' ? 'insufficient_evidence' : 'answered'
  }
}

export async function completeAnswer(
  tx: Tx,
  { asker: { tenant_id }, id }: Question,
  started: Start,
  draft: Draft,
  usage: AnswerUsage,
): Promise<boolean> {
  const { retrieval_version, prompt_version, model_version, degraded } = started
  const { outcome } = draft
  const completed = await tx.run(sql`
    update retrieval.answers set state = 'completed', outcome = ${outcome},
      retrieval_version = ${retrieval_version}, prompt_version = ${prompt_version},
      model_version = ${model_version}, response_ref = id, usage = ${sql.json(usage)},
      degraded = ${degraded}::text[], leased_until = null, completed_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${id} and state = 'running'`)
  if (completed === 0) return false
  await tx.run(sql`
    update retrieval.answer_texts set text = ${draft.text}
    where tenant_id = ${tenant_id} and id = ${id}`)
  const rows = draft.placed.map(({ rank, source, range, answer_range }) => ({
    rank,
    chunk_id: source.chunk_id,
    document_id: source.document_id,
    document_version: source.document_version,
    from: range.start,
    until: range.end,
    answer_from: answer_range.start,
    answer_until: answer_range.end,
  }))
  const columns = {
    rank: 'int4',
    chunk_id: 'uuid',
    document_id: 'uuid',
    document_version: 'int4',
    from: 'int4',
    until: 'int4',
    answer_from: 'int4',
    answer_until: 'int4',
  }
  await tx.run(sql`
    insert into retrieval.citations (tenant_id, answer_id, rank, chunk_id, document_id,
      document_version, quoted_range, answer_range)
    select ${tenant_id}, ${id}, r.rank, r.chunk_id, r.document_id, r.document_version,
      int4range(r."from", r."until"), int4range(r.answer_from, r.answer_until)
    from ${sql.table(rows, columns)} r`)
  const of = { tenant_id, aggregate_type: 'answer', id, version: 1 } as const
  announce(tx, 'answer.completed', of, { answer_id: id, outcome, usage })
  return true
}

/** Stores that an answer failed; `redacted` if its sources were lost meanwhile. */
export async function endAnswer(
  runner: Pick<Tx, 'run'>,
  { asker: { tenant_id }, id }: Question,
  state: 'failed' | 'cancelled' | 'redacted',
  error_code: string | null,
): Promise<void> {
  await runner.run(sql`
    update retrieval.answers set state = ${state}, error_code = ${error_code}, leased_until = null,
      completed_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${id} and state = 'running'`)
}

/** A retry after the process died continues with the same answer. */
export async function resumeAnswer(
  { kernel: { db, settings } }: Pick<Deps, 'kernel'>,
  { asker: { tenant_id }, id }: Question,
): Promise<void> {
  const lease_seconds = settings['retrieval.answer_seconds'] + 30
  await db.run(sql`
    update retrieval.answers set state = 'running', error_code = null, completed_at = null,
      leased_until = now() + make_interval(secs => ${lease_seconds})
    where tenant_id = ${tenant_id} and id = ${id} and state in ('running', 'failed', 'cancelled')`)
}
