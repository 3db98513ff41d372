/**
 * The one form of a conversation inside the platform. Each dialect of a client is turned into it,
 * and each codec of a provider is made from it. So a new dialect knows no provider.
 */
export type Text = { readonly type: 'text'; readonly text: string }

export type File = {
  readonly type: 'image' | 'document'
  readonly media_type: string
  /** Base64. Empty until a run has read it, if it is a stored file. */
  readonly data: string
  readonly name?: string
  /** A file of uploads. */
  readonly stored?: { readonly id: string; readonly sha256: string; readonly size: number }
}

export type Part = Text | File

export type Message = {
  readonly type: 'message'
  /** `system` only where the caller's own system text is sent, which is without a server prompt. */
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly Part[]
}

export type ToolCall = {
  readonly id: string
  readonly name: string
  /** A JSON object, as the model wrote it. */
  readonly arguments: string
}

/** What only its provider can read, such as encrypted thoughts. It returns to no other one. */
export type Sealed = { readonly type: 'sealed'; readonly provider: string; readonly data: string }

export type Item =
  | Message
  | ({ readonly type: 'tool_call' } & ToolCall)
  | {
      readonly type: 'tool_result'
      readonly id: string
      readonly output: string
      readonly is_error?: boolean
    }
  | Sealed

/** A tool that the caller runs. */
export type Tool = {
  readonly name: string
  readonly description?: string
  readonly schema: object
  /** Whether the provider makes the arguments fit; if unset, wherever the schema allows it. */
  readonly strict?: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

export type Input = string | readonly Item[]

export function message(role: Message['role'], text: string): Message {
  return { type: 'message', role, parts: [{ type: 'text', text }] }
}

export function itemsOf(input: Input): readonly Item[] {
  return typeof input === 'string' ? [message('user', input)] : input
}

/** The text of a message that has nothing else. */
export function textAlone(parts: readonly Part[]): string | undefined {
  const [first, ...others] = parts
  return first?.type === 'text' && others.length === 0 ? first.text : undefined
}

export function filesIn(items: readonly Item[]): File[] {
  const parts = items.flatMap(item => (item.type === 'message' ? item.parts : []))
  return parts.filter(part => part.type !== 'text')
}

export function bytesOf({ stored, data }: File): number {
  return stored?.size ?? (data.length * 3) / 4
}

/** The text that a person, a model or a tool wrote in this item. */
export function textIn(item: Item): string {
  switch (item.type) {
    case 'message':
      return item.parts.flatMap(part => (part.type === 'text' ? part.text : [])).join('\n')
    case 'tool_call':
      return `${item.name} ${item.arguments}`
    case 'tool_result':
      return item.output
    case 'sealed':
      return ''
  }
}

/** An error of a tool, for protocols that have no member for it. */
export function resultText({ output, is_error }: { output: string; is_error?: boolean }): string {
  return is_error ? JSON.stringify({ error: output }) : output
}

export function dataUrl({ media_type, data }: File): string {
  return `data:${media_type};base64,${data}`
}
