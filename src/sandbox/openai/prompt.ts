/** The prompt of a request, whichever endpoint received it. */
import { textOf, type CreateChat, type CreateResponse } from './protocol.ts'

export type Prompt = {
  readonly path: string
  readonly model: string
  readonly instructions: string
  /** The user's texts, in order. */
  readonly input: string
  /** The texts of system and user together, for faults that match a text. */
  readonly text: string
  readonly max_output_tokens: number
  readonly schema: { readonly name: string; readonly schema: Record<string, unknown> } | null
  readonly operation_id: string | null
  /** `[[sandbox tokens=500 fault=slow]]` in the input. */
  readonly directives: Readonly<Record<string, string>>
}

const output_tokens_max = 1_000_000

export function promptOfResponse(path: string, body: CreateResponse, key: string | null): Prompt {
  const { input, instructions, max_output_tokens, text } = body
  const said = typeof input === 'string' ? input : input.map(one => textOf(one.content)).join('\n')
  const format = text?.format
  return made({
    path,
    model: body.model,
    instructions: instructions ?? '',
    input: said,
    max_output_tokens: max_output_tokens ?? output_tokens_max,
    schema:
      format?.type === 'json_schema'
        ? { name: format.name ?? '', schema: format.schema ?? {} }
        : null,
    operation_id: operationOf(body.metadata) ?? key,
  })
}

export function promptOfChat(path: string, body: CreateChat, key: string | null): Prompt {
  const { messages, max_tokens, max_completion_tokens, response_format } = body
  const from = (users: boolean) =>
    messages
      .filter(one => (one.role === 'user' || one.role === 'assistant') === users)
      .map(one => textOf(one.content))
      .join('\n')
  const format = response_format?.json_schema
  return made({
    path,
    model: body.model,
    instructions: from(false),
    input: from(true),
    max_output_tokens: max_completion_tokens ?? max_tokens ?? output_tokens_max,
    schema: format ? { name: format.name, schema: format.schema ?? {} } : null,
    operation_id: operationOf(body.metadata) ?? key,
  })
}

export function promptOfTexts(
  path: string,
  model: string,
  texts: readonly string[],
  key: string | null,
): Prompt {
  const input = texts.join('\n')
  return made({
    path,
    model,
    instructions: '',
    input,
    max_output_tokens: 0,
    schema: null,
    operation_id: key,
  })
}

function operationOf(metadata: unknown): string | null {
  const id = (metadata as { operation_id?: unknown } | null | undefined)?.operation_id
  return typeof id === 'string' ? id : null
}

function made(prompt: Omit<Prompt, 'text' | 'directives'>): Prompt {
  const directives = Object.fromEntries(
    [...prompt.input.matchAll(/\[\[sandbox ([^\]]*)\]\]/g)].flatMap(([, said = '']) =>
      [...said.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  ) as Record<string, string>
  return { ...prompt, text: `${prompt.instructions}\n${prompt.input}`, directives }
}
