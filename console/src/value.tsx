/**
 * Shows a value by its name and type: times, money, states, ids with links. Text from users is
 * always plain text. It is isolated so that its writing direction cannot affect other text.
 */
import { language, nameOf, words } from './language.ts'
import { digitsOf, isCurrency } from './money.ts'
import { plain, type Row } from './operation.ts'
import { leadsTo } from './places/references.ts'
import { Link } from './router.tsx'
import { Table } from './table.tsx'

type Given = { readonly name: string; readonly value: unknown; readonly row: Row }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

export function isId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

/** For a list: a short value on one line. */
export function Cell({ name, value, row }: Given) {
  if (value === null || value === undefined || value === '') return <span class="soft">–</span>
  if (isState(name) && typeof value === 'string') return <States value={value} row={row} />
  if (typeof value === 'string' && instant.test(value)) return <Time value={value} />
  if (isId(value))
    return (
      <code title={value}>
        {value.slice(0, 8)}…{value.slice(-4)}
      </code>
    )
  return <span class="cut">{textOf({ name, value, row })}</span>
}

/** For the page of an item: the complete value with links. */
export function Value({ name, value, row }: Given) {
  if (value === null || value === undefined) return <span class="soft">–</span>
  if (isState(name) && typeof value === 'string') return <States value={value} row={row} />
  if (typeof value === 'string' && instant.test(value)) {
    return (
      <>
        <Time value={value} /> <span class="soft">{value}</span>
      </>
    )
  }
  if (isId(value) || (name === 'trace_id' && typeof value === 'string')) {
    const to = leadsTo(name, value)
    const id = <code>{value}</code>
    return to ? <Link to={to}>{id}</Link> : id
  }
  if (typeof value === 'string' && /^https?:\/\/[^\s]+$/.test(value)) return <Outside url={value} />
  if (!of_users.has(name)) {
    if (isItems(value)) return <Items name={name} items={value} currency={row['currency']} />
    // Amounts inside have the currency of the row.
    const { currency } = row
    if (isRecord(value)) return <FieldList row={value} more={{ currency }} kind="inner" />
  }
  if (isObject(value) && Object.keys(value).length === 0) return <span>{words.none}</span>
  if (typeof value === 'object' && !isFlat(value)) {
    return (
      <pre tabIndex={0} aria-label={nameOf(name)}>
        {JSON.stringify(value, null, 2)}
      </pre>
    )
  }
  return <bdi class="text">{textOf({ name, value, row })}</bdi>
}

/** A payment stays `captured` when it is refunded, so its amounts say the rest. */
export function States({ value, row }: Omit<Given, 'name'> & { readonly value: string }) {
  const refunded = Number(row['amount_refunded_minor'] ?? 0)
  const whole = refunded >= Number(row['amount_captured_minor'])
  return (
    <>
      <State value={value} />{' '}
      {refunded > 0 && <State value={whole ? words.refunded : words.refunded_in_part} />}
    </>
  )
}

/** Their inner names belong to the user, so they are shown as they are. */
const of_users = new Set(
  'attributes client_metadata config data example filters metadata parameters result'.split(' '),
)
const items_max = 50
const columns_max = 6

type ItemsProps = {
  readonly name: string
  readonly items: readonly Row[]
  readonly currency: unknown
}

/** Items such as the lines of an order. Their inner objects are in the JSON of the page. */
function Items({ name, items, currency }: ItemsProps) {
  const names = new Set(items.flatMap(one => Object.keys(one).filter(key => isShort(one[key]))))
  const filled = [...names].filter(one => items.some(item => item[one] !== null))
  // What people read comes before ids.
  const columns = filled.toSorted((a, b) => Number(hasIds(items, a)) - Number(hasIds(items, b)))
  return (
    <Table
      title={`${words.fields}: ${nameOf(name)}`}
      columns={columns.slice(0, columns_max)}
      rows={items}
      cell={(row, column) => <Cell name={column} value={row[column]} row={{ currency, ...row }} />}
    />
  )
}

type FieldListProps = {
  readonly row: Row
  /** Members that are not shown, and that say how to show the others. */
  readonly more?: Row
  readonly kind?: 'fields' | 'inner'
}

/** The members of an item, each by its kind. */
export function FieldList({ row, more = {}, kind = 'fields' }: FieldListProps) {
  return (
    <dl class={kind}>
      {Object.entries(row).map(([name, value]) => (
        <div key={name}>
          <dt>{nameOf(name)}</dt>
          <dd>
            <Value name={name} value={value} row={{ ...more, ...row }} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function hasIds(items: readonly Row[], column: string): boolean {
  return items.some(one => isId(one[column]))
}

function isItems(value: unknown): value is readonly Row[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > items_max) return false
  return value.every(one => isObject(one) && Object.values(one).some(isShort))
}

/** A small object without inner objects, such as an address. */
function isRecord(value: unknown): value is Row {
  if (!isObject(value)) return false
  const members = Object.values(value)
  return members.length > 0 && members.length <= 12 && members.every(isShort)
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value for one line. */
function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 200
  return (
    value === null ||
    typeof value !== 'object' ||
    typeof (value as Row)['amount_minor'] === 'number'
  )
}

function Outside({ url }: { readonly url: string }) {
  return (
    <a href={url} rel="noopener noreferrer" target="_blank" class="text">
      {url}
    </a>
  )
}

/** Plain text, for lists and search results. */
export function textOf({ name, value, row }: Given): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (name.endsWith('_minor') && typeof value === 'number') return money(value, row['currency'])
  if (typeof value === 'number') return count.format(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return words.none
    return value.map(one => textOf({ name: '', value: one, row })).join(', ')
  }
  if (typeof value === 'object') return objectText(value as Row)
  // An exact amount of a token price keeps its two decimals and what is not zero.
  return plain(value).replace(/^(-?\d+\.\d\d(?=\d{6}$)\d*?)0*$/, '$1')
}

/** Objects such as a price, the progress of a job, the usage of a call, or a channel with its state. */
function objectText(value: Row): string {
  const { amount_minor, currency, code, current, total, stage } = value
  if (typeof amount_minor === 'number') return money(amount_minor, currency)
  if (typeof current === 'number') {
    const of = typeof total === 'number' ? ` / ${total}` : ''
    return `${current}${of}${typeof stage === 'string' ? ` ${stage}` : ''}`
  }
  if (typeof code === 'string') return code
  const { input_units, output_units, cost_amount, input, output, unit } = value
  if (typeof input_units === 'number') {
    const cost = Number(Number(cost_amount).toPrecision(3))
    return `${cost} ${plain(currency)} · ${count.format(input_units)} + ${count.format(Number(output_units))}`
  }
  if (unit === '1m_tokens') return `${Number(input)} / ${Number(output)} ${plain(currency)}`
  return Object.values(value)
    .filter(one => typeof one === 'string' || typeof one === 'number')
    .map(String)
    .slice(0, 3)
    .join(' ')
}

const count = new Intl.NumberFormat(language)

export function money(minor: number, currency: unknown): string {
  if (!isCurrency(currency)) return count.format(minor)
  const digits = digitsOf(currency)
  const shown = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const options = { style: 'currency', currency, ...shown } as const
  return new Intl.NumberFormat(language, options).format(minor / 10 ** digits)
}

function isState(name: string): boolean {
  return /^(state|status|outcome|health|safety_state|payment_state|breaker)$/.test(name)
}

function isFlat(value: object): boolean {
  return Array.isArray(value) && value.every(one => typeof one !== 'object')
}

const good =
  /^(active|in_force|succeeded|delivered|available|sent|captured|clean|ok|ready|won|confirmed|fulfilled|processed|published|granted|success|resolved|refunded|allowed|open_for|closed_ok)$/
const bad =
  /^(failed|dead|exhausted|permanent_failure|malicious|quarantined|error|lost|disabled|refund_failed|payment_failed|degraded|denied|refused|failure|rejected|declined|suspended)$/
const busy =
  /^(running|pending|queued|processing|retryable|open|in_review|needs_response|held|requested|scheduled|uploaded|pending_scan|suspicious|building|draft|authorizing)$/

function toneOf(value: string): string {
  if (good.test(value)) return 'good'
  if (bad.test(value)) return 'bad'
  return busy.test(value) ? 'busy' : 'plain'
}

export function State({ value }: { readonly value: string }) {
  return <span class={`state ${toneOf(value)}`}>{value}</span>
}

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const

function ago(value: string, now = Date.now()): string {
  let amount = (Date.parse(value) - now) / 1000
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit)
    amount /= size
  }
  return relative.format(Math.round(amount), 'year')
}

export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={value}>
      {ago(value)}
    </time>
  )
}

/** The text that represents a row in one line. */
export function titleOfRow(row: Row): string {
  const names = ['title', 'name', 'email', 'number', 'filename', 'hostname', 'type', 'code', 'slug']
  const found = names.map(name => row[name]).find(one => typeof one === 'string' && one !== '')
  if (typeof found === 'string') return found
  if (typeof row['number'] === 'number') return `#${row['number']}`
  // An order gets its number when it is confirmed.
  if (row['number'] === null) return `${words.no_number} ${plain(row['created_at']).slice(0, 10)}`
  return plain(row['id'] ?? row['job_id'])
}
