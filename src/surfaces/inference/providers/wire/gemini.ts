/**
 * The adapter for Gemini's generateContent. A call of a model that thinks has a signature, and the
 * request with its result is refused without it, so the signatures are sealed with their places.
 */
import { newId } from '#dodeca/kernel'
import { failureOfCode, invalid, unable } from '../failures.ts'
import { itemsOf, textIn, type Item, type Part, type ToolCall } from '../form.ts'
import type { Lines } from '../lines.ts'
import { streamed } from '../make-call.ts'
import { ProviderFailure, type Provider, type ProviderRequest } from '../provider.ts'
import type { End, Read } from '../read-stream.ts'
import { nameFrom, usageFrom } from '../reported.ts'
import { withoutBackground } from './without-background.ts'

type WirePart = {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown }
  readonly functionResponse?: {
    readonly id: string
    readonly name: string
    readonly response: object
  }
}
type Content = { role: 'user' | 'model'; parts: WirePart[] }

type Chunk = {
  readonly responseId?: string
  readonly modelVersion?: string
  readonly promptFeedback?: { readonly blockReason?: string }
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly WirePart[] }
    readonly finishReason?: string
  }[]
  readonly usageMetadata?: Readonly<Record<string, unknown>>
}

/** The place of a call in its answer, and its signature. */
type Signed = { readonly at: number; readonly signature: string }

/** What the vendor documents for calls that another model made. */
const unsigned = 'skip_thought_signature_validator'
const calls_max = 128

export function openGemini({ name, lines }: { name: string; lines: Lines }): Provider {
  return {
    ...withoutBackground(lines),
    name,
    kind: 'gemini',
    has: ['image', 'document', 'reasoning', 'seed'],
    complete: (request, options) => {
      const { model, provider_key, attempts_before } = request
      const sent = {
        method: 'POST',
        path: `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
        body: bodyOf(request, name),
      } as const
      return streamed(lines, { ...sent, model, provider_key, attempts_before, options }, reader())
    },
  }
}

function bodyOf(request: ProviderRequest, provider: string) {
  const { instructions, max_output_tokens, temperature, top_p, stop, seed } = request
  const items = itemsOf(request.input)
  const system = [
    ...(instructions === undefined ? [] : [instructions]),
    ...items.filter(isSystem).map(textIn),
  ].filter(text => text !== '')
  return {
    contents: contentsOf(items, provider),
    ...(system.length > 0 ? { systemInstruction: { parts: system.map(text => ({ text })) } } : {}),
    generationConfig: {
      maxOutputTokens: max_output_tokens,
      ...(temperature === undefined ? {} : { temperature }),
      ...(top_p === undefined ? {} : { topP: top_p }),
      ...(stop === undefined ? {} : { stopSequences: [...stop] }),
      ...(seed === undefined ? {} : { seed }),
      ...formatOf(request),
      ...thinkingOf(request),
    },
    ...toolsOf(request),
  }
}

const isSystem = (item: Item) => item.type === 'message' && item.role === 'system'

function formatOf({ response_format: format = { type: 'text' } }: ProviderRequest) {
  if (format.type === 'text') return {}
  const schema = format.type === 'json_schema' ? { responseJsonSchema: format.schema } : {}
  return { responseMimeType: 'application/json', ...schema }
}

function thinkingOf({ reasoning_effort: effort }: ProviderRequest) {
  if (effort === undefined) return {}
  const wish = effort === 'none' ? { thinkingBudget: 0 } : { thinkingLevel: effort.toUpperCase() }
  return { thinkingConfig: wish }
}

function toolsOf({ tools = [], tool_choice: choice, parallel_tool_calls }: ProviderRequest) {
  if (tools.length === 0) return {}
  if (parallel_tool_calls === false) throw unable('parallel_tool_calls')
  const declared = tools.map(({ name, description, schema }) => ({
    name,
    parametersJsonSchema: schema,
    ...(description === undefined ? {} : { description }),
  }))
  return {
    tools: [{ functionDeclarations: declared }],
    ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: choiceOf(choice) } }),
  }
}

function choiceOf(choice: NonNullable<ProviderRequest['tool_choice']>) {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice] }
}

/** Items of one side that follow each other are one content, as are the results of one answer. */
function contentsOf(items: readonly Item[], provider: string): Content[] {
  const contents: Content[] = []
  const names = new Map<string, string>()
  const signed = new Map<number, string>()
  let calls = 0
  const add = (role: Content['role'], parts: WirePart[]) => {
    const last = contents.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else contents.push({ role, parts })
    if (role === 'model') return
    signed.clear()
    calls = 0
  }
  for (const item of items.filter(one => !isSystem(one))) {
    switch (item.type) {
      case 'message':
        add(item.role === 'user' ? 'user' : 'model', item.parts.map(partOf))
        break
      case 'sealed':
        if (item.provider !== provider) break
        for (const { at, signature } of JSON.parse(item.data) as Signed[]) signed.set(at, signature)
        break
      case 'tool_call': {
        const { id, name, arguments: said } = item
        names.set(id, name)
        const thoughtSignature = signed.get(calls) ?? (calls === 0 ? unsigned : undefined)
        const functionCall = { id, name, args: JSON.parse(said) as unknown }
        add('model', [{ functionCall, ...(thoughtSignature ? { thoughtSignature } : {}) }])
        calls++
        break
      }
      case 'tool_result': {
        const { id, output, is_error } = item
        const response = is_error ? { error: output } : { output }
        add('user', [{ functionResponse: { id, name: names.get(id) ?? '', response } }])
      }
    }
  }
  return contents
}

function partOf(part: Part): WirePart {
  if (part.type === 'text') return { text: part.text }
  return { inlineData: { mimeType: part.media_type, data: part.data } }
}

/** The calls are passed on together at the end, and the numbers of each chunk are sums. */
function reader(): (chunk: Chunk) => Read {
  const calls: ToolCall[] = []
  const signed: Signed[] = []
  let created = false
  let counted: Chunk['usageMetadata']
  return chunk => {
    const { responseId, modelVersion, promptFeedback, candidates, usageMetadata } = chunk
    const events: Read['events'][number][] = []
    const names = { response_id: nameFrom(responseId), model_snapshot: nameFrom(modelVersion) }
    if (!created) events.push({ type: 'created', ...names })
    created = true
    const [candidate] = candidates ?? []
    for (const { text, thought, thoughtSignature, functionCall } of candidate?.content?.parts ??
      []) {
      if (functionCall) {
        if (calls.length >= calls_max) throw invalid('tool_calls', false)
        if (thoughtSignature) signed.push({ at: calls.length, signature: thoughtSignature })
        const { id = `call_${newId()}`, name, args = {} } = functionCall
        calls.push({ id, name, arguments: JSON.stringify(args) })
      } else if (text && !thought) events.push({ type: 'text', text })
    }
    counted = usageMetadata ?? counted
    const blocked = promptFeedback?.blockReason
    const end = blocked ? filtered(blocked) : endOf(candidate?.finishReason, calls.length > 0)
    if (!end) return { events }
    const usage = counted && usageOf(counted)
    if (usage) events.push({ type: 'usage', ...usage })
    if ('ended' in end && end.ended === 'tool_calls') {
      if (signed.length > 0) events.push({ type: 'sealed', data: JSON.stringify(signed) })
      for (const call of calls) events.push({ type: 'tool_call', ...call })
    }
    return { events, end, last: true }
  }
}

function usageOf(usage: Readonly<Record<string, unknown>>) {
  const { promptTokenCount: input, cachedContentTokenCount: cached_input } = usage
  const { candidatesTokenCount: said, thoughtsTokenCount: thought = 0 } = usage
  const output = typeof said === 'number' && typeof thought === 'number' ? said + thought : said
  return usageFrom({ input, cached_input, output, reasoning: thought })
}

function endOf(reason: string | undefined, has_calls: boolean): End | undefined {
  switch (reason) {
    case undefined:
    case 'FINISH_REASON_UNSPECIFIED':
      return undefined
    case 'STOP':
      return { ended: has_calls ? 'tool_calls' : 'stop' }
    case 'MAX_TOKENS':
      return { ended: 'length' }
    case 'CONTINUATION':
      // The vendor's own limit of one request. Its token to go on is not used.
      return { ended: 'length' }
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
      return filtered(reason)
    case 'MALFORMED_FUNCTION_CALL':
    case 'MALFORMED_RESPONSE':
    case 'UNEXPECTED_TOOL_CALL':
    case 'TOO_MANY_TOOL_CALLS':
      return invalid(reason.toLowerCase(), false)
    default:
      return failureOfCode(reason.toLowerCase())
  }
}

function filtered(reason: string): ProviderFailure {
  const blocked = 'provider_content_filter'
  return new ProviderFailure('content_blocked', { blocked, reason: reason.toLowerCase() })
}
