/**
 * What the rules read of a route, worked out once: its place among the other routes, its key mode, the
 * permission that members do not hold, whether it answers with pages or a stream.
 */
import { compileRoute } from '../../kernel/http/server/compile-route.ts'
import type { Route } from '#dodeca/kernel'
import { onlyReads } from '../../kernel/http/contract/route.ts'
import type { Ground } from './ground.ts'
import type { Schema } from './synthesis.ts'

export type Target = {
  readonly route: Route
  readonly operation: string
  /** The methods of its path, as `Allow` names them. */
  readonly allow: readonly string[]
  readonly keyed: 'required' | 'optional' | null
  readonly key_demanded: boolean
  readonly guarded: boolean
  /** The pipeline requires no credential, but the operation requires its own Bearer. */
  readonly bearer: boolean
  /** It ends the session of its caller. */
  readonly ends_caller: boolean
  /** The permission, unless every member holds it. */
  readonly permission: string | null
  readonly streams: boolean
  readonly takes_json: boolean
  readonly takes_body: boolean
  readonly body: Schema | null
  readonly query: Schema | null
  /** Its replies are pages that a cursor continues. */
  readonly pages: boolean
  /** The path up to each parameter, and the parameter. */
  readonly params: readonly Param[]
}

type Param = {
  readonly name: string
  readonly at: string
  readonly id: boolean
  /** Every tenant sees the same. */
  readonly shared: boolean
}

type TargetInput = {
  readonly gathered: Ground['gathered']
  readonly world: Pick<Ground['world'], 'platform'>
  readonly crawl: {
    readonly subjects?: Readonly<Record<string, { readonly shared?: true }>>
    readonly recipes?: Readonly<
      Record<string, { readonly bearer?: true; readonly ends_caller?: true }>
    >
  }
}

export function targetOf(route: Route, { gathered, world, crawl }: TargetInput): Target {
  const compiled = compileRoute(route, {
    strict: false,
    catalog: gathered.catalog,
    body_limit_bytes: 1024 * 1024,
    surface_of: new Map(),
  })
  const takes_body = route.method !== 'GET' && route.method !== 'DELETE'
  const { permission } = compiled
  const members = permission && gathered.permissions.get(permission)?.roles.includes('member')
  return {
    route,
    operation: compiled.operation,
    allow: allowOf(route, world.platform.routes),
    keyed: compiled.keyed,
    key_demanded: compiled.keyed === 'required' || route.idempotency === 'domain',
    guarded: route.permission !== 'public',
    bearer: crawl.recipes?.[compiled.operation]?.bearer === true,
    ends_caller: crawl.recipes?.[compiled.operation]?.ends_caller === true,
    permission: members ? null : permission,
    streams: !route.streams && (route.stream !== undefined || route.streaming !== undefined),
    takes_body,
    takes_json: takes_body && (route.consumes ?? 'json') === 'json',
    body: route.body ?? null,
    query: route.query ?? null,
    pages: route.query?.properties['cursor'] !== undefined && repliesWithPages(route),
    params: paramsOf(route, crawl),
  }
}

function allowOf({ path }: Route, all: readonly Route[]): string[] {
  // A word where another path has a parameter: whatever answers there is allowed here too.
  const fits = (pattern: string) =>
    new RegExp(
      `^${pattern.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    )
  const here = all.filter(one => fits(one.path).test(path))
  const methods = new Set<string>(here.map(one => one.method))
  if (here.some(onlyReads)) methods.add('HEAD')
  return [...methods.add('OPTIONS')].sort()
}

function repliesWithPages({ replies }: Route): boolean {
  const schema: Schema | null | undefined = replies[200]
  const branches = schema?.anyOf ?? [schema]
  return branches.some(one => one?.properties?.['next_cursor'] && one.properties['data'])
}

function paramsOf({ path, params }: Route, { subjects = {} }: TargetInput['crawl']): Param[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(({ 1: name = '', index, 0: text }) => {
    const at = path.slice(0, index + text.length)
    return { name, at, id: params?.[name] === undefined, shared: subjects[at]?.shared === true }
  })
}
