/** An operation of the API with its description in the catalog, and a function that calls it. */
import given from 'dodeca:operations'
import type { operations } from '../../client/src/index.ts'
import { keyed } from '../../client/src/operations.ts'
import type { Schema } from './schema.ts'
import { client } from './session.ts'

export type OperationId = Extract<keyof operations, string>

export type Operation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly permission: string | null
  readonly for_others: string | null
  readonly pages: boolean
  readonly query: Readonly<Record<string, Schema>>
  readonly body: Schema | null
  readonly example: unknown
  readonly compares: boolean
  /** Whether it also sends a file for spreadsheets. */
  readonly csv: boolean
}

export type Row = Readonly<Record<string, unknown>>

export type Page = {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

export type CallInit = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly parseAs?: 'json' | 'blob' | 'text' | 'stream'
}

// The platform of the same version makes this catalog, from the declarations of the client's types.
const catalog = given as Readonly<Record<string, Operation>>

/** A value of unknown type as text. */
export function plain(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Undefined for one of a surface that is off. */
export function findOperation(id: OperationId): Operation | undefined {
  return catalog[id]
}

export function operation(id: OperationId): Operation {
  const found = findOperation(id)
  if (!found) throw new Error(`This platform has no operation ${id}`)
  return found
}

/** Whether a request may be repeated under its key without a second effect. */
export function takesKey(id: OperationId): boolean {
  const { method, path } = operation(id)
  return keyed[`${method} ${path}`] === true
}

/** The names in the path, in their order. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)
}

type Method = (path: string, init: object) => Promise<{ data: unknown }>

/** Throws an error of the platform as a `Problem`. */
export async function callOperation(id: OperationId, init: CallInit = {}): Promise<unknown> {
  const { path, query = {}, ...rest } = init
  const { method, path: template, pages } = operation(id)
  const { limit: _limit, ...others } = query
  // A place contains the names of its operations. The catalog contains their methods and paths.
  const send = client()[method] as unknown as Method
  const { data } = await send(template, {
    ...rest,
    // A list without pages takes no limit.
    params: { path: path ?? {}, query: pages ? query : others },
  })
  return data
}
