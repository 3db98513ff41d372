/**
 * The model's answer to a prompt: its deltas, how it ends, and its usage. The same prompt gets the
 * same answer.
 */
import { citedAnswer } from './cited-answer.ts'
import type { FaultRule } from './faults.ts'
import type { Offer, Prompt } from './prompt.ts'
import { drawer, prose } from './prose.ts'
import { sampleOf } from './sample.ts'
import { idOf } from './vendor-id.ts'
import { countTokens, tokensOf } from './tokens.ts'

export type Ending =
  | { readonly status: 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }

export type Usage = {
  readonly input: number
  readonly cached: number
  readonly output: number
  /** A part of the output, of which no text is shown. */
  readonly reasoning: number
}

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string }

export type Answer = {
  /** The calls of tools. An answer with calls has no text. */
  readonly calls: readonly ToolCall[]
  readonly deltas: readonly string[]
  readonly refused: boolean
  readonly ending: Ending
  readonly usage: Usage | null
}

const words_least = 40
const words_spread = 80

export function answerTo(prompt: Prompt, fault: FaultRule | undefined): Answer {
  const action = fault?.action
  const calls = callsOf(prompt, fault)
  if (calls.length > 0) return calling(prompt, calls)
  const all = action === 'say' ? (fault?.deltas ?? []) : tokensOf(saidTo(prompt, fault))
  const half = Math.max(1, Math.floor(all.length / 2))
  const cut = action === 'incomplete' || action === 'failed_event' || action === 'content_filter'
  const limit = Math.min(prompt.max_output_tokens, cut ? (fault?.after ?? half) : Infinity)
  const tokens = all.slice(0, limit)
  const chunk = Math.max(1, Number(prompt.directives['chunk'] ?? 1))
  const reasoning = Number(prompt.directives['reasoning'] ?? 0)
  const usage = {
    input: countTokens(prompt.text),
    cached: Math.min(countTokens(prompt.text), Number(prompt.directives['cached'] ?? 0)),
    output: tokens.length + reasoning,
    reasoning,
  }
  return {
    calls: [],
    deltas: chunk === 1 ? tokens : joined(tokens, chunk),
    refused: action === 'refusal',
    ending: endingOf(fault, tokens.length < all.length),
    usage: action === 'usage_missing' || action === 'failed_event' ? null : lying(usage, fault),
  }
}

/** `usage_lies` with the code `negative` or `huge`. */
function lying(usage: Usage, fault: FaultRule | undefined): Usage {
  if (fault?.action !== 'usage_lies') return usage
  return { ...usage, output: fault.code === 'negative' ? -usage.output : 1e12 }
}

function calling(prompt: Prompt, calls: readonly ToolCall[]): Answer {
  const output = calls.reduce((sum, one) => sum + countTokens(one.arguments) + 8, 0)
  const reasoning = Number(prompt.directives['reasoning'] ?? 0)
  const input = countTokens(prompt.text)
  const usage = { input, cached: 0, output: output + reasoning, reasoning }
  return { calls, deltas: [], refused: false, ending: { status: 'completed' }, usage }
}

/** `call=NAME` calls this tool until `steps` results came. A required choice calls its tool once. */
function callsOf(prompt: Prompt, fault: FaultRule | undefined): ToolCall[] {
  const { tools, tool_choice, results, directives } = prompt
  const { call, args, steps = '1', calls = '1' } = directives
  const is_forced = tool_choice === 'required' || tools.some(one => one.name === tool_choice)
  const forced = tool_choice === 'required' ? tools[0]?.name : tool_choice
  const wanted = call ?? (is_forced ? forced : '')
  const tool = tools.find(one => one.name === wanted)
  if (!tool || tool_choice === 'none' || results >= Number(steps) * Number(calls)) return []
  const draw = drawer(JSON.stringify([prompt.input, results]))
  const sample = (schema: object) =>
    JSON.stringify(sampleOf({ ...schema }, () => prose(draw, 2)) ?? {})
  const least = args === 'least' ? sample(requiredOf(tool.parameters)) : args
  const said = least ?? sample(tool.parameters)
  const same = idOf('call')
  return Array.from({ length: countOf(Number(calls), fault) }, () => ({
    id: fault?.action === 'duplicate_ids' ? same : idOf('call'),
    name: fault?.action === 'tool_unknown' ? 'no_such_tool' : tool.name,
    arguments: fault?.action === 'tool_bad_json' ? said.slice(0, -1) : said,
  }))
}

/** `args=least` are the required arguments alone. */
function requiredOf({ properties = {}, required = [], ...schema }: Offer['parameters']) {
  const wanted = Object.entries(properties as object).filter(([name]) =>
    (required as readonly string[]).includes(name),
  )
  return { ...schema, properties: Object.fromEntries(wanted) as object }
}

/** More than anybody takes of one answer. */
const storm = 65

function countOf(wanted: number, fault: FaultRule | undefined): number {
  if (fault?.action === 'tool_storm') return storm
  return wanted + (fault?.action === 'duplicate_ids' ? 1 : 0)
}

function endingOf(fault: FaultRule | undefined, was_cut: boolean): Ending {
  if (fault?.action === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  if (fault?.action === 'failed_event') {
    const message = fault.message ?? 'The model failed to generate a response.'
    return { status: 'failed', code: fault.code ?? 'server_error', message }
  }
  return was_cut ? { status: 'incomplete', reason: 'max_output_tokens' } : { status: 'completed' }
}

function saidTo(prompt: Prompt, fault: FaultRule | undefined): string {
  if (fault?.action === 'refusal') return 'I am sorry, but I cannot help with that request.'
  const { model, instructions, input, schema, directives } = prompt
  if (schema?.name === 'cited_answer') return citedAnswer(input, fault)
  const draw = drawer(JSON.stringify([model, instructions, input]))
  if (schema) {
    const json = JSON.stringify(sampleOf(schema.schema, () => prose(draw, 4)))
    return fault?.action === 'invalid_json' ? json.slice(0, -1) : json
  }
  const words = Number(directives['tokens'] ?? words_least + Math.floor(draw() * words_spread))
  return prose(draw, Math.min(words, 1_000_000))
}

function joined(tokens: readonly string[], size: number): string[] {
  return Array.from({ length: Math.ceil(tokens.length / size) }, (_, index) =>
    tokens.slice(index * size, (index + 1) * size).join(''),
  )
}
