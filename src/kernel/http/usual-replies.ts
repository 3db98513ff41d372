/**
 * The replies of a route of `routesOf`: the usual status of its verb, and the headers that follow
 * from a view. The document and the replies are made from the same facts.
 */
import type { TSchema } from 'typebox'
import type { Tx } from '../database/db.ts'
import { Problem } from '../errors/problem.ts'
import { after } from './contract/after.ts'
import { etag } from './contract/etag.ts'
import { isReply, reply, type Replies, type Reply } from './contract/reply.ts'
import type { AnyContext, Route } from './contract/route.ts'

/** What a folder says of a route, without its code. */
export type Declared = Partial<Route> & { reply?: TSchema; location?: string }

/** The code of a route. Its handlers return a view, or a reply. */
export type Steps = Partial<Omit<Route, 'handle' | 'again' | 'operation'>> & {
  handle?(context: AnyContext): unknown
  again?(context: AnyContext): Promise<unknown>
  operation?: Operation
}
type Operation = {
  begin(context: AnyContext): Promise<unknown>
  call: NonNullable<Route['operation']>['call']
  finish(tx: Tx, operation_id: string, outcome: unknown): Promise<unknown>
}

export type Usual = { readonly path: string; readonly usual: number; readonly creates: boolean }

type View = Readonly<Record<string, unknown>>
type Finish = (answer: unknown, params: View) => Reply

/** The rest of a route: its replies, the headers that it sends, and handlers that return them. */
export function withReplies(declared: Declared, steps: Steps, { path, usual, creates }: Usual) {
  const { reply: body, location: located, ...facts } = declared
  const { handle, again, operation, ...rest } = steps
  const replies: Replies = body
    ? { ...facts.replies, [usual]: body }
    : (facts.replies ?? { 204: null })
  const statuses = Object.keys(replies).map(Number)
  const only = statuses.length === 1 ? statuses[0] : undefined
  const status = body ? usual : only
  const shapes = Object.values(replies)
  const locates = located !== undefined || (creates && shapes.some(one => declares(one, 'id')))
  const sends = facts.sends ?? [
    ...(shapes.some(one => declares(one, 'version')) ? (['etag'] as const) : []),
    ...(locates ? (['location'] as const) : []),
  ]
  const location = located ?? (creates ? `${path}/{id}` : undefined)
  const finish = finisher({ replies, status, sends, location })
  const outside = operation !== undefined || rest.stream !== undefined || rest.streaming
  return {
    ...facts,
    ...rest,
    replies,
    ...(sends.length > 0 ? { sends } : {}),
    ...(outside ? { transaction: 'own' as const } : {}),
    ...(handle && {
      handle: (context: AnyContext) => after(handle(context), one => finish(one, context.params)),
    }),
    ...(again && {
      again: async (context: AnyContext) => finish(await again(context), context.params),
    }),
    ...(operation && { operation: finished(operation, finish) }),
  }
}

function finished({ begin, call, finish }: Operation, reply: Finish) {
  return {
    begin: async (context: AnyContext) => {
      const early = await begin(context)
      return early === undefined ? undefined : reply(early, context.params)
    },
    call,
    finish: async (tx: Tx, operation_id: string, outcome: unknown) => {
      const answer = await finish(tx, operation_id, outcome)
      return answer instanceof Problem ? answer : reply(answer, {})
    },
  } as NonNullable<Route['operation']>
}

function finisher({
  replies,
  status,
  sends,
  location,
}: {
  readonly replies: Replies
  readonly status: number | undefined
  readonly sends: readonly string[]
  readonly location: string | undefined
}): Finish {
  const tags = sends.includes('etag')
  const path = sends.includes('location') ? location : undefined
  const hiding = new Set(
    Object.entries(replies).flatMap(([of, shape]) => (omits(shape, 'version') ? [Number(of)] : [])),
  )
  return (answer, params) => {
    const given = isReply(answer) ? answer : usualReply(status, answer)
    const { body, headers } = given
    if (typeof body !== 'object' || body === null) return given
    const view = body as View
    const { version } = view
    const more: Record<string, string> = {}
    if (tags && typeof version === 'number' && given.status < 300) more['etag'] = etag(version)
    const made = given.status === 201 || given.status === 202
    if (path && made && !headers['location']) more['location'] = filled(path, view, params)
    const hides = version !== undefined && hiding.has(given.status)
    // Most replies are ready, and a copy of a large body costs time.
    if (!hides && Object.keys(more).length === 0) return given
    return reply(given.status, hides ? without(view) : view, { ...more, ...headers })
  }
}

function without({ version: _version, ...rest }: View): View {
  return rest
}

function usualReply(status: number | undefined, body: unknown): Reply {
  if (status === undefined) throw new Error('a route with several replies must say which one it is')
  return reply(status, body ?? null)
}

/** `/v1/jobs/{id}` with the members of the view, or else the parameters of the request. */
function filled(path: string, view: View, params: View): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = view[name] ?? params[name]
    if (typeof value !== 'string') throw new Error(`${path} has no ${name} for its Location`)
    return encodeURIComponent(value)
  })
}

/** Whether a body of this schema has this member. */
function declares(schema: TSchema | null | undefined, name: string): boolean {
  if (!schema) return false
  const {
    properties,
    anyOf = [],
    allOf = [],
  } = schema as {
    properties?: object
    anyOf?: readonly TSchema[]
    allOf?: readonly TSchema[]
  }
  if (properties && name in properties) return true
  return [...anyOf, ...allOf].some(part => declares(part, name))
}

/** Whether a body of this schema can never have this member. */
function omits(schema: TSchema | null, name: string): boolean {
  if (!schema) return false
  const { properties, additionalProperties, anyOf, allOf } = schema as {
    properties?: object
    additionalProperties?: unknown
    anyOf?: readonly TSchema[]
    allOf?: readonly TSchema[]
  }
  const parts = anyOf ?? allOf
  if (parts) return parts.every(part => omits(part, name))
  return properties !== undefined && !additionalProperties && !(name in properties)
}
