/**
 * The schemas that all surfaces share: ids, times, bounded texts, money, pages. Request objects are
 * closed, so that the types and the document contain exactly the properties that are read.
 */
import type { Readable } from 'node:stream'
import { Type, type Static, type TProperties, type TSchema, type TString } from 'typebox'

export const Id = Type.String({
  title: 'Id',
  description: 'A UUID. Ids of resources are version 7: they sort by time of creation.',
  format: 'uuid',
  minLength: 36,
  maxLength: 36,
})
/** A person in a path. */
export const UserId = Type.String({
  title: 'UserId',
  description: 'The id of an account; `me` is the caller.',
  pattern: '^(me|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  minLength: 2,
  maxLength: 36,
})
export const Time = Type.String({
  title: 'Time',
  description: 'A moment of RFC 3339 with its offset. Replies are in UTC.',
  format: 'date-time',
  maxLength: 40,
})
export const Version = Type.Integer({
  title: 'Version',
  description:
    'Increases with every change of the resource. The ETag contains it; send the ETag as `If-Match`.',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
})
export const Amount = Type.Integer({
  title: 'Amount',
  description: 'Money in the smallest unit of its currency: 1999 is 19.99 EUR, or 1999 JPY.',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
})
export const PositiveAmount = Type.Integer({
  title: 'PositiveAmount',
  description: 'Money in the smallest unit of its currency, at least one unit.',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
})
export const Cursor = Type.String({
  title: 'Cursor',
  description:
    'A position in one list with its filters. Take it from `next_cursor`; do not make one.',
  minLength: 1,
  maxLength: 1024,
})

/** The same schema with another description for one of its uses, and with a realistic value. */
function described<S extends TSchema>(schema: S, says: string, example?: unknown): S {
  const own = Object.getOwnPropertyDescriptors(schema)
  const value = (given: unknown) => ({ value: given, enumerable: true, configurable: true })
  return Object.defineProperties(
    {},
    {
      ...own,
      description: value(says),
      ...(example === undefined ? {} : { examples: value([example]) }),
    },
  ) as S
}

/** A body that is not JSON. The body is sent unchanged. */
export const RawBytes = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })

export function text(maxLength: number, minLength = 1) {
  return Type.String({ minLength, maxLength })
}

export function count(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum })
}

/** One of these strings. */
export function oneOf<const T extends string>(...words: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...words] })
}

export function nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** An object in a request. With a member that it does not have, the request is refused. */
export function closed<const P extends TProperties>(
  properties: P,
  options: { title?: string; examples?: readonly unknown[] } = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/**
 * An object whose member names the caller chooses. Every name, every value and the number of members
 * are checked. (`Type.Record` leaves a member unchecked whose name does not match its pattern.)
 */
export function map<S extends TSchema>(name: TString, value: S, maxProperties: number) {
  return Type.Unsafe<Record<string, Static<S>>>({
    type: 'object',
    propertyNames: name,
    additionalProperties: value,
    maxProperties,
  })
}

/** The query parameters that every list has, with the filters of this list. */
export function pageQuery<const P extends TProperties>(filters: P) {
  return closed({
    ...filters,
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  })
}

export const limit_default = 20

const Limit = described(
  Type.Integer({ minimum: 1, maximum: 100, default: limit_default }),
  'The maximum number of items of the page.',
)

/** A page is named after its items: `JobPage`. */
export function pageOf<S extends TSchema>(item: S) {
  const { title } = item as { title?: string }
  return Type.Object(
    {
      data: Type.Array(item, { maxItems: 100 }),
      next_cursor: nullable(Cursor),
      has_more: Type.Boolean(),
    },
    title === undefined ? {} : { title: `${title}Page` },
  )
}
