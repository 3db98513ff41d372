/** The pieces of an answer while it is written, from a model or from extracted sentences. */
import type { Source } from '../searches/hydrate.ts'
import type { AnswerUsage, Range } from './schemas.ts'

/** A quote of a source, by code points of its text. */
export type Quote = { readonly source: Source; readonly range: Range; readonly quote: string }
export type Sentence = { readonly text: string; readonly quotes: readonly Quote[] }

export type Start = {
  readonly type: 'started'
  readonly retrieval_version: string
  readonly prompt_version: string | null
  readonly model_version: string
  readonly degraded: readonly string[]
  readonly sources: readonly Source[]
}
export type Piece =
  | Start
  | ({ readonly type: 'sentence' } & Sentence)
  /** The model is writing, and no further sentence is complete. */
  | { readonly type: 'working' }
  | { readonly type: 'ended'; readonly usage: AnswerUsage }
