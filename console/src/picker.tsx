/** Things of a list, chosen by their names: the form sends their ids. */
import { useEffect, useState } from 'preact/hooks'
import { form_words } from './form-words.ts'
import { words } from './language.ts'
import { readMatches, type Match } from './read-matches.ts'

/** The lists in which the platform finds what a property names, by the name of the property. */
const lists: Readonly<Record<string, string>> = {
  product_ids: 'products',
}

export function picksFrom(name: string): string | undefined {
  return lists[name]
}

type Props = {
  readonly label: string
  readonly kind: string
  readonly required: boolean
  /** Ids, one a line. */
  readonly chosen: string
  set(chosen: string): void
}

const wait_ms = 300
const shortest = 2

export function Picker({ label, kind, required, chosen, set }: Props) {
  const [text, type] = useState('')
  const ids = chosen.split('\n').filter(one => one !== '')
  const known = useMatches(ids.length > 0 ? { kind, ids: ids.join(',') } : null)
  const found = useMatches(text.trim().length < shortest ? null : { kind, q: text.trim() })
  const titles = new Map([...known, ...found].map(one => [one.id, one.title]))
  const offered = found.filter(({ id }) => text !== '' && !ids.includes(id))
  const add = (id: string) => {
    type('')
    set([...ids.filter(one => one !== id), id].join('\n'))
  }
  return (
    <>
      <label>
        <span>
          {label} {required && <small class="soft">{words.required}</small>}
        </span>
        <input
          type="search"
          value={text}
          placeholder={words.search_hint}
          autocomplete="off"
          required={required && ids.length === 0}
          onInput={event => type(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter') return
            // It chooses, and does not send the form.
            event.preventDefault()
            if (offered[0]) add(offered[0].id)
          }}
        />
      </label>
      <ul class="picked">
        {offered.map(({ id, title, subtitle }) => (
          <li key={id}>
            <button type="button" onClick={() => add(id)}>
              {form_words.add}: {title} {subtitle}
            </button>
          </li>
        ))}
        {ids.map(id => (
          <li key={id}>
            {titles.get(id) ?? id}{' '}
            <button type="button" onClick={() => set(ids.filter(one => one !== id).join('\n'))}>
              {form_words.remove}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** What was found last stays until the next reply. */
function useMatches(query: Readonly<Record<string, string>> | null): readonly Match[] {
  const [found, set] = useState<readonly Match[]>([])
  const about = query === null ? null : JSON.stringify(query)
  useEffect(() => {
    if (query === null) return set([])
    const stop = new AbortController()
    const read = async () => set((await readMatches(query, stop.signal)).data)
    const timer = setTimeout(() => void read().catch(() => undefined), wait_ms)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [about])
  return found
}
