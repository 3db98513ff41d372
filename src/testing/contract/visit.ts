/**
 * The crawler at one route. It has three callers (one with every permission, one of another tenant,
 * one without permissions), sends a request that succeeds, sends the variants of each rule, and
 * records every reply, so that the document can be compared with them.
 */
import type { ErrorEntry, Route } from '#dodeca/kernel'
import { onlyReads } from '../../kernel/http/contract/route.ts'
import { newKey } from '../call.ts'
import type { Caller, Maker, Stage } from './crawl.ts'
import { exchange, type Exchange } from './exchange.ts'
import type { Ground } from './ground.ts'
import { smallest } from './synthesis.ts'
import { targetOf, type Target } from './target.ts'

export type Request = {
  method: string
  params: Record<string, string>
  query: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body: unknown
  /** Sent as they are, instead of `body`. */
  bytes?: Buffer
  announced?: number
  headers: Readonly<Record<string, string>>
  token: string | null
  key: string | null
}

/** An answer, and what the catalog says of its code. */
export type CheckedAnswer = Exchange & { readonly entry: ErrorEntry | undefined }

export type Seen = {
  readonly status: number
  /** Of a refusal. */
  readonly code: string | null
  readonly media_type: string | null
}

export type Visit = {
  readonly target: Target
  /** What the route itself answered so far. */
  readonly seen: Seen[]
  /** May do everything, elsewhere than the one to whom all things of this visit belong. */
  stranger(): Promise<Caller>
  /** May do nothing. */
  unprivileged(): Promise<Caller>
  /** A request that succeeds, on things of its own; where the route only reads, the same for all. */
  valid(): Promise<Request>
  /** One that would succeed, to be changed so that it is refused: all refusals share its things. */
  refused(): Promise<Request>
  /** What the recipe changes in a request that succeeds, so that the operation refuses it. */
  refusal(): Promise<Partial<Request> | null>
  /** The answer to a request that succeeds: sent once. */
  success(): Promise<CheckedAnswer>
  /** Another thing of the same kind as this parameter names. */
  subject(at: string, whose?: 'holder' | 'stranger'): Promise<string>
  send(request: Request, changes?: Partial<Request>): Promise<CheckedAnswer>
  /** The same people at another route, if there is one. */
  beside(method: string, path: string): Visit | null
  /** Deletes what is at this address. Null if no route does. */
  remove(location: string, token: string | null): Promise<CheckedAnswer> | null
}

/** The people of a visit: made once, and only if a rule asks for them. */
type People<P> = Record<'holder' | 'stranger', () => Promise<P>>

function peopleOf<W extends Stage, P extends Caller>({ enabled }: Ground<W, P>): People<P> {
  return { holder: once(enabled), stranger: once(enabled) }
}

export function openVisit<W extends Stage, P extends Caller>(
  ground: Ground<W, P>,
  target: Target,
  people = peopleOf(ground),
): Visit {
  const { world, gathered, unprivileged } = ground
  const seen: Seen[] = []
  const make = async () => succeeding(ground, target, makerOf(world, await people.holder()))
  // What is answered before the pipeline may be answered otherwise from memory: each time a new thing.
  const { fronted } = target.route
  const shared = fronted ? make : once(make)
  const refused = async () => {
    const request = await shared()
    return request.key === null ? request : { ...request, key: newKey() }
  }
  const valid = onlyReads(target.route) ? shared : make
  const send: Visit['send'] = async (request, changes = {}) => {
    const whole = { ...request, ...changes }
    const answer = await exchange(world.url, sentOf(target.route.path, whole))
    if (whole.method === target.route.method) seen.push(seenOf(answer))
    return { ...answer, entry: gathered.catalog.get(answer.body?.code) }
  }
  const succeed = async () => send(await valid())
  const at = (route: Route) => openVisit(ground, targetOf(route, ground), people)
  return {
    target,
    seen,
    valid,
    refused,
    refusal: async () => {
      const maker = makerOf(world, await people.holder())
      return (await ground.crawl.recipes?.[target.operation]?.refusal?.(maker)) ?? null
    },
    success: fronted ? succeed : once(succeed),
    send,
    stranger: people.stranger,
    unprivileged,
    subject: async (at, whose = 'holder') =>
      makeSubject(ground, target, at, makerOf(world, await people[whose]())),
    beside: (method, path) => {
      const { routes } = world.platform
      const found = routes.find(one => one.method === method && one.path === path)
      return found ? at(found) : null
    },
    remove: (location, token) => {
      for (const route of world.platform.routes) {
        const params = route.method === 'DELETE' ? paramsIn(route.path, location) : null
        const nothing = { query: {}, body: undefined, headers: {}, key: null }
        if (params) return at(route).send({ method: 'DELETE', params, token, ...nothing })
      }
      return null
    },
  }
}

/** The parameters of an address, if it is one of this path. */
function paramsIn(path: string, address: string): Record<string, string> | null {
  const form = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${form}$`).exec(address)?.groups ?? null
}

async function makeSubject<W extends Stage, P extends Caller>(
  ground: Ground<W, P>,
  { operation }: Target,
  at: string,
  maker: Maker<W, P>,
): Promise<string> {
  const { crawl } = ground
  const known = crawl.subjects?.[at]
  if (known) return await known.make(maker)
  const made = await madeByPost(ground, at, maker)
  if (!made)
    throw new Error(`${operation}: say in ${ground.declared_in} how to make what ${at} names`)
  return made
}

/** The usual case: POST of the list that holds it makes one, and its reply has the `id`. */
async function madeByPost<W extends Stage, P extends Caller>(
  ground: Ground<W, P>,
  at: string,
  maker: Maker<W, P>,
): Promise<string | undefined> {
  const path = at.slice(0, at.lastIndexOf('/'))
  const found = ground.routes.find(one => one.method === 'POST' && one.path === path)
  if (!found) return undefined
  const target = targetOf(found, ground)
  const said = (await ground.crawl.recipes?.[target.operation]?.request?.(maker, {})) ?? {}
  const body = 'body' in said ? said.body : smallestBody(ground, target, said.bytes)
  const { id } = (await maker.ask('POST', path, body)) as { readonly id?: string }
  return id
}

function seenOf({ status, headers, body }: Exchange): Seen {
  const media_type = headers['content-type']?.split(';', 1)[0] ?? null
  return { status, code: status < 400 ? null : (body?.code ?? null), media_type }
}

async function succeeding<W extends Stage, P extends Caller>(
  ground: Ground<W, P>,
  target: Target,
  holder: Maker<W, P>,
): Promise<Request> {
  const recipe = ground.crawl.recipes?.[target.operation]
  const maker = recipe?.asker ? makerOf(ground.world, await recipe.asker(holder)) : holder
  const params: Record<string, string> = {}
  for (const { name, at } of target.params) {
    params[name] = await makeSubject(ground, target, at, maker)
  }
  const said = (await recipe?.request?.(maker, params)) ?? {}
  const { method } = target.route
  const json = method === 'GET' ? {} : { 'content-type': 'application/json' }
  return {
    ...(said.bytes && { bytes: said.bytes }),
    method,
    params,
    query: said.query ?? smallestQuery(target),
    body: 'body' in said ? said.body : smallestBody(ground, target, said.bytes),
    headers: { ...json, ...said.headers },
    token: said.token ?? (target.guarded || target.bearer ? maker.person.token : null),
    key: target.keyed || target.key_demanded ? newKey() : null,
  }
}

function smallestBody(
  { declared_in }: { readonly declared_in: string },
  { body, operation }: Target,
  bytes: Buffer | undefined,
): unknown {
  if (!body || bytes) return null
  try {
    return smallest(body)
  } catch (error) {
    throw new Error(`${operation}: say in ${declared_in} what its body is`, { cause: error })
  }
}

function smallestQuery({ query }: Target): Record<string, string> {
  const fits = (query ? smallest(query) : {}) as Record<string, unknown>
  return Object.fromEntries(Object.entries(fits).map(([name, value]) => [name, String(value)]))
}

function sentOf(template: string, request: Request) {
  const { method, params, query, body, bytes, announced, token, key } = request
  const path = template.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => params[name] ?? '')
  const text = new URLSearchParams(query).toString()
  const json = body === null || body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const headers: Record<string, string> = {
    ...request.headers,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(key === null ? {} : { 'idempotency-key': key }),
  }
  const sent = bytes ?? json
  if (!sent && announced === undefined) delete headers['content-type']
  return { method, path: text ? `${path}?${text}` : path, headers, bytes: sent, announced }
}

function makerOf<W extends Stage, P extends Caller>(world: W, person: P): Maker<W, P> {
  return {
    world,
    person,
    ask: async (method, path, body) => {
      const answer = await world.call(method, path, { token: person.token, key: newKey(), body })
      if (answer.status < 300) return answer.body
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    },
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
