/**
 * The places of an application's surfaces in the console, from the OpenAPI document: a resource for
 * each list, with the operations below its path. The platform's own places are files of the console.
 */
import { surface_names } from '../surface-names.ts'

type Json = { readonly [name: string]: unknown }

type Found = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly operation: Json
}

export type OwnResource = {
  readonly name: string
  readonly title: string
  readonly list: string
  readonly read?: string | undefined
  readonly create?: string | undefined
  readonly key?: readonly string[]
  readonly columns: readonly string[]
  readonly events: readonly string[]
  readonly actions: readonly { readonly by: string; readonly hurts?: true }[]
  readonly related: readonly {
    readonly title: string
    readonly list: string
    readonly columns: readonly string[]
  }[]
  /** The name of a field that has the id of such a row. */
  readonly named: string
}

export type OwnPlace = {
  readonly name: string
  readonly title: string
  readonly resources: readonly OwnResource[]
}

const columns_max = 6
/** They say little in a list, or are the same in each row. */
const left_out = new Set(['id', 'tenant_id', 'version', 'created_at', 'updated_at'])

export function ownPlaces(document: string): OwnPlace[] {
  const parsed = JSON.parse(document) as { readonly paths: Json; readonly components: Json }
  const resolve = resolver(parsed.components)
  const all = operationsOf(parsed.paths)
  return [...new Set(all.map(one => one.tag))].flatMap(tag => {
    const here = all.filter(one => one.tag === tag)
    const resources = here.flatMap(one => resourceOf(one, here, resolve))
    return resources.length > 0 ? [{ name: tag.toLowerCase(), title: tag, resources }] : []
  })
}

function operationsOf(paths: Json): Found[] {
  const ours = new Set<string>([...surface_names, 'platform'])
  return Object.entries(paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const [tag = ''] = (operation['tags'] ?? []) as string[]
      const id = operation['operationId']
      if (typeof id !== 'string' || ours.has(tag.toLowerCase())) return []
      return [{ id, method, path, tag, operation }]
    }),
  )
}

type Resolve = (value: unknown) => Json

function resolver(components: Json): Resolve {
  const resolve: Resolve = value => {
    const given = (value ?? {}) as Json
    const [, section = '', name = ''] =
      /^#\/components\/(\w+)\/(.+)$/.exec(String(given['$ref'])) ?? []
    return section ? resolve((components[section] as Json | undefined)?.[name]) : given
  }
  return resolve
}

/** A list whose path names nothing, and what is at the paths below it. */
function resourceOf(list: Found, here: readonly Found[], resolve: Resolve): OwnResource[] {
  const row = rowOf(list, resolve)
  if (!row || list.path.includes('{')) return []
  const name = list.path.split('/').at(-1) ?? ''
  const below = here.filter(one => one.path.startsWith(`${list.path}/{`))
  const item = below.find(one => /^\/\{\w+\}$/.test(one.path.slice(list.path.length)))
  const parameter = /\{(\w+)\}$/.exec(item?.path ?? '')?.[1] ?? 'id'
  const at = (method: string, path?: string) =>
    here.find(one => one.method === method && one.path === path)?.id
  const noun = /^(\w+)_id$/.exec(parameter)?.[1]
  const lists = below.filter(one => rowOf(one, resolve))
  return [
    {
      name,
      title: titleOf(name),
      list: list.id,
      read: at('get', item?.path),
      create: at('post', list.path),
      // A key that is a name, as a SKU is.
      ...(parameter !== 'id' && parameter in row ? { key: [parameter] } : {}),
      columns: columnsOf(row, resolve),
      events: noun ? [`${noun}.`] : [],
      actions: below
        .filter(one => one.method !== 'get')
        .map(one => ({ by: one.id, ...(one.method === 'delete' ? { hurts: true } : {}) })),
      related: lists.map(one => ({
        title: titleOf(one.path.split('/').at(-1) ?? ''),
        list: one.id,
        columns: columnsOf(rowOf(one, resolve) ?? {}, resolve),
      })),
      named: parameter,
    },
  ]
}

/** The properties of a row, if the operation returns pages. */
function rowOf({ method, operation }: Found, resolve: Resolve): Json | undefined {
  if (method !== 'get') return undefined
  const content = resolve((operation['responses'] as Json)['200'])['content'] as Json | undefined
  const page = resolve((content?.['application/json'] as Json | undefined)?.['schema'])
  const { data, next_cursor } = (page['properties'] ?? {}) as Json
  if (data === undefined || next_cursor === undefined) return undefined
  return resolve(resolve(data)['items'])['properties'] as Json | undefined
}

/** What fits into a cell, and the id at the end. */
function columnsOf(row: Json, resolve: Resolve): string[] {
  const isPlain = (name: string) => {
    const { type } = resolve(row[name])
    return type !== 'object' && type !== 'array'
  }
  const own = Object.keys(row).filter(name => !left_out.has(name) && isPlain(name))
  const rest = ['created_at', 'id'].filter(name => name in row)
  return [...own.slice(0, columns_max), ...rest]
}

/** `price-lists` is "Price lists". */
function titleOf(name: string): string {
  const words = name.replaceAll(/[-_]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
