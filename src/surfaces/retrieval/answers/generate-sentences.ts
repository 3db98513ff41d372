/**
 * An answer written by a model. The model gets the sources as blocks between markers with a random
 * code, so that no document can imitate a marker. The model returns JSON. The JSON is parsed while it
 * arrives. Each sentence is verified as soon as it is complete, and all other output is ignored.
 */
import { JSONParser } from '@streamparser/json'
import { newSecret } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Source } from '../searches/hydrate.ts'
import type { Question } from './accept-question.ts'
import type { Piece, Start } from './pieces.ts'
import type { Context } from './read-context.ts'
import type { AnswerUsage } from './schemas.ts'
import { verifySentence } from './verify-sentence.ts'

const max_output_tokens = 1200
const sentences_max = 40

const schema = {
  name: 'cited_answer',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['sentences', 'insufficient'],
    properties: {
      sentences: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['text', 'citations'],
          properties: {
            text: { type: 'string' },
            citations: {
              type: 'array',
              items: {
                type: 'object',
                additionalProperties: false,
                required: ['label', 'quote'],
                properties: { label: { type: 'string' }, quote: { type: 'string' } },
              },
            },
          },
        },
      },
      insufficient: { type: 'boolean' },
    },
  },
}

type Found = Pick<Start, 'retrieval_version' | 'degraded' | 'sources'> & {
  readonly retrieval_ms: number
  readonly context: readonly Context[]
}

export async function* generateSentences(
  { kernel, models }: Pick<Deps, 'kernel' | 'models'>,
  { asker, id, query, tags }: Question,
  { retrieval_ms, context, ...found }: Found,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const blocks = new Map(found.sources.map((source, at) => [`k${at + 1}`, source]))
  const deadline_ms = kernel.clock.nowMs() + kernel.settings['retrieval.answer_seconds'] * 1000
  const order = {
    tenant_id: asker.tenant_id,
    principal: { id: asker.id, kind: asker.kind },
    workload: 'retrieval_answer',
    parent_id: id,
    deadline: new Date(deadline_ms),
    tags,
  } as const
  const input = inputOf(blocks, context, query)
  const prompt = { prompt: 'cited_answer@1', input, schema, max_output_tokens } as const
  const said = openSaid()
  let given = 0
  for await (const piece of models.generate(order, prompt, signal)) {
    if (piece.type === 'started') {
      const { prompt_version, model_snapshot: model_version } = piece
      yield { type: 'started', ...found, prompt_version, model_version }
    } else if (piece.type === 'text') {
      const verified = said.add(piece.text).flatMap(one => verifySentence(one, blocks) ?? [])
      for (const sentence of verified) {
        if (given++ < sentences_max) yield { type: 'sentence', ...sentence }
      }
      if (verified.length === 0) yield { type: 'working' }
    } else yield { type: 'ended', usage: usageOf(piece.usage, retrieval_ms) }
  }
}

function usageOf(
  { input_units, output_units, cost_amount, currency }: Omit<AnswerUsage, 'retrieval_ms'>,
  retrieval_ms: number,
): AnswerUsage {
  return { input_units, output_units, cost_amount, currency, retrieval_ms }
}

/** Everything after a syntax error in the JSON is ignored. */
function openSaid() {
  const complete: unknown[] = []
  let broken = false
  const parser = new JSONParser({ paths: ['$.sentences.*'], keepStack: false })
  parser.onValue = ({ value }) => void complete.push(structuredClone(value))
  parser.onError = () => {
    broken = true
  }
  return {
    add: (text: string): unknown[] => {
      if (broken || parser.isEnded) return []
      try {
        parser.write(text)
      } catch {
        broken = true
      }
      return complete.splice(0)
    },
  }
}

function inputOf(
  blocks: ReadonlyMap<string, Source>,
  context: readonly Context[],
  query: string,
): string {
  const texts = [...blocks.values()].map(one => one.text)
  let code = newSecret(16)
  while (texts.some(text => text.includes(code))) code = newSecret(16)
  const quoted = [...blocks].map(
    ([label, source]) => `<<BLOCK ${label} ${code}>>\n${escaped(source.text)}\n<<END ${code}>>`,
  )
  const earlier = context.flatMap(one => [
    `Earlier question: ${one.query}`,
    ...(one.text === null ? [] : [`Earlier answer: ${one.text}`]),
  ])
  return [...quoted, ...earlier, `Question: ${query}`].join('\n\n')
}

/** A block must not look like a marker. */
function escaped(text: string): string {
  return text.replaceAll('<<', '< <').replaceAll('>>', '> >')
}
