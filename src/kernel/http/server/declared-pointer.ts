/**
 * Where a request was wrong, in names that the route declares. A caller may choose names of members
 * (in metadata, or by mistake), and those may contain anything: they become `*`.
 */
import type { FieldError } from '../../errors/problem.ts'
import type { Route } from '../contract/route.ts'

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

/** Such as `body /lines/0/quantity`. */
export function declaredPointer(
  { body, query }: Pick<Route, 'body' | 'query'>,
  error: Pick<FieldError, 'location' | 'pointer'> | undefined,
): string | null {
  const { location, pointer } = error ?? {}
  if (typeof pointer !== 'string') return null
  if (location !== 'body' && location !== 'query') return location ?? null
  const schema: Schema | undefined = location === 'body' ? body : query
  const names = pointer.split('/').slice(1)
  return [location, ['', ...known(schema, names)].join('/')].filter(Boolean).join(' ')
}

function known(schema: Schema | undefined, [name, ...rest]: readonly string[]): string[] {
  if (name === undefined) return []
  const all = formsOf(schema)
  const member = all.find(one => one.properties && Object.hasOwn(one.properties, name))
  if (member?.properties) return [name, ...known(member.properties[name], rest)]
  const list = /^\d{1,6}$/.test(name) ? all.find(one => one.items) : undefined
  return list ? [name, ...known(list.items, rest)] : ['*']
}

function formsOf(schema: Schema | undefined): Schema[] {
  if (!schema) return []
  const { anyOf = [], allOf = [], oneOf = [] } = schema
  return [schema, ...[...anyOf, ...allOf, ...oneOf].flatMap(formsOf)]
}
