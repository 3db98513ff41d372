/** POST /v1/embeddings, as the SDKs send it. The vectors are not stored: a retry is a new call. */
import { Type } from 'typebox'
import { closed, count, limit, oneOf, routesOf, text } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { embedTexts } from '../../embeddings/embed-texts.ts'
import { problem } from '../../errors.ts'
import { takeBody } from '../../operations/memory.ts'
import { tagsIn } from '../../quotas/tags.ts'
import { decideOn } from '../../safety/policy.ts'
import { call_fails } from '../../inferences/routes.ts'
import { errorOf, maybe } from '../dialect.ts'

const texts_max = limit('inference.embedding_texts', 2048, 'texts', 'Most texts of one request')
const Said = text(400_000)

const CreateEmbeddings = closed(
  {
    model: text(128),
    input: Type.Union([Said, Type.Array(Said, { minItems: 1, maxItems: texts_max })]),
    encoding_format: maybe(oneOf('float', 'base64')),
    dimensions: maybe(count(1, 8192)),
    // Without an effect.
    user: maybe(text(256)),
  },
  { title: 'CreateEmbeddings' },
)

const Tokens = Type.Integer({ minimum: 0 })
const Embeddings = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding'),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number(), { maxItems: 8192 }), Type.String()]),
      }),
      { maxItems: texts_max },
    ),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Tokens, total_tokens: Tokens }),
  },
  { title: 'Embeddings' },
)

const { open, post } = routesOf<Deps>({ permission: 'inference.operations.create', added: true })

export const vectorRoutes = open({
  createEmbeddings: post(
    '/v1/embeddings',
    'Embed texts as vectors, in the form of OpenAI',
    {
      description:
        'Up to 2,048 texts. The vectors come in the order of the texts, as numbers or as base64 of 32-bit floats. They are not stored, so each request is charged.',
      problemAs: errorOf,
      body_limit_bytes: 8 * 1024 * 1024,
      takesBody: takeBody,
      transaction: 'own',
      body: CreateEmbeddings,
      replies: { 200: Embeddings },
      fails: call_fails,
    },
    async ({ principal, body, request }, deps) => {
      const { kernel, policy } = deps
      const { model, input, dimensions, encoding_format } = body
      const texts = typeof input === 'string' ? [input] : input
      const decided = decideOn(policy, 'input', texts.join('\n'))
      if (decided.some(one => one.decision === 'block')) throw problem('content_blocked')
      const deadline_ms = kernel.clock.nowMs() + kernel.settings['inference.deadline_ms']
      const { vectors, model_snapshot, usage } = await embedTexts(
        deps,
        {
          tenant_id: principal.tenant_id,
          principal,
          workload: 'embedding',
          tags: tagsIn(request.headers),
          deadline: new Date(deadline_ms),
        },
        model,
        { texts, ...(dimensions ? { dimensions } : {}) },
        request.signal,
      )
      return {
        object: 'list' as const,
        data: vectors.map((vector, index) => ({
          object: 'embedding' as const,
          index,
          embedding: encoding_format === 'base64' ? base64Of(vector) : Array.from(vector),
        })),
        model: model_snapshot || model,
        usage: { prompt_tokens: usage.input_units, total_tokens: usage.input_units },
      }
    },
  ),
})

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString('base64')
}
