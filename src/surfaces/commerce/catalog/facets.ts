/**
 * Facets: what a product is found by and counted by. Each is a kind, a name (of attributes and
 * options) and a value; the column `facets` has them as texts, as `commerce.facets_of` makes them.
 */
import { type Static, Type } from 'typebox'
import { closed, nullable, oneOf, text } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const by = oneOf('tag', 'category', 'attribute', 'option')

export const GivenFacet = closed(
  { by, name: Type.Optional(text(40)), value: text(200) },
  { title: 'GivenFacet' },
)
export type GivenFacet = Static<typeof GivenFacet>

const counted = {
  by,
  name: nullable(text(40)),
  value: text(200),
  count: Type.Integer({ minimum: 1 }),
}
export const Facets = Type.Object(
  {
    /** How many products were counted, and whether these are all that fit. */
    products: Type.Integer({ minimum: 0 }),
    complete: Type.Boolean(),
    values: Type.Array(Type.Object(counted, { title: 'FacetValue' })),
  },
  { title: 'ProductFacets' },
)
export type Facets = Static<typeof Facets>

const separator = '\u001F'

export function facetText({ by: kind, name = '', value }: GivenFacet): string {
  return [kind, name, value].join(separator)
}

export function facetOf(facet: string, count: number): Facets['values'][number] {
  const [kind = '', name = '', ...value] = facet.split(separator)
  return {
    by: kind as GivenFacet['by'],
    name: name === '' ? null : name,
    value: value.join(separator),
    count,
  }
}

/** Attributes and options have names, tags and categories have none. */
export function checkFacet({ by: kind, name }: GivenFacet, pointer: string): void {
  const named = kind === 'attribute' || kind === 'option'
  if (named === (name !== undefined)) return
  throw problem('validation_failed', {
    detail: named
      ? `A facet by ${kind} has a name, such as \`colour\`.`
      : `A facet by ${kind} has a value and no name.`,
    errors: [{ location: 'body', pointer: `${pointer}/name`, constraint: 'required' }],
  })
}

type Asked = {
  readonly tags?: string | undefined
  readonly attribute?: string | undefined
  readonly option?: string | undefined
}

/**
 * The facets that a query asks for, in groups: a product has at least one of each group. Values of
 * one name are a group, and each tag is one.
 */
export function askedFacets({ tags, attribute, option }: Asked): string[][] {
  return [
    ...(tags ?? '')
      .split(',')
      .filter(tag => tag !== '')
      .map(value => [facetText({ by: 'tag', value })]),
    ...pairsOf('attribute', attribute),
    ...pairsOf('option', option),
  ]
}

/** Reads `colour:blue,colour:red,size:M`; a comma or colon in a name or value follows a `\`. */
function pairsOf(kind: 'attribute' | 'option', asked = ''): string[][] {
  const groups = new Map<string, string[]>()
  for (const pair of asked.match(/(?:\\.|[^\\,])+/gs) ?? []) {
    const [name, value, ...rest] = (pair.match(/(?:\\.|[^\\:])+/gs) ?? []).map(plain)
    if (name === undefined || value === undefined || rest.length > 0) {
      throw problem('validation_failed', {
        detail: `Write \`${kind}\` as name:value, with a comma between several. A comma or colon in a name or value follows a backslash.`,
        errors: [{ location: 'query', pointer: `/${kind}`, constraint: 'format' }],
      })
    }
    groups.set(name, [...(groups.get(name) ?? []), facetText({ by: kind, name, value })])
  }
  return [...groups.values()]
}

function plain(written: string): string {
  return written.replaceAll(/\\(.)/gs, '$1')
}
