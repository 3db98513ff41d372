/**
 * The field at the top: shows what is found as one types, by the arrow keys or the mouse, and Enter
 * without a choice shows all of it. `/` leads here from anywhere.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { fill, words } from './language.ts'
import { findMatches, type Shown } from './matches.ts'
import { addressOf, go } from './router.tsx'
import { shortest, soughtIn } from './sought.ts'
import { State } from './value.tsx'

/** Longer than between two keys, and below the rate of the platform for one person. */
const wait_ms = 300
const shown_max = 10

export function SearchBox() {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const asked = soughtIn(text)
  const found = useMatches(open ? asked : '')
  const all = found?.slice(0, shown_max) ?? []
  const is_shown = open && asked.length >= shortest && found !== null
  useSlash(input)
  useEffect(() => setAt(-1), [asked])
  const leave = (to: string) => {
    setOpen(false)
    input.current?.blur()
    go(to)
  }
  const byKey = (event: KeyboardEvent) => {
    if (!is_shown) return
    const next = event.key === 'Escape' ? null : stepOf(event.key, at, all.length)
    if (next === undefined) return
    // The browser would move the caret, or empty the field.
    event.preventDefault()
    if (next === null) setOpen(false)
    else setAt(next)
  }
  return (
    <form
      role="search"
      class="search"
      onSubmit={event => {
        event.preventDefault()
        const chosen = all[at] ?? (all.length === 1 ? all[0] : undefined)
        if (chosen) leave(chosen.to)
        else if (asked !== '') leave(addressOf(['search', asked]))
      }}
      onFocusOut={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false)
      }}
    >
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={words.search}
        aria-expanded={is_shown}
        aria-controls="matches"
        aria-autocomplete="list"
        aria-activedescendant={is_shown && at >= 0 ? `match-${at}` : undefined}
        autocomplete="off"
        placeholder={words.search_hint}
        title={words.keys}
        spellcheck={false}
        maxLength={200}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={byKey}
      />
      <div class="matches" hidden={!is_shown}>
        <Matches all={all} at={at} leave={leave} />
        <p class="soft" role="status">
          {all.length === 0 ? words.search_none : fill(words.search_all, { n: found?.length ?? 0 })}
        </p>
      </div>
    </form>
  )
}

/** From the last one to the field itself (-1), and on to the first. */
function stepOf(key: string, at: number, count: number): number | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  return step === undefined ? undefined : ((at + 2 + step + count) % (count + 1)) - 1
}

type MatchesProps = {
  readonly all: readonly Shown[]
  readonly at: number
  readonly leave: (to: string) => void
}

function Matches({ all, at, leave }: MatchesProps) {
  return (
    <ul id="matches" role="listbox" aria-label={words.search}>
      {all.map((one, n) => (
        <li
          key={one.to}
          id={`match-${n}`}
          role="option"
          aria-selected={n === at}
          onPointerDown={event => event.preventDefault()}
          onClick={() => leave(one.to)}
        >
          <Line match={one} />
        </li>
      ))}
    </ul>
  )
}

export function Line({ match: { where, title, subtitle, state } }: { readonly match: Shown }) {
  return (
    <>
      <span class="what">
        <bdi>{title}</bdi>
        {subtitle !== null && (
          <>
            {' '}
            <bdi class="soft">{subtitle}</bdi>
          </>
        )}
      </span>
      <span class="where">
        {state !== null && <State value={state} />} <span class="soft">{where}</span>
      </span>
    </>
  )
}

/** Null while nothing is known. The page of the search says why it could not look. */
function useMatches(asked: string): readonly Shown[] | null {
  const [found, set] = useState<{ asked: string; all: readonly Shown[] } | null>(null)
  useEffect(() => {
    if (asked.length < shortest) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      findMatches(asked, stop.signal).then(
        all => stop.signal.aborted || set({ asked, all }),
        () => stop.signal.aborted || set(null),
      )
    }, wait_ms)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [asked])
  return found?.asked === asked ? found.all : null
}

function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest('input, textarea, select, dialog')
      if (event.key !== '/' || typing) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
}
