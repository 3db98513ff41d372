/** The filters of a list, from the parameters of its operation. */
import { nameOf, words } from './language.ts'
import type { Schema } from './operation.ts'
import { choicesOf } from './schema-form.tsx'

type FiltersProps = {
  readonly query: Readonly<Record<string, Schema>>
  readonly chosen: Readonly<Record<string, string>>
  choose(next: Record<string, string>): void
}

export function Filters({ query, chosen, choose }: FiltersProps) {
  const names = Object.keys(query)
  if (names.length === 0) return null
  const set = (name: string, value: string) => {
    const { [name]: _before, ...rest } = chosen
    choose(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <form class="filters" aria-label={words.filters} onSubmit={event => event.preventDefault()}>
      {names.map(name => (
        <label key={name}>
          <span>{nameOf(name)}</span>
          <Filter
            name={name}
            schema={query[name] ?? {}}
            value={chosen[name] ?? ''}
            set={value => set(name, value)}
          />
        </label>
      ))}
    </form>
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
  if (schema.format === 'date-time') return <Moment value={value} set={set} />
  if (!choices) {
    return <input value={value} spellcheck={false} onChange={e => set(e.currentTarget.value)} />
  }
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

/** A time of the person, as the browser lets them choose it. */
function Moment({ value, set }: Pick<FilterProps, 'value' | 'set'>) {
  const at = new Date(value)
  const is_time = !Number.isNaN(at.getTime())
  const local = is_time ? new Date(at.getTime() - at.getTimezoneOffset() * 60_000) : null
  return (
    <input
      type="datetime-local"
      value={local?.toISOString().slice(0, 16) ?? ''}
      onChange={({ currentTarget: { value: chosen } }) =>
        set(chosen === '' ? '' : new Date(chosen).toISOString())
      }
    />
  )
}
