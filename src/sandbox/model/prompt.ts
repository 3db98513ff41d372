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
  const directives = Object.fromEntries(
    [...prompt.input.matchAll(/\[\[sandbox ([^[]*?)\]\](?!\])/g)].flatMap(([, said = '']) =>
      [...said.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  ) as Record<string, string>
  return { ...prompt, text: `${prompt.instructions}\n${prompt.input}`, directives }
}
