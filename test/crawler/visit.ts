/**
 * The crawler at one route: it holds three people (one who may do everything, a stranger in another
 * tenant, one who may do nothing), makes a request that succeeds, sends what a rule changes in it, and
 * remembers every answer, so that the document can be held against them.
 */
import { newKey, type Person, type World } from '../world.ts'
import { exchange, type Exchange } from './exchange.ts'
import { recipes, subjects, type Maker } from './subjects.ts'
import { smallest } from './synthesis.ts'
import { gathered, targetOf, type Target } from './target.ts'

export type Request = {
  method: string
  params: Record<string, string>
  query: Record<string, string>
  /** Sent as JSON. */
  body: unknown
  /** Sent as they are, instead of `body`. */
  bytes?: Buffer
  announced?: number
  headers: Record<string, string>
  token: string | null
  key: string | null
}

export type Seen = {
  readonly status: number
  /** Of a refusal. */
  readonly code: string | null
  readonly media_type: string | null
}

export type Visit = {
  readonly target: Target
  readonly world: World
  /** What the route itself answered so far. */
  readonly seen: Seen[]
  /** May do everything, in the tenant to which all things of this visit belong. */
  holder(): Promise<Person>
  /** May do everything, elsewhere. */
  stranger(): Promise<Person>
  /** May do nothing. */
  nobody(): Person
  /** A request that succeeds, on things of its own. */
  valid(): Promise<Request>
  /** Another thing of the same kind as this parameter names. */
  subject(at: string, owner?: Person): Promise<string>
  send(request: Request, changes?: Partial<Request>): Promise<Exchange>
  /** The same people at another route, if there is one. */
  beside(method: string, path: string): Visit | null
}

/** The people of a visit: made once, and only if a rule asks for them. */
type People = Pick<Visit, 'holder' | 'stranger'>

/** People who may do everything, each in a tenant of their own. */
function peopleOf(world: World): People {
  const enabled = async () => {
    const person = world.person()
    await world.grant(person, ...[...gathered.permissions.keys()].map(one => `${one}:*`))
    return person
  }
  return { holder: once(enabled), stranger: once(enabled) }
}

export function openVisit(world: World, target: Target, people = peopleOf(world)): Visit {
  const { route } = target
  const { holder, stranger } = people
  const seen: Seen[] = []
  const subject: Visit['subject'] = async (at, owner) => {
    const known = subjects[at]
    if (!known) throw new Error(`${at}: say in test/crawler/subjects.ts how to make one`)
    return await known.make(makerOf(world, owner ?? (await holder())))
  }
  return {
    target,
    world,
    seen,
    holder,
    stranger,
    nobody: () => world.person(),
    subject,
    valid: async () => {
      const params: Record<string, string> = {}
      for (const { name, at } of target.params) params[name] = await subject(at)
      return { ...(await succeeding(world, target, await holder())), params }
    },
    beside: (method, path) => {
      const { routes } = world.platform
      const found = routes.find(one => one.method === method && one.path === path)
      return found ? openVisit(world, targetOf(found, routes), people) : null
    },
    send: async (request, changes = {}) => {
      const whole = { ...request, ...changes }
      const answer = await exchange(world.url, sentOf(route.path, whole))
      if (whole.method === route.method) seen.push(seenOf(answer))
      return answer
    },
  }
}

function seenOf({ status, headers, body }: Exchange): Seen {
  const media_type = headers['content-type']?.split(';', 1)[0] ?? null
  return { status, code: status < 400 ? null : (body?.code ?? null), media_type }
}

/** Everything of a request that succeeds but the things that its path names. */
async function succeeding(world: World, target: Target, person: Person) {
  const maker = makerOf(world, person)
  const recipe = recipes[target.operation]
  const { method } = target.route
  const raw = await recipe?.raw?.(maker)
  return {
    ...(raw && { bytes: raw.bytes }),
    method,
    query: (await recipe?.query?.(maker)) ?? smallestQuery(target),
    body: recipe?.body ? await recipe.body(maker) : target.body && smallest(target.body),
    headers: raw?.headers ?? (method === 'GET' ? {} : { 'content-type': 'application/json' }),
    token: target.guarded ? person.token : null,
    key: target.keyed || target.key_demanded ? newKey() : null,
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

function makerOf(world: World, person: Person): Maker {
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
