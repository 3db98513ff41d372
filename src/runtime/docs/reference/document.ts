/**
 * Reads the published OpenAPI document for two uses: the samples, and the pages of the reference.
 */
export type Json = { readonly [name: string]: unknown }

export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
}

export type Content = Readonly<Record<string, { readonly schema?: Json }>>

export type Reply = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Json>>
  readonly content?: Content
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Json[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Json>>
  readonly security?: readonly Json[]
}

export type Document = {
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/**
 * Replaces a reference by its target among the components. Members beside the reference override
 * members of the target.
 */
export function resolved(document: Document, given: Json): Json {
  const [kind, name] = ((given['$ref'] ?? '') as string).split('/').slice(-2)
  const found = kind && name ? document.components[kind]?.[name] : undefined
  if (!found) return given
  const { $ref: _, ...beside } = given
  return { ...found, ...beside }
}

export function parametersOf(document: Document, { parameters }: Operation): Parameter[] {
  return (parameters ?? []).map(one => resolved(document, one)) as Parameter[]
}

/**
 * Returns the first example. If it is an object with all members, as the generated ones are, only
 * those are kept that are required, here or by the alternative that it shows; or the first member.
 */
export function smallest(schema: Json): unknown {
  const [example] = (schema['examples'] ?? []) as readonly unknown[]
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example
  const members = Object.entries(example)
  const alternatives = (schema['oneOf'] ?? schema['anyOf'] ?? []) as readonly Json[]
  const shown = alternatives.find(one => namesOf(one).every(name => Object.hasOwn(example, name)))
  const written = members.length < Object.keys(schema['properties'] ?? {}).length
  if (shown ? namesOf(shown).length === 0 : written) return example
  const required = new Set([...namesOf(schema), ...(shown ? namesOf(shown) : [])])
  const needed = members.filter(([name]) => required.has(name))
  return Object.fromEntries(needed.length > 0 ? needed : members.slice(0, 1))
}

function namesOf(schema: Json): readonly string[] {
  return (schema['required'] ?? []) as readonly string[]
}
