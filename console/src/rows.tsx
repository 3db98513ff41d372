/**
 * A list of any length. Only the visible rows are in the page. All rows have the same height. The
 * height depends on the width of the screen. For a screen reader the list is a table. The keys j
 * and k move, and Enter opens a row.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { nameOf, words } from './language.ts'
import type { Row } from './operation.ts'
import { go, Link } from './router.tsx'
import { Cell } from './value.tsx'

type Props = {
  readonly title: string
  readonly rows: readonly Row[]
  readonly columns: readonly string[]
  readonly has_more: boolean
  key_of(row: Row): string
  address(row: Row): string | null
  more(): void
}

/** On a phone a row has two lines. */
const narrow_px = 640
const margin_rows = 8

/** Ids, states, times and amounts are narrow. The other texts share the rest, the first twice. */
const short = /^(id|number|version|state|status|kind|currency)$|_(id|at|on|minor|state|version)$/

function widthOf(name: string, at: number): string {
  if (at === 0) return 'minmax(9rem, 2fr)'
  return short.test(name) ? 'minmax(4rem, 7.5rem)' : 'minmax(5rem, 1fr)'
}

export function Rows(props: Props) {
  const { title, rows, columns, has_more, address, more, key_of } = props
  const box = useRef<HTMLDivElement>(null)
  const { top, height, width } = useScroll(box)
  const narrow = width < narrow_px
  const row_px = narrow ? 62 : 40
  const widths = narrow ? {} : { gridTemplateColumns: columns.map(widthOf).join(' ') }
  const first = Math.max(0, Math.floor(top / row_px) - margin_rows)
  const last = Math.min(rows.length, Math.ceil((top + height) / row_px) + margin_rows)
  useEffect(() => {
    if (has_more && last >= rows.length - 20) more()
    // `rows` is a dependency, because no further page is read during a reload.
  }, [last, rows, has_more])
  return (
    <div
      class={`rows${narrow ? ' narrow' : ''}`}
      ref={box}
      tabIndex={0}
      role="table"
      aria-label={title}
      aria-rowcount={has_more ? -1 : rows.length + 1}
      onKeyDown={event => moveBetween(event)}
    >
      <div class="row head" role="row" aria-rowindex={1} style={widths}>
        {columns.map(name => (
          <span key={name} role="columnheader" class={`cell col-${name}`}>
            {nameOf(name)}
          </span>
        ))}
      </div>
      <div class="all" role="rowgroup" style={{ height: `${rows.length * row_px}px` }}>
        {rows.slice(first, last).map((row, at) => (
          <Line
            key={key_of(row)}
            {...{ row, columns, widths }}
            index={first + at + 2}
            top={(first + at) * row_px}
            height={row_px}
            to={address(row)}
          />
        ))}
      </div>
      {has_more && last === rows.length && (
        <p class="soft more" role="row">
          <span role="cell">{words.loading}</span>
        </p>
      )}
    </div>
  )
}

type LineProps = {
  readonly row: Row
  readonly widths: { readonly gridTemplateColumns?: string }
  readonly columns: readonly string[]
  readonly index: number
  readonly top: number
  readonly height: number
  readonly to: string | null
}

function Line({ row, columns, widths, index, top, height, to }: LineProps) {
  return (
    <div
      class={`row${to ? ' leads' : ''}`}
      role="row"
      aria-rowindex={index}
      style={{ ...widths, transform: `translateY(${top}px)`, height: `${height}px` }}
      onClick={event => {
        const chosen = getSelection()?.toString() !== ''
        if (to && !chosen && !(event.target as Element).closest('a')) go(to)
      }}
    >
      {columns.map((name, at) => (
        <span key={name} role="cell" class={`cell col-${name}`}>
          {to && at === 0 ? (
            <Link to={to}>
              <Cell name={name} value={row[name]} row={row} />
            </Link>
          ) : (
            <Cell name={name} value={row[name]} row={row} />
          )}
        </span>
      ))}
    </div>
  )
}

/** j and k move as in many developer tools. The arrow keys scroll. */
function moveBetween(event: KeyboardEvent): void {
  if (event.key !== 'j' && event.key !== 'k') return
  const box = event.currentTarget as HTMLElement
  const links = [...box.querySelectorAll<HTMLAnchorElement>('.row.leads a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = links[at === -1 ? 0 : at + (event.key === 'j' ? 1 : -1)]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  event.preventDefault()
}

function useScroll(box: { readonly current: HTMLDivElement | null }) {
  const [seen, see] = useState({ top: 0, height: 800, width: 1000 })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const read = () =>
      see({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth })
    const sizes = new ResizeObserver(read)
    sizes.observe(element)
    element.addEventListener('scroll', read, { passive: true })
    read()
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [])
  return seen
}
