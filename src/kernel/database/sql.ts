/**
 * The `sql` tag: you write SQL as SQL, and a value can only become a parameter. There is no string
 * concatenation. A statement is prepared once for each connection, under a name made from its text.
 * On one connection, named statements read about twice as many rows a second as unnamed ones.
 */
import { hash } from 'node:crypto'

export class Sql {
  readonly strings: readonly string[]
  readonly parts: readonly unknown[]
  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.strings = strings
    this.parts = parts
  }
}

class Identifier {
  readonly quoted: string
  constructor(quoted: string) {
    this.quoted = quoted
  }
}

export type Statement = { name: string; text: string; values: unknown[] }

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Sql(strings, parts)
}

// These caches are keyed by values from code, not from input. So they stay bounded.
const quoted_names = cached((name: string) => {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`not an identifier: ${name}`)
  return `"${name}"`
})
const separators = cached((separator: string) =>
  cached((count: number) => ['', ...Array.from<string>({ length: count - 1 }).fill(separator), '']),
)
const array_casts = cached((type: string) => {
  if (!/^[a-z0-9]+$/.test(type)) throw new Error(`not a type: ${type}`)
  return ['', `::${type}[]`]
})
const counts = cached((count: number) => {
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`not a count: ${count}`)
  return [String(count)]
})

function cached<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return key => {
    let value = known.get(key)
    if (value === undefined) {
      value = make(key)
      known.set(key, value)
    }
    return value
  }
}

/** An identifier from code, never from input. A schema-qualified name is given in parts. */
sql.id = (...names: string[]): Identifier => new Identifier(names.map(quoted_names).join('.'))

/** Joins conditions or columns that code builds, with a fixed separator. */
sql.join = (fragments: readonly Sql[], separator: ', ' | ' and ' | ' or ' | ' union all '): Sql => {
  if (fragments.length === 0) throw new Error('sql.join needs at least one fragment')
  return new Sql(separators(separator)(fragments.length), fragments)
}

/**
 * Passes an array of objects as a table. Each column is sent as one array: `from ${sql.table(rows,
 * { id: 'uuid' })} r`. The second argument gives the SQL type of each property that becomes a
 * column.
 */
sql.table = <R extends object>(
  rows: readonly R[],
  columns: { readonly [name in keyof R & string]?: string },
): Sql => {
  const all = Object.entries<string | undefined>(columns)
  const arrays = all.map(([name, type = '']) => {
    const column = rows.map(row => row[name as keyof R])
    return new Sql(array_casts(type), [column])
  })
  const names = all.map(([name]) => sql`${sql.id(name)}`)
  return sql`(select * from unnest(${sql.join(arrays, ', ')}) t (${sql.join(names, ', ')}))`
}

/**
 * A whole number from code, for places where SQL accepts no parameter (FETCH, partition bounds).
 */
sql.count = (count: number): Sql => new Sql(counts(count), [])

/**
 * Passes an array or scalar as jsonb. The driver itself would send an array as a PostgreSQL array.
 */
sql.json = (value: unknown): string => JSON.stringify(value)

sql.empty = new Sql([''], [])

/** A statement from a template. Its text is fixed, and its values are in their order. */
class Filled extends Sql {
  readonly statement: Statement
  constructor(statement: Statement) {
    super([], [])
    this.statement = statement
  }
}

/**
 * For a large statement whose text does not depend on its values. The statement is rendered once,
 * and a value that is used in many places is one parameter. `build` gets a placeholder for each
 * value, and may only insert the placeholder into the statement. (One feed used three values in
 * ninety places.)
 */
sql.template = <V extends Readonly<Record<string, unknown>>>(
  names: readonly (keyof V & string)[],
  build: (values: V) => Sql,
): ((values: V) => Sql) => {
  let known: { name: string; text: string; values: readonly unknown[] } | undefined
  return values => {
    known ??= renderTemplate(build(standIns(names) as V))
    const { name, text } = known
    const filled = known.values.map(one => (one instanceof StandIn ? values[one.of] : one))
    return new Filled({ name, text, values: filled })
  }
}

/** Made by `sql.template`. */
export function isLarge(statement: Sql): boolean {
  return statement instanceof Filled
}

class StandIn {
  readonly of: string
  constructor(of: string) {
    this.of = of
  }
}

function standIns(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map(name => [name, new StandIn(name)]))
}

function renderTemplate(statement: Sql) {
  const all: unknown[] = []
  const values: unknown[] = []
  const places = new Map<unknown, number>()
  const text = render(statement, all).replaceAll(/\$(\d+)/g, (_place, n: string) => {
    const value = all[Number(n) - 1]
    let place = places.get(value)
    if (place === undefined) {
      place = values.push(value)
      if (value instanceof StandIn) places.set(value, place)
    }
    return `$${place}`
  })
  return { name: nameOf(text), text, values }
}

/**
 * Caches rendered statements as a tree (a trie). The templates and identifiers of a statement are
 * its path in the tree. So the text of a known statement is not built again.
 */
class Rendered {
  known: { name: string; text: string } | undefined
  private afterValue: Rendered | undefined
  private afterOthers: Map<readonly string[] | string, Rendered> | undefined

  value(): Rendered {
    this.afterValue ??= new Rendered()
    return this.afterValue
  }

  /** A template or a quoted identifier. */
  other(part: readonly string[] | string): Rendered {
    this.afterOthers ??= new Map()
    let next = this.afterOthers.get(part)
    if (!next) {
      next = new Rendered()
      this.afterOthers.set(part, next)
    }
    return next
  }
}

const rendered = new Rendered()

export function compile(statement: Sql): Statement {
  if (statement instanceof Filled) return statement.statement
  const values: unknown[] = []
  const place = find(rendered, statement, values)
  if (!place.known) {
    const text = render(statement, [])
    place.known = { name: nameOf(text), text }
  }
  return { name: place.known.name, text: place.known.text, values }
}

function find(from: Rendered, statement: Sql, values: unknown[]): Rendered {
  let place = from.other(statement.strings)
  for (const part of statement.parts) {
    if (part instanceof Sql) place = find(place, part, values)
    else if (part instanceof Identifier) place = place.other(part.quoted)
    else {
      values.push(part)
      place = place.value()
    }
  }
  return place
}

function render(statement: Sql, values: unknown[]): string {
  let text = statement.strings[0] ?? ''
  statement.parts.forEach((part, index) => {
    if (part instanceof Filled) throw new Error('a filled template is a whole statement')
    if (part instanceof Sql) text += render(part, values)
    else if (part instanceof Identifier) text += part.quoted
    else text += `$${values.push(part)}`
    text += statement.strings[index + 1] ?? ''
  })
  return text
}

function nameOf(text: string): string {
  return `s${hash('sha256', text, 'base64url').slice(0, 20)}`
}
