/**
 * The words in which all surfaces describe what goes over the wire: ids, times, bounded texts, money,
 * pages. Request objects are closed, so that types and the document say exactly what is read.
 */
import type { Readable } from 'node:stream'
import { Type, type TProperties, type TSchema } from 'typebox'

export const Id = Type.String({ format: 'uuid', minLength: 36, maxLength: 36 })
export const Time = Type.String({ format: 'date-time', maxLength: 40 })
export const Version = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export const PositiveAmount = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** A body that is no JSON, sent as it comes. */
export const RawBytes = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })

export function text(maxLength: number, minLength = 1) {
  return Type.String({ minLength, maxLength })
}

export function count(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum })
}

/** One of these words. */
export function oneOf<const T extends string>(...words: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...words] })
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** An object of a request: what it does not name is dropped and echoed, never trusted. */
export function closed<const P extends TProperties>(
  properties: P,
  options: { title?: string } = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** The query of every list, with the filters of this one. */
export function pageQuery<const P extends TProperties>(filters: P) {
  return closed({
    ...filters,
    cursor: Type.Optional(text(1024)),
    limit: Type.Optional(count(1, 100)),
  })
}

export const limit_default = 20

export function page<S extends TSchema>(item: S) {
  return Type.Object({
    data: Type.Array(item, { maxItems: 100 }),
    next_cursor: nullable(text(1024)),
    has_more: Type.Boolean(),
  })
}
