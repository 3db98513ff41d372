/**
 * Rows as CSV for spreadsheets: CRLF, the names of members as header, members of an object one level
 * deep as `payment.state`, other structures as JSON. Beside an amount in minor units stands the
 * decimal one. Free text that a spreadsheet would take for a formula begins with an apostrophe.
 */
import Negotiator from 'negotiator'
import type { TObject, TSchema } from 'typebox'
import { digitsOf } from '../../currencies.ts'

type Column = { readonly name: string; read(row: Members): string }
type Members = Readonly<Record<string, unknown>>

export const csv_type = 'text/csv'

export function prefersCsv(given: string | readonly string[] | undefined): boolean {
  const accept = String(given ?? '')
  if (!accept.includes(csv_type)) return false
  const offered = ['application/json', csv_type]
  return new Negotiator({ headers: { accept } }).mediaType(offered) === csv_type
}

/** For Excel, which takes a file without it for Latin-1. */
export const byte_order_mark = '\u{feff}'

export type Csv = { readonly header: string; line(row: unknown): string }

export function csvWriter(item: TObject): Csv {
  const columns = columnsOf(item, '', row => row)
  return {
    header: lineOf(columns.map(({ name }) => name)),
    line: row => lineOf(columns.map(({ read }) => read(row as Members))),
  }
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function columnsOf(item: TObject, prefix: string, of: (row: Members) => Members | null): Column[] {
  return Object.entries(item.properties).flatMap(([name, given]): Column[] => {
    const schema = withoutNull(given)
    const value = (row: Members) => of(row)?.[name] ?? null
    if (prefix === '' && isObject(schema)) {
      return columnsOf(schema, `${name}.`, row => value(row) as Members | null)
    }
    const free = isFreeText(schema)
    const own = {
      name: `${prefix}${name}`,
      read: (row: Members) => (free ? guarded(cellOf(value(row))) : cellOf(value(row))),
    }
    return name.endsWith('_minor') ? [own, decimal(own, value, of)] : [own]
  })
}

function decimal(
  { name }: Column,
  value: (row: Members) => unknown,
  of: (row: Members) => Members | null,
): Column {
  return {
    name: name.slice(0, -'_minor'.length),
    read: row => {
      const amount = value(row)
      const currency = of(row)?.['currency'] ?? row['currency']
      return typeof amount === 'number' ? decimalOf(amount, String(currency)) : ''
    },
  }
}

/** Empty if the currency, and so the number of decimals, is not known. */
function decimalOf(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  if (digits === undefined) return ''
  const text = String(Math.abs(minor)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const sign = minor < 0 ? '-' : ''
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Also the wide forms, which some spreadsheets take for the narrow ones. */
const formula = /^[=+\-@\t\r\n\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}]/u

function guarded(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell
}

type Shape = {
  readonly type?: string
  readonly format?: string
  readonly enum?: unknown
  readonly const?: unknown
  readonly anyOf?: readonly TSchema[]
  readonly properties?: Members
}

function withoutNull(schema: TSchema): TSchema {
  const others = (schema as Shape).anyOf?.filter(one => (one as Shape).type !== 'null')
  return others?.length === 1 ? (others[0] as TSchema) : schema
}

function isObject(schema: TSchema): schema is TObject {
  return (schema as Shape).properties !== undefined
}

/** Neither numbers and booleans nor words and forms of ours. */
function isFreeText(schema: TSchema): boolean {
  const { type, format, enum: words, const: word, anyOf } = schema as Shape
  if (anyOf) return anyOf.some(isFreeText)
  if (type === 'number' || type === 'integer' || type === 'boolean') return false
  return format === undefined && words === undefined && word === undefined
}
