/**
 * The adapter for Chat Completions. Most servers support this protocol (llama.cpp, vLLM, gateways).
 * The adapter sends only properties that all of them know.
 */
import type OpenAI from 'openai'
import { embed } from './embed.ts'
import { failureOfCode, invalid } from './failures.ts'
import { streamed } from './make-call.ts'
import type { AdapterOptions } from './openai.ts'
import { ProviderFailure, type Provider, type ProviderRequest } from './provider.ts'
import type { End, Read } from './read-stream.ts'
import { nameFrom, usageFrom } from './reported.ts'
import { isStrict } from './strict-schema.ts'

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk
type Params = OpenAI.Chat.Completions.ChatCompletionCreateParams

export function openCompatible({ name, lines }: Omit<AdapterOptions, 'secrets'>): Provider {
  const absent = () => Promise.reject(new ProviderFailure('model_capability_unsupported'))
  return {
    name,
    kind: 'openai_compatible',
    has_background: false,
    health: lines.health,
    close: lines.close,
    complete: (request, options) => {
      const { model, provider_key, attempts_before } = request
      const sent = {
        method: 'POST',
        path: '/chat/completions',
        body: bodyOf(request) satisfies Params,
      } as const
      return streamed(lines, { ...sent, model, provider_key, attempts_before, options }, reader())
    },
    background: absent,
    retrieve: absent,
    cancel: absent,
    embed: (request, options) => embed(lines, request, options),
    verifyWebhook: () => Promise.resolve({ refused: 'signature_invalid' }),
  }
}

function bodyOf(request: ProviderRequest) {
  const { model, input, instructions, max_output_tokens, temperature, top_p } = request
  const { response_format: format } = request
  const said = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input
  return {
    model,
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
      ...said.map(({ role, content }) => ({ role, content })),
    ],
    // Many servers do not know the newer name.
    max_tokens: max_output_tokens,
    user: request.safety_identifier,
    stream: true as const,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(format?.type === 'json_schema'
      ? {
          response_format: {
            type: format.type,
            json_schema: {
              name: format.name,
              schema: format.schema as Record<string, unknown>,
              strict: isStrict(format.schema),
            },
          },
        }
      : {}),
  }
}

function reader(): (chunk: Chunk) => Read {
  let created = false
  let refused = false
  return ({ id, model, choices, usage }) => {
    const events: Read['events'][number][] = []
    const names = { response_id: nameFrom(id), model_snapshot: nameFrom(model) }
    if (!created) events.push({ type: 'created', ...names })
    created = true
    const [choice] = choices ?? []
    if (choice?.delta.refusal) refused = true
    if (choice?.delta.content) events.push({ type: 'text', text: choice.delta.content })
    const counted = usage && usageIn(usage)
    if (counted) events.push({ type: 'usage', ...counted })
    const end = choice?.finish_reason ? endOf(choice.finish_reason, refused) : undefined
    // The usage comes after the end, in a chunk without choices.
    return { events, ...(end ? { end } : {}), ...(usage ? { last: true } : {}) }
  }
}

function usageIn(usage: NonNullable<Chunk['usage']>) {
  return usageFrom({
    input: usage.prompt_tokens,
    cached_input: usage.prompt_tokens_details?.cached_tokens,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  })
}

function endOf(reason: string, refused: boolean): End {
  if (refused) {
    const options = { blocked: 'provider_refusal' as const, reason: 'refusal' }
    return new ProviderFailure('content_blocked', options)
  }
  if (reason === 'stop') return { ended: 'stop' }
  if (reason === 'length') return { ended: 'length' }
  return reason === 'content_filter' ? failureOfCode(reason) : invalid('finish_reason', false)
}
