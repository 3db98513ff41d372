/** Requests embeddings as base64, because base64 takes a third of the bytes of numbers in JSON. */
import { Buffer } from 'node:buffer'
import type OpenAI from 'openai'
import { invalid } from '../failures.ts'
import type { Lines } from '../lines.ts'
import { whole } from '../make-call.ts'
import { nameFrom, usageFrom } from '../reported.ts'
import type { CallOptions, EmbedRequest, Embeddings } from '../provider.ts'

export async function embed(
  lines: Lines,
  { model, texts, dimensions, safety_identifier, provider_key, attempts_before }: EmbedRequest,
  options: CallOptions,
): Promise<Embeddings> {
  const body = {
    model,
    input: [...texts],
    encoding_format: 'base64',
    user: safety_identifier,
    ...(dimensions === undefined ? {} : { dimensions }),
  } satisfies OpenAI.EmbeddingCreateParams
  const sent = { method: 'POST', path: '/embeddings', body } as const
  const order = { ...sent, model, provider_key, attempts_before, options }
  return whole(lines, order, (reply: Reply) => embeddingsOf(reply, texts.length, dimensions))
}

/** As received: base64, unless the server ignores the option. */
type Reply = Omit<OpenAI.CreateEmbeddingResponse, 'data'> & {
  readonly data: readonly { readonly index: number; readonly embedding: unknown }[]
}

function embeddingsOf(
  { data, model, usage }: Reply,
  count: number,
  wanted: number | undefined,
): Embeddings {
  const vectors: Float32Array[] = []
  for (const { index, embedding } of data ?? []) vectors[index] = vectorOf(embedding)
  const dimensions = wanted ?? vectors[0]?.length ?? 0
  const whole = Array.from({ length: count }, (_, index) => vectors[index])
  const fits = whole.every(one => one && one.length === dimensions && one.every(Number.isFinite))
  if (vectors.length !== count || dimensions === 0 || !fits) throw invalid('embeddings', false)
  const none = { cached_input: 0, output: 0, reasoning: 0 }
  const input_tokens = usageFrom({ input: usage?.prompt_tokens, ...none })?.input ?? 0
  return { vectors, dimensions, model_snapshot: nameFrom(model), input_tokens }
}

/** Some servers ignore the base64 option and send numbers. */
function vectorOf(embedding: unknown): Float32Array {
  if (Array.isArray(embedding)) return Float32Array.from(embedding as number[])
  if (typeof embedding !== 'string') throw invalid('embeddings', false)
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0) throw invalid('embeddings', false)
  const vector = new Float32Array(bytes.length / 4)
  for (let at = 0; at < vector.length; at++) vector[at] = bytes.readFloatLE(at * 4)
  return vector
}
