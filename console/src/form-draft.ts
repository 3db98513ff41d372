/**
 * What is typed in a form, and the body that follows from it. Empty properties are not sent. Nested
 * objects and lists of objects have fields, too; what is deeper than the catalog goes is JSON.
 */
import { decimalOf, isCurrency, typedAmount, typedMinor } from './money.ts'
import type { Schema } from './schema.ts'

/** The content of the fields, as text, in the form of the body. */
export type Draft = { readonly [name: string]: Content }
export type Content = string | Draft | readonly Draft[]

export type Kind =
  | 'text'
  | 'long'
  | 'number'
  | 'money'
  | 'moment'
  | 'boolean'
  | 'choice'
  | 'lines'
  | 'pairs'
  | 'object'
  | 'items'
  | 'json'

/** What is typed cannot be sent: the field, and the rule that it breaks. */
export class FormFault extends SyntaxError {
  readonly pointer: string
  readonly rule: 'amount' | 'currency' | 'pairs' | 'json'

  constructor(pointer: string, rule: FormFault['rule'], detail = '') {
    super(detail)
    this.pointer = pointer
    this.rule = rule
  }
}

/** A property that may be null is its other form. */
export function coreOf(schema: Schema): Schema {
  const [one, ...more] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  return one && more.length === 0 ? { ...schema, ...one, description: schema.description } : schema
}

/** `currency` is null where no amount can have one: then the number is what the API says. */
export function kindOf(name: string, given: Schema, currency: string | null = null): Kind {
  const schema = coreOf(given)
  const { type, items, properties = {} } = schema
  if (type === 'boolean') return 'boolean'
  if (choicesOf(schema)) return 'choice'
  const is_amount = name === 'amount' ? type === 'string' : name.endsWith('_minor')
  if (is_amount && currency !== null) return 'money'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' && schema.format === 'date-time') return 'moment'
  if (type === 'string') return (schema.maxLength ?? 0) > 500 ? 'long' : 'text'
  if (type === 'array' && items?.type === 'string') return 'lines'
  if (type === 'array' && items?.properties) return 'items'
  if (type === 'object' && Object.keys(properties).length > 0) return 'object'
  return schema.pairs ? 'pairs' : 'json'
}

/** The values of an enumeration, in any of the forms that the document uses. */
export function choicesOf(schema: Schema): string[] | null {
  if (schema.enum) return schema.enum.filter(one => one !== null).map(String)
  if (schema.type === 'boolean') return ['true', 'false']
  const alternatives = schema.anyOf ?? []
  const constants = alternatives.flatMap(one =>
    one.const === undefined ? [] : [textOf(one.const)],
  )
  return constants.length > 0 && constants.length === alternatives.length ? constants : null
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** An amount that can be written in two ways has one field: the decimal one, as people write it. */
export function fieldsOf({ properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).filter(
    ([name]) => !name.endsWith('_minor') || !(name.slice(0, -'_minor'.length) in properties),
  )
}

/** Of the amounts in one object: its own, as it is typed, or that of what is around it. */
export function currencyIn(
  { properties = {} }: Schema,
  content: Readonly<Record<string, unknown>>,
  outer: string | null,
): string | null {
  const own = content['currency']
  if (typeof own === 'string' && own !== '') return own.trim().toUpperCase()
  return 'currency' in properties ? (outer ?? '') : outer
}

/** A property begins with what is known of the item. The person sees what is sent. */
export function draftOf(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
  outer: string | null = null,
): Draft {
  const currency = currencyIn(schema, given, outer)
  return Object.fromEntries(
    fieldsOf(schema).map(([name, one]) => [
      name,
      written(kindOf(name, one, currency), one, given[name], currency),
    ]),
  )
}

function written(kind: Kind, given: Schema, value: unknown, currency: string | null): Content {
  const schema = coreOf(given)
  if (kind === 'object') return draftOf(schema, (value ?? {}) as Record<string, unknown>, currency)
  if (kind === 'items') {
    const all = (value ?? []) as readonly Readonly<Record<string, unknown>>[]
    return all.map(one => draftOf(schema.items ?? {}, one, currency))
  }
  if (value === undefined || value === null) return ''
  if (kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n')
  if (kind === 'moment') return localOf(textOf(value))
  if (kind === 'money' && typeof value === 'number')
    return isCurrency(currency) ? decimalOf(value, currency) : ''
  if (kind === 'pairs') {
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${String(text)}`)
      .join('\n')
  }
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value, null, 2)
}

/** Whether nothing is typed in it. Its required fields are then not required. */
export function isEmpty(content: Content): boolean {
  if (typeof content === 'string') return content === ''
  return Array.isArray(content) ? content.length === 0 : Object.values(content).every(isEmpty)
}

export type Around = { readonly currency: string | null; readonly at: string }

/** Throws a `FormFault` if something cannot be read. */
export function bodyOf(
  schema: Schema,
  draft: Draft,
  { currency: outer = null, at = '' }: Partial<Around> = {},
): Record<string, unknown> {
  const currency = currencyIn(schema, draft, outer)
  return Object.fromEntries(
    fieldsOf(schema).flatMap(([name, one]) => {
      const content = draft[name] ?? ''
      const around = { currency, at: `${at}/${name}` }
      return isEmpty(content) ? [] : [[name, valueOf(name, one, content, around)] as const]
    }),
  )
}

function valueOf(name: string, given: Schema, content: Content, around: Around): unknown {
  const schema = coreOf(given)
  const kind = kindOf(name, schema, around.currency)
  if (typeof content !== 'string') {
    if (!Array.isArray(content)) return bodyOf(schema, content as Draft, around)
    return (content as readonly Draft[]).map((one, n) =>
      bodyOf(schema.items ?? {}, one, { ...around, at: `${around.at}/${n}` }),
    )
  }
  if (kind === 'money') return amountOf(schema, content, around)
  if (kind === 'moment') return instantOf(content)
  if (name === 'currency') return content.trim().toUpperCase()
  const numbers = (schema.enum ?? []).some(one => typeof one === 'number')
  if (kind === 'number' || numbers) return Number(content)
  if (kind === 'boolean') return content === 'true'
  if (kind === 'lines') return linesOf(content)
  if (kind === 'pairs')
    return Object.fromEntries(linesOf(content).map(line => pairOf(line, around)))
  return kind === 'json' ? jsonOf(content, around) : content
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.trim()]))
}

function pairOf(line: string, { at }: Around): readonly [string, string] {
  const [, name, value] = /^([^:]+?)\s*:\s*(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new FormFault(at, 'pairs', line)
  return [name, value]
}

function jsonOf(text: string, { at }: Around): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new FormFault(at, 'json', (error as Error).message)
  }
}

function amountOf({ type }: Schema, text: string, { currency, at }: Around): number | string {
  if (!isCurrency(currency)) throw new FormFault(at, 'currency')
  const value = type === 'string' ? typedAmount(text, currency) : typedMinor(text, currency)
  if (value === null) throw new FormFault(at, 'amount', decimalOf(1290, currency))
  return value
}

/** A day, or a day and a time, in the time of the person. */
export function instantOf(local: string): string {
  const [day = '', time] = local.split('T')
  const at = new Date(`${day}T${time === undefined || time === '' ? '00:00' : time}`)
  return Number.isNaN(at.getTime()) ? local : at.toISOString()
}

export function localOf(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
