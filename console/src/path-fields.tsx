/** Parameters of the path that the row does not contain. The form has a field for each. */
import { nameOf, words } from './language.ts'
import { callOperation, plain, type OperationId, type Page, type Row } from './operation.ts'
import { mayCall } from './resource.ts'
import { useRead } from './use-read.ts'

/** The lists from which a parameter is chosen, if the person may read them. */
const lists: Readonly<Record<string, OperationId>> = { role_id: 'listRoles' }

type Props = {
  readonly names: readonly string[]
  readonly draft: Readonly<Record<string, string>>
  set(next: Readonly<Record<string, string>>): void
}

export function PathFields({ names, draft, set }: Props) {
  return (
    <>
      {names.map(name => {
        const list = lists[name]
        const one = {
          name,
          value: draft[name] ?? '',
          set: (value: string) => set({ ...draft, [name]: value }),
        }
        return (
          <label class="field" key={name}>
            <span>
              {nameOf(name)} <small class="soft">{words.required}</small>
            </span>
            {list && mayCall(list) ? (
              <Chosen list={list} {...one} />
            ) : (
              <input
                required
                value={one.value}
                onInput={event => one.set(event.currentTarget.value)}
              />
            )}
          </label>
        )
      })}
    </>
  )
}

type ChosenProps = {
  readonly list: OperationId
  readonly name: string
  readonly value: string
  set(value: string): void
}

function Chosen({ list, name, value, set }: ChosenProps) {
  const { data = [] } = useRead(list, async signal => {
    const page = await callOperation(list, { query: { limit: 100 }, signal })
    return (page as Page).data
  })
  return (
    <select required value={value} onChange={event => set(event.currentTarget.value)}>
      <option value="" />
      {data.map((row: Row) => (
        <option key={plain(row[name])} value={plain(row[name])}>
          {plain(row['name'] ?? row[name])}
        </option>
      ))}
    </select>
  )
}
