/** Small charts as SVG: a line of the last values, and bars over days. */
import { nameOf } from './language.ts'
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

export function Bars({
  rows,
  x,
  y,
}: {
  readonly rows: readonly Row[]
  readonly x: string
  readonly y: string
}) {
  const all = rows.map(row => ({ x: plain(row[x]), y: Number(row[y] ?? 0) }))
  const top = Math.max(1, ...all.map(one => one.y))
  const wide = 300 / all.length
  return (
    <figure>
      <svg
        class="chart"
        viewBox="0 0 300 60"
        preserveAspectRatio="none"
        role="img"
        aria-label={nameOf(y)}
      >
        {all.map((one, at) => (
          <rect
            key={one.x + at}
            class="bar"
            x={at * wide + wide * 0.1}
            width={wide * 0.8}
            y={60 - (one.y / top) * 56}
            height={(one.y / top) * 56}
          >
            <title>{`${one.x}: ${one.y}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="soft">{nameOf(y)}</figcaption>
    </figure>
  )
}
