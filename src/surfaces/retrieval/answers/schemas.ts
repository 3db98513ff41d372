/** Answers in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, oneOf, Time } from '#dodeca/kernel'
import { QuestionFields } from '../searches/routes.ts'

export const AskQuestion = closed(
  {
    ...QuestionFields,
    conversation_context_ref: Type.Optional(Id),
    response_mode: Type.Optional(oneOf('blocking', 'streaming')),
    answerer: Type.Optional(oneOf('auto', 'extractive', 'generative')),
  },
  { title: 'AskQuestion' },
)
export type AskQuestion = Static<typeof AskQuestion>

export const Range = Type.Object(
  { start: Type.Integer(), end: Type.Integer() },
  { title: 'CodePointRange' },
)
export type Range = Static<typeof Range>

export const Citation = Type.Object(
  {
    rank: Type.Integer(),
    redacted: Type.Boolean(),
    chunk_id: nullable(Id),
    document_id: nullable(Id),
    document_version: nullable(Type.Integer()),
    title: nullable(Type.String()),
    source_uri: nullable(Type.String()),
    page: nullable(Type.Integer()),
    quoted_range: nullable(Range),
    quote: nullable(Type.String()),
    answer_range: nullable(Range),
  },
  { title: 'Citation' },
)
export type Citation = Static<typeof Citation>

export const AnswerUsage = Type.Object(
  {
    input_units: Type.Integer(),
    output_units: Type.Integer(),
    cost_amount: nullable(Type.String()),
    currency: nullable(Type.String()),
    retrieval_ms: Type.Integer(),
  },
  { title: 'AnswerUsage' },
)
export type AnswerUsage = Static<typeof AnswerUsage>

export const outcomes = ['answered', 'insufficient_evidence'] as const
export type Outcome = (typeof outcomes)[number]

export const Answer = Type.Object(
  {
    id: Id,
    state: oneOf('running', 'completed', 'failed', 'cancelled', 'redacted'),
    outcome: nullable(oneOf(...outcomes)),
    text: nullable(Type.String()),
    citations: Type.Array(Citation, { maxItems: 200 }),
    retrieval_version: nullable(Type.String()),
    prompt_version: nullable(Type.String()),
    model_version: nullable(Type.String()),
    degraded: Type.Array(Type.String(), { maxItems: 5 }),
    usage: nullable(AnswerUsage),
    error_code: nullable(Type.String()),
    created_at: Time,
    request_id: Type.String(),
  },
  { title: 'Answer' },
)
export type Answer = Static<typeof Answer>
