/** The filters of a list, each by its kind. A field that is typed in keeps its text while the list is read. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { choicesOf } from './form-draft.ts'
import { filter_words } from './form-words.ts'
import { nameOf, words } from './language.ts'
import type { Schema } from './schema.ts'
import { dayOf, momentOf, range_names, rangeOf } from './range.ts'

type Chosen = Readonly<Record<string, string>>

type Props = {
  readonly query: Readonly<Record<string, Schema>>
  readonly chosen: Chosen
  choose(next: Chosen): void
}

export function Filters({ query, chosen, choose }: Props) {
  const names = Object.keys(query)
  // Two fields may change before the page knows the first one.
  const latest = useRef(chosen)
  latest.current = chosen
  // On a phone they stand behind a button; elsewhere they are always there.
  const [open, show] = useState(false)
  if (names.length === 0) return null
  const setAll = (given: Chosen) => {
    const next = { ...latest.current, ...given }
    latest.current = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''))
    choose(latest.current)
  }
  const set = names.filter(name => chosen[name]).length
  return (
    <>
      <button
        type="button"
        class="phone"
        aria-expanded={open}
        aria-controls="filters"
        onClick={() => show(!open)}
      >
        {words.filters}
        {set > 0 && ` (${set})`}
      </button>
      <form
        id="filters"
        class={open ? 'filters open' : 'filters'}
        aria-label={words.filters}
        onSubmit={event => event.preventDefault()}
      >
        {'since' in query && 'until' in query && <Ranges {...{ chosen }} choose={setAll} />}
        {names.map(name => (
          <label key={name}>
            <span>{nameOf(name)}</span>
            <Filter
              name={name}
              schema={query[name] ?? {}}
              value={chosen[name] ?? ''}
              set={value => setAll({ [name]: value })}
            />
          </label>
        ))}
      </form>
    </>
  )
}

function Ranges({ chosen, choose }: Pick<Props, 'chosen' | 'choose'>) {
  const { since = '', until = '' } = chosen
  const now = new Date()
  const is_chosen = (name: (typeof range_names)[number]) => {
    const range = rangeOf(name, now)
    return range.since === since && range.until === until
  }
  return (
    <label>
      <span>{filter_words.range}</span>
      <select
        value={range_names.find(is_chosen) ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const name = range_names.find(one => one === value)
          choose(name ? rangeOf(name, now) : { since: '', until: '' })
        }}
      >
        <option value="">{words.any}</option>
        {range_names.map(name => (
          <option key={name} value={name}>
            {filter_words[name]}
          </option>
        ))}
      </select>
    </label>
  )
}

type FilterProps = {
  readonly name: string
  readonly schema: Schema
  readonly value: string
  set(value: string): void
}

function Filter({ name, schema, value, set }: FilterProps) {
  const choices = choicesOf(schema)
  if (choices) {
    return (
      <select value={value} onChange={event => set(event.currentTarget.value)}>
        <option value="">{name === 'sort' ? words.usual : words.any}</option>
        {choices.map(one => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )
  }
  if (schema.format !== 'date-time') return <Typed {...{ schema, value, set }} />
  return <Day {...{ schema, value, set }} is_end={name === 'until'} />
}

type TypedProps = Omit<FilterProps, 'name'>

/** A day is set when its year has all its digits. */
function Day({ schema, value, set, is_end }: TypedProps & { readonly is_end: boolean }) {
  const known = value === '' ? '' : dayOf(value, is_end)
  const { input, text, type } = useTyped(known)
  return (
    <input
      ref={input}
      type="date"
      title={schema.description}
      value={text}
      onInput={({ currentTarget: { value: day } }) => {
        type(day)
        if (day !== '' && !day.startsWith('0')) set(momentOf(day, is_end))
      }}
      onBlur={() => text === '' && value !== '' && set('')}
    />
  )
}

function Typed({ schema, value, set }: TypedProps) {
  const { input, text, type } = useTyped(value)
  return (
    <input
      ref={input}
      value={text}
      title={schema.description}
      spellcheck={false}
      onInput={event => type(event.currentTarget.value)}
      onChange={event => set(event.currentTarget.value.trim())}
    />
  )
}

/** The text of a field. It changes from outside only while nobody types in it. */
function useTyped(value: string) {
  const input = useRef<HTMLInputElement>(null)
  const [text, type] = useState(value)
  useEffect(() => {
    if (document.activeElement !== input.current) type(value)
  }, [value])
  return { input, text, type }
}
