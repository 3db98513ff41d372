/** The prompt of a request to a model, whichever vendor and endpoint received it. */
export type Offer = { readonly name: string; readonly parameters: Record<string, unknown> }

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
  readonly tools: readonly Offer[]
  /** `auto`, `none`, `required`, or the name of a tool. */
  readonly tool_choice: string
  /** How many tools have answered in this conversation. */
  readonly results: number
  /** `[[sandbox tokens=500 fault=slow]]` in the input. */
  readonly directives: Readonly<Record<string, string>>
}

export function promptOf(prompt: Omit<Prompt, 'text' | 'directives'>): Prompt {
  const { instructions, input } = prompt
  return { ...prompt, text: `${instructions}\n${input}`, directives: directivesIn(input) }
}

/** Of several, the last of each name counts. A value in braces is JSON, with whatever it contains. */
function directivesIn(input: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { 0: begin, index } of input.matchAll(/\[\[sandbox(?=\s)/g)) {
    let at = index + begin.length
    for (;;) {
      const [member = '', name] = /^\s*(\w+)=/.exec(input.slice(at, at + 100)) ?? []
      if (name === undefined) break
      at += member.length
      const value = input[at] === '{' ? objectAt(input, at) : wordAt(input, at)
      found[name] = value
      at += value.length
    }
  }
  return found
}

function wordAt(text: string, from: number): string {
  return /^(?:(?!\]\])\S)*/.exec(text.slice(from, from + 1000))?.[0] ?? ''
}

function objectAt(text: string, from: number): string {
  let depth = 0
  let is_quoted = false
  for (let at = from; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (is_quoted) {
      if (letter === '\\') at++
      else if (letter === '"') is_quoted = false
    } else if (letter === '"') is_quoted = true
    else if ('{['.includes(letter)) depth++
    else if ('}]'.includes(letter) && --depth === 0) return text.slice(from, at + 1)
  }
  return text.slice(from)
}
