/** Finds what a document says of one status, which may stand under `components`. */

export type Response = {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Record<string, { schema?: unknown }>
}
export type Responses = Readonly<Record<string, Response>>
export type Shared = { readonly components?: { readonly responses?: Responses } }

/** The reply of that status, or `undefined`. */
export function responseOf(document: Shared, responses: Responses, status: string | number) {
  const own = responses[String(status)]
  if (!own?.$ref) return own
  const shared = document.components?.responses?.[own.$ref.split('/').at(-1) ?? '']
  return shared && { ...shared, ...own }
}

/** The codes with which an operation refuses by that status, also those that any operation has. */
export function codesOf(document: Shared, responses: Responses, status: string | number): string[] {
  const [own, any] = [status, 'default'].map(one => responseOf(document, responses, one))
  return [own, any].flatMap(one => listed(one?.description ?? ''))
}

/** Older documents list the codes without back ticks. */
function listed(description: string): string[] {
  const marked = [...description.matchAll(/`([a-z0-9_]+)`/g)].map(([, code = '']) => code)
  return marked.length > 0 ? marked : description.split(', ').filter(Boolean)
}
