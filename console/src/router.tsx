/** The address of the page: place, resource, item, and the filters of a list. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export type Address = {
  readonly place: string | null
  readonly kind: string | null
  readonly item: string | null
  readonly filters: Readonly<Record<string, string>>
}

const root = '/console'
const changed = new EventTarget()

function readAddress(): Address {
  const parts = location.pathname.slice(root.length).split('/').filter(Boolean).map(decoded)
  const [place = null, kind = null, item = null] = parts
  const q = new URLSearchParams(location.search).get('q') ?? ''
  return { place, kind, item, filters: Object.fromEntries(new URLSearchParams(q)) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function addressOf(
  parts: readonly string[],
  filters: Readonly<Record<string, string>> = {},
): string {
  const path = [root, ...parts.map(encodeURIComponent)].join('/')
  const q = new URLSearchParams(filters).toString()
  return q ? `${path}?${new URLSearchParams({ q })}` : path
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href)
  else history.replaceState(null, '', href)
  changed.dispatchEvent(new Event('change'))
}

export function useAddress(): Address {
  const [address, set] = useState(readAddress)
  useEffect(() => {
    const read = () => set(readAddress())
    changed.addEventListener('change', read)
    addEventListener('popstate', read)
    return () => {
      changed.removeEventListener('change', read)
      removeEventListener('popstate', read)
    }
  }, [])
  return address
}

type LinkProps = {
  readonly to: string
  readonly class?: string | undefined
  readonly current?: boolean
  readonly children: ComponentChildren
}

/** A link inside the console. With a modifier key the browser opens a new tab, as usual. */
export function Link({ to, current, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      aria-current={current ? 'page' : undefined}
      onClick={event => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}
