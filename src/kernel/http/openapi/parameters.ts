/** The parameters of an operation, each with what it means. */
import { isConditional, type Route } from '../contract/route.ts'
import { Id } from '../contract/shapes.ts'
import { keyMode } from '../server/compile-route.ts'
import type { Components } from './components.ts'
import type { Json, Members } from './reference.ts'

type Place = { readonly members: Members; readonly name: string }

export function parametersOf(route: Route, components: Components, place: Place): Json[] {
  const { members, name: operation } = place
  const list: Json[] = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: wordsOf(members, [operation, 'path'], name) ?? keyWords(route.path, name),
    schema: components.schema(route.params?.[name] ?? Id, members),
  }))
  const required = new Set((route.query as { required?: string[] } | undefined)?.required)
  for (const [name, schema] of Object.entries(route.query?.properties ?? {})) {
    const { description, ...rest } = components.schema(schema, members)
    const says = description ?? wordsOf(members, [operation, 'query'], name)
    const described = says === undefined ? {} : { description: says }
    list.push({ name, in: 'query', required: required.has(name), ...described, schema: rest })
  }
  const key = keyMode(route)
  if (key)
    list.push(sharedParameter(key === 'optional' ? 'OptionalIdempotencyKey' : 'IdempotencyKey'))
  if (isConditional(route)) list.push(sharedParameter('IfMatch'))
  return list
}

/**
 * A name may mean something else in one operation (`finishOidcLogin.state`), in queries and in paths
 * (`query.since`, `path.provider`) than elsewhere.
 */
function wordsOf(members: Members, places: readonly string[], name: string): string | undefined {
  const own = places.map(place => members[`${place}.${name}`]).find(one => one !== undefined)
  return (own ?? members[name])?.[0]
}

/** What identifies a thing in a path, such as `/v1/orders/{order_id}` and `/v1/job-rules/{name}`. */
function keyWords(path: string, name: string): string {
  const [key, of] = name.endsWith('_id')
    ? ['id', name.slice(0, -3)]
    : [name, segmentBefore(path, name)]
  return `The ${words(key)} of the ${words(of)}.`
}

function segmentBefore(path: string, name: string): string {
  const [before = ''] = path.split(`/{${name}}`)
  const plural = before.split('/').at(-1) ?? ''
  return plural
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|ss|x)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}

function words(name: string): string {
  return name.replaceAll(/[-_]/g, ' ')
}

function sharedParameter(name: string): Json {
  return { $ref: `#/components/parameters/${name}` }
}
