/**
 * Turns TypeBox schemas into the schemas of the document. A schema with a title is stored once
 * under `components` and referenced. If one use has its own description, the description is written
 * beside the reference. A property without a description gets the description that its surface
 * declares for that name.
 */
import type { TSchema } from 'typebox'
import { Amount, Cursor, Id, PositiveAmount, Time, Version } from '../contract/shapes.ts'
import { exampleOf, isOther } from './examples.ts'
import { trueByMaking } from './true-by-making.ts'
import type { Json, Members } from './reference.ts'

export type Components = {
  readonly schemas: Readonly<Record<string, Json>>
  /** The schema as it appears in the document. */
  schema(schema: TSchema, members: Members): Json
  /** A body or a reply. It has a name and an example. */
  content(schema: TSchema, members: Members, title: string): Json
}

type Scope = {
  readonly members: Members
  readonly title: string
  /** The names of the titled schema, and the one below which a member is. */
  readonly own: readonly string[]
  readonly parent: string
}

/** The parts of a schema that one use may override. */
const own_words = ['description', 'examples', 'default']

export function openComponents(): Components {
  const schemas: Record<string, Json> = {}

  const named = (title: string, copy: Json): Json => {
    schemas[title] ??= copy
    const known = schemas[title]
    if (JSON.stringify(without(known)) !== JSON.stringify(without(copy))) {
      throw new Error(`two schemas have the title ${title}`)
    }
    const words = own_words.flatMap(word =>
      copy[word] === undefined || same(copy[word], known[word]) ? [] : [[word, copy[word]]],
    )
    const said = Object.fromEntries(words) as Json
    return { $ref: `#/components/schemas/${title}`, ...said }
  }

  const published = (schema: unknown, scope: Scope): unknown => {
    if (Array.isArray(schema)) return schema.map(one => published(one, scope))
    if (typeof schema !== 'object' || schema === null) return schema
    const { title, properties, ...rest } = schema as Json
    const inside =
      typeof title === 'string'
        ? { ...scope, title, own: Object.keys(properties ?? {}), parent: '' }
        : scope
    const copy: Json = {}
    for (const [keyword, value] of Object.entries(rest)) {
      copy[keyword] = literal.has(keyword) ? value : published(value, inside)
    }
    if (properties) copy['properties'] = membersOf(properties as Json, inside)
    return typeof title === 'string' ? named(title, copy) : copy
  }

  const membersOf = (properties: Json, scope: Scope): Json =>
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => {
        const one = published(schema, { ...scope, parent: name }) as Json
        const says = wordsFor(name, scope, one) ?? trueByMaking(name, scope, one)
        return [name, says && !one['description'] ? { ...one, description: says } : one]
      }),
    )

  for (const shared of [Id, Time, Version, Amount, PositiveAmount, Cursor]) {
    published(shared, { members: {}, title: '', own: [], parent: '' })
  }
  const used = (schema: TSchema, members: Members, title = '') =>
    published(schema, { members, title, own: [], parent: '' }) as Json
  return {
    schemas,
    schema: used,
    content: (schema, members, title) => {
      const given = schema as Json
      const whole = given['type'] === 'object' || given['anyOf'] || given['oneOf']
      const shown = whole && !given['title'] ? { ...given, title } : given
      const reference = used(shown, members, title)
      const name = (shown as { title?: string }).title ?? ''
      const component = schemas[name]
      if (!component) return reference
      component['examples'] ??= [exampleOf(given, { members, title: name })]
      return { $ref: `#/components/schemas/${name}` }
    },
  }
}

const literal = new Set(['examples', 'default', 'const', 'enum', 'required'])

/** A member of a member never gets the words of a member beside it that has the same name. */
function wordsFor(name: string, scope: Scope, schema: Json): string | undefined {
  const { members, title, own, parent } = scope
  const beside = parent === '' || !own.includes(name) ? members[`${title}.${name}`] : undefined
  const below = parent === '' ? undefined : members[`${title}.${parent}.${name}`]
  const [says, example] = below ?? beside ?? members[name] ?? []
  return example !== undefined && isOther(schema, example) ? undefined : says
}

function without(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !own_words.includes(word)))
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
