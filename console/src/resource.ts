/**
 * What a place of the console is made of, as data: a surface has resources, and a resource names
 * the operations that list, read, make and change it. Everything on the screen follows from this
 * and from the catalog of operations.
 */
import type { FunctionComponent } from 'preact'
import type { operations } from '../../client/src/index.ts'
import { operation, pathNames, plain, type OperationId, type Row } from './operation.ts'
import type { Panel } from './panels/panel.ts'
import { may, me } from './session.ts'

export type Title = { readonly en: string; readonly de: string }

type Body<O extends OperationId> = operations[O] extends {
  responses: { 200: { content: { 'application/json': infer B } } }
}
  ? B
  : never
type RowOf<O extends OperationId> = Body<O> extends { data: readonly (infer R)[] } ? R : Body<O>
type FieldOf<O extends OperationId> = Extract<keyof RowOf<O>, string>

export type Action = {
  readonly by: OperationId
  /** Cannot be undone: it is asked for twice. */
  readonly hurts?: true
  /** Only offered in these states. */
  readonly in?: readonly string[]
}

export type Related = {
  readonly title: Title
  readonly list: OperationId
  readonly columns: readonly string[]
  /** A filter that gets the id, where the path has no place for it. */
  readonly filter?: string
  /** Where a row leads: `place/resource`. */
  readonly opens?: string
}

export type Declared<L extends OperationId> = {
  readonly name: string
  readonly title: Title
  readonly list?: L
  /** Fixed parts of the path; `@me` is the id of the person. */
  readonly of?: Readonly<Record<string, string>>
  readonly columns: readonly FieldOf<L>[]
  /** What identifies a row in a path; `id` by default. */
  readonly key?: readonly string[]
  readonly read?: OperationId
  readonly create?: OperationId
  readonly actions?: readonly (OperationId | Action)[]
  readonly related?: readonly Related[]
  /** The beginnings of the names of events after which a row may be different. */
  readonly events?: readonly string[]
  /** A log, which the API gives oldest first. */
  readonly feed?: true
  /** Sends what happens to one row as events. */
  readonly stream?: OperationId
  /** Drawn over the list: what, by which field. */
  readonly charts?: readonly { readonly x: FieldOf<L>; readonly y: FieldOf<L> }[]
  /** Stands above the list, where a list is not enough. */
  readonly top?: FunctionComponent
  /** Stands above the fields of an item, where fields are not enough. */
  readonly panel?: Panel
}

export type Resource = Omit<Declared<OperationId>, 'columns' | 'charts'> & {
  readonly columns: readonly string[]
  readonly charts?: readonly { readonly x: string; readonly y: string }[]
}

export type Place = {
  readonly name: string
  readonly title: Title
  readonly resources: readonly Resource[]
}

/** Checks the names of operations and columns when it is compiled. */
export function resource<L extends OperationId>(declared: Declared<L>): Resource {
  return declared
}

function keyOf({ key = ['id'] }: Resource, row: Row): string[] {
  return key.map(name => plain(row[name]))
}

/** The id of a row in an address. A part may hold any sign, the separator too. */
export function itemOf(resource: Resource, row: Row): string {
  return joinKey(keyOf(resource, row))
}

export function joinKey(key: readonly string[]): string {
  return key.map(part => part.replaceAll('~', '~~')).join('~.')
}

export function splitKey(item: string): string[] {
  return item.split('~.').map(part => part.replaceAll('~~', '~'))
}

/** The path of a list: fixed parts, then the key of the row that it belongs to. */
export function pathOf(
  id: OperationId,
  of: Readonly<Record<string, string>> = {},
  key: readonly string[] = [],
): Record<string, string> {
  const rest = [...key]
  return Object.fromEntries(
    pathNames(operation(id).path).flatMap(name => {
      const fixed = of[name] === '@me' ? me().id : of[name]
      const value = fixed ?? rest.shift()
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

export function actionsOf({ actions = [] }: Resource): Action[] {
  return actions.map(one => (typeof one === 'string' ? { by: one } : one))
}

export function mayCall(id: OperationId): boolean {
  return may(operation(id).permission)
}

/** Without a list, something is found by its id. */
export function isOffered({ list, read, create }: Resource): boolean {
  const first = list ?? read ?? create
  return first !== undefined && mayCall(first)
}
