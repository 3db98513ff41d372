/** Small charts as SVG: a line of the last values, bars over days, and bars of several parts. */
import type { ComponentChildren } from 'preact'
import { fill, language, nameOf, words } from './language.ts'
import { plain, type Row } from './operation.ts'

export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[]
  readonly label: string
}) {
  const top = Math.max(1, ...values)
  const step = 300 / Math.max(1, values.length - 1)
  const points = values.map((one, at) => `${at * step},${58 - (one / top) * 54}`).join(' ')
  return (
    <svg
      class="chart"
      viewBox="0 0 300 60"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={`0,60 ${points} 300,60`} class="area" />
      <polyline points={points} class="line" />
    </svg>
  )
}

type BarsProps = { readonly rows: readonly Row[]; readonly x: string; readonly y: string }

export function Bars({ rows, x, y }: BarsProps) {
  const given = rows.map(row => ({ x: plain(row[x]), y: Number(row[y] ?? 0) }))
  const all = x === 'day' ? withEmptyDays(given) : given
  const most = Math.max(0, ...all.map(one => one.y))
  const wide = 300 / all.length
  const highest = `${nameOf(y)}: ${count.format(most)}`
  return (
    <figure>
      <figcaption>
        <span>{nameOf(y)}</span>
        <span class="soft">{fill(words.at_most, { n: count.format(most) })}</span>
      </figcaption>
      <svg
        class="chart"
        viewBox="0 0 300 60"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${highest}, ${all[0]?.x ?? ''} – ${all.at(-1)?.x ?? ''}`}
      >
        {all.map((one, at) => (
          <rect
            key={one.x + at}
            class="bar"
            x={at * wide + wide * 0.1}
            width={Math.min(wide * 0.8, 12)}
            y={60 - (one.y / (most || 1)) * 56}
            height={(one.y / (most || 1)) * 56}
          >
            <title>{`${one.x}: ${one.y}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="soft">
        <span>{all[0]?.x}</span>
        <span>{all.length > 1 && all.at(-1)?.x}</span>
      </figcaption>
    </figure>
  )
}

type Bar = { readonly x: string; readonly y: number }

const day_ms = 86_400_000
const days_max = 400

/** A day on which nothing happened has no row. */
function withEmptyDays(given: readonly Bar[]): readonly Bar[] {
  const [first, last] = [Date.parse(given[0]?.x ?? ''), Date.parse(given.at(-1)?.x ?? '')]
  const days = (last - first) / day_ms + 1
  if (!(days > given.length && days <= days_max)) return given
  return Array.from({ length: days }, (_, at) => {
    const x = new Date(first + at * day_ms).toISOString().slice(0, 10)
    return { x, y: given.filter(one => one.x === x).reduce((sum, one) => sum + one.y, 0) }
  })
}

export type Series = {
  /** Null: without a name. */
  readonly name: string | null
  readonly values: ReadonlyMap<string, number>
  readonly sum: number
}

type StacksProps = {
  readonly title: string
  readonly days: readonly string[]
  readonly series: readonly Series[]
  label(name: string | null): ComponentChildren
}

/** Bars over days, each of several parts, and a legend with their sums. */
export function Stacks({ title, days, series, label }: StacksProps) {
  const sums = days.map(day => series.reduce((sum, one) => sum + (one.values.get(day) ?? 0), 0))
  const most = Math.max(0, ...sums)
  const wide = 300 / days.length
  const high = (value: number) => (value / (most || 1)) * 96
  const range = `${days[0] ?? ''} – ${days.at(-1) ?? ''}`
  return (
    <figure>
      <figcaption class="soft">
        <span>{range}</span>
        <span>{fill(words.at_most, { n: count.format(most) })}</span>
      </figcaption>
      <svg
        class="chart tall"
        viewBox="0 0 300 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${count.format(most)}, ${range}`}
      >
        {days.map((day, at) => {
          let top = 100
          return series.map(({ name, values }, place) => {
            const value = values.get(day) ?? 0
            top -= high(value)
            if (value === 0) return null
            return (
              <rect
                key={`${day} ${name}`}
                class={`part part-${place}`}
                x={at * wide + wide * 0.1}
                width={Math.min(wide * 0.8, 16)}
                y={top}
                height={high(value)}
              >
                <title>{`${day}${name === null ? '' : `, ${name}`}: ${count.format(value)}`}</title>
              </rect>
            )
          })
        })}
      </svg>
      <ul class="legend">
        {series.map(({ name, sum }, place) => (
          <li key={name}>
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`part part-${place}`} width="10" height="10" />
            </svg>
            {label(name)} <strong>{count.format(sum)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  )
}

const count = new Intl.NumberFormat(language, { maximumFractionDigits: 4 })
