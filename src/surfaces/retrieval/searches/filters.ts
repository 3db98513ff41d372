/**
 * Filters of a search. A filter only narrows the result: tenant and access lists are not fields, so
 * no filter can widen it. The index contains hashes of the values, and every hit is compared with
 * the real values.
 */
import { Type, type Static } from 'typebox'
import { closed, oneOf, text } from '#dodeca/kernel'
import type { Metadata } from '../documents/schemas.ts'
import { facetOf } from '../engines/facets.ts'
import { problem } from '../errors.ts'

const Scalar = Type.Union([text(512, 0), Type.Number(), Type.Boolean()])
const Filter = closed(
  {
    field: text(80),
    op: oneOf('eq', 'in'),
    value: Type.Union([Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 32 })]),
  },
  { title: 'SearchFilter' },
)
export const Filters = closed(
  { all: Type.Array(Filter, { maxItems: 16 }) },
  { title: 'SearchFilters' },
)
type Given = Static<typeof Filters>
type Value = string | number | boolean

type Condition = { readonly field: string; readonly values: readonly Value[] }
export type Conditions = readonly Condition[]

const fields = /^(metadata\.[A-Za-z0-9_.-]{1,64}|document_id|source_kind)$/

/** Refuses other fields, and an operator that does not match its value. */
export function conditionsOf(filters: Given | undefined): Conditions {
  return (filters?.all ?? []).map(({ field, op, value }, at) => {
    if (!fields.test(field)) {
      throw problem('filter_not_allowed', {
        errors: [{ location: 'body', pointer: `/filters/all/${at}/field`, constraint: 'enum' }],
      })
    }
    const several = Array.isArray(value)
    if (several !== (op === 'in')) {
      throw problem('validation_failed', {
        detail: '`in` takes a list of values, and `eq` one value.',
        errors: [{ location: 'body', pointer: `/filters/all/${at}/value`, constraint: 'type' }],
      })
    }
    return { field, values: several ? value : [value] }
  })
}

/** For the index: each inner list is an "or". */
export function facetsOf(conditions: Conditions): bigint[][] {
  return conditions
    .filter(one => one.field !== 'document_id')
    .map(({ field, values }) => values.map(value => facetOf(field, value)))
}

/** Null if no filter names documents. */
export function documentIdsOf(conditions: Conditions): string[] | null {
  const named = conditions.filter(one => one.field === 'document_id')
  if (named.length === 0) return null
  const [first, ...rest] = named.map(({ values }) => values.map(String))
  return (first ?? []).filter(id => rest.every(other => other.includes(id)))
}

type Facts = {
  readonly document_id: string
  readonly source_kind: string
  readonly metadata: Metadata
}

/** Compares the real values, because two different pairs may have the same hash. */
export function fits({ document_id, source_kind, metadata }: Facts, all: Conditions): boolean {
  return all.every(({ field, values }) => {
    if (field === 'document_id') return values.includes(document_id)
    if (field === 'source_kind') return values.includes(source_kind)
    const value = metadata[field.slice('metadata.'.length)]
    return value !== undefined && values.includes(value)
  })
}
