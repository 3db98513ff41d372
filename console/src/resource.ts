/**
 * The declaration of a place of the console. A surface has resources. A resource lists the
 * operations that list, read, create and change it. Everything on the screen follows from this
 * declaration and from the catalog of operations.
 */
import type { FunctionComponent } from 'preact'
import type { operations } from '../../client/src/index.ts'
import {
  findOperation,
  operation,
  type OperationId,
  pathNames,
  plain,
  type Row,
} from './operation.ts'
import type { Panel, PanelProps } from './panels/panel.ts'
import { may, me } from './session.ts'

export type Title = { readonly en: string; readonly de: string }

type Body<O extends OperationId> = operations[O] extends {
  responses: { 200: { content: { 'application/json': infer B } } }
}
  ? B
  : never
type RowOf<O extends OperationId> = Body<O> extends { data: readonly (infer R)[] } ? R : Body<O>
type FieldOf<O extends OperationId> = Extract<keyof RowOf<O>, string>

/** The reply, the item of the page, and the names in the path of the request. */
export type Happened = {
  readonly reply: Row
  readonly row: Row
  readonly path: Readonly<Record<string, string>>
}

/** Text for some fields of a form. */
export type Offer = { readonly label: string; readonly given: Readonly<Record<string, string>> }

export type Action = {
  readonly by: OperationId
  /** The action cannot be undone: its form says so, and Enter does not send it. */
  readonly hurts?: true
  /** The action is shown only in these states. */
  readonly in?: readonly string[]
  /** Further conditions of the row. */
  readonly when?: (row: Row) => boolean
  /** What the platform asks for beyond the permission of the operation. */
  readonly needs?: string
  /** What the form begins with, from the item. */
  readonly from?: (row: Row) => Row
  /** The request is about another item than that of the page: it is read when the form opens. */
  readonly about?: { readonly read: OperationId; path(row: Row): Readonly<Record<string, string>> }
  /** What people call the ids that the form begins with. */
  readonly calls?: (row: Row) => Readonly<Record<string, string>>
  /** What the item says of a field: how much can still be refunded. */
  readonly notes?: (row: Row) => Readonly<Record<string, string>>
  /** What one click writes into the form, from the item of the page: the amount of a line. */
  readonly offers?: (row: Row) => readonly Offer[]
  /** What happened, where the name of the operation does not say it. */
  readonly says?: (happened: Happened) => Title
  /** Parameters of the query that the form asks for, with what it begins with. */
  readonly asks?: (row: Row) => Readonly<Record<string, string>>
}

export type Related = {
  readonly title: Title
  readonly list: OperationId
  readonly columns: readonly string[]
  /** The filter that gets the id, if the path has no place for it. */
  readonly filter?: string
  /** What the filter gets instead: a list for each of them. */
  readonly of?: (row: Row) => readonly string[]
  /** The page that a row opens: `place/resource`. */
  readonly opens?: string
}

export type Declared<L extends OperationId> = {
  readonly name: string
  readonly title: Title
  readonly list?: L
  /** Fixed parts of the path; `@me` is the id of the person. */
  readonly of?: Readonly<Record<string, string>>
  readonly columns: readonly FieldOf<L>[]
  /** Columns without a value in any row are left out. */
  readonly sparse?: true
  /** The property that identifies a row in a path; `id` by default. */
  readonly key?: readonly string[]
  readonly read?: OperationId
  readonly create?: OperationId
  /** What the form of `create` begins with. */
  readonly begins?: Row
  /** Of a page that is `top` alone: the operation that its reader must be allowed to call. */
  readonly opens_with?: OperationId
  readonly actions?: readonly (OperationId | Action)[]
  readonly related?: readonly Related[]
  /** The item is a person: its page shows what the person has in all surfaces. */
  readonly person?: true
  /** Prefixes of event types. After such an event a row may have changed. */
  readonly events?: readonly string[]
  /** States that end soon and without an event: the page of an item reads it again a few times. */
  readonly unannounced?: readonly string[]
  /** The resource is a log: the API returns its oldest entry first. */
  readonly feed?: true
  /** The operation that streams the events of one row. */
  readonly stream?: OperationId
  /** The charts above the list: the fields of their axes. */
  readonly charts?: readonly { readonly x: FieldOf<L>; readonly y: FieldOf<L> }[]
  /** Shown above the list. */
  readonly top?: FunctionComponent<Pick<PanelProps, 'filters'>>
  /** Shown above the fields of an item. */
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

/** The types check the names of operations and columns. */
export function resource<L extends OperationId>(declared: Declared<L>): Resource {
  return declared
}

/** A row of the list is a part of the item: a line of limits, of all that are set. */
export function isPart({ key = ['id'], read }: Resource): boolean {
  return read !== undefined && key.length > pathNames(operation(read).path).length
}

function keyOf({ key = ['id'] }: Resource, row: Row): string[] {
  return key.map(name => plain(row[name]))
}

/** The id of a row in an address. A part may contain any character, including the separator. */
export function itemOf(resource: Resource, row: Row): string {
  return joinKey(keyOf(resource, row))
}

function joinKey(key: readonly string[]): string {
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
  const found = findOperation(id)
  return found !== undefined && may(found.permission)
}

/** Whether the rows of this person may be asked for. */
export function mayAskFor(list: OperationId, account_id: string): boolean {
  const others = findOperation(list)?.for_others ?? null
  return mayCall(list) && (account_id === me().id || may(others))
}

export function mayAct({ by, needs }: Action, resource?: Resource, row: Row = {}): boolean {
  const others = findOperation(by)?.for_others ?? null
  return mayCall(by) && may(needs ?? null) && (!isOfAnother(resource, row) || may(others))
}

/** Rows that name their person. Without one, the platform decides. */
function isOfAnother(resource: Resource | undefined, row: Row): boolean {
  const names = resource?.person ? ['id'] : ['account_id', 'user_id', 'owner_id', 'buyer_id']
  const owner = names.find(name => name in row)
  return owner !== undefined && row[owner] !== me().id
}

/** Without a list, an item is found by its id. A page of its own says what it is for. */
export function isOffered({ list, read, create, opens_with }: Resource): boolean {
  const first = list ?? read ?? create ?? opens_with
  return first !== undefined && mayCall(first)
}
