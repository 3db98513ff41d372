/**
 * What a person has in all surfaces: the newest rows of each list that can be asked for one account and
 * that the reader may see. A new surface with such a list is shown here without a line for it.
 */
import { titleOf, words } from './language.ts'
import { findOperation, type OperationId } from './operation.ts'
import { offeredPlaces } from './places/places.ts'
import { itemOf, mayAskFor, type Place, type Resource } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { Table } from './table.tsx'
import { useList } from './use-list.ts'
import { Cell } from './value.tsx'

const shown_max = 5
const columns_max = 4
/** The filters by which lists are asked for any account: an `owner_id` is the reader or his key. */
const filters = ['account_id', 'user_id'] as const

type Props = {
  readonly id: string
  /** The lists that the page shows already. */
  readonly without: readonly OperationId[]
}

export function OfPerson({ id, without }: Props) {
  const lists = offeredPlaces().flatMap(place =>
    place.resources.flatMap(resource => {
      const { list } = resource
      const filter = list && filterOf(list)
      return filter && mayAskFor(list, id) && !without.includes(list)
        ? [{ place, resource, list, filter }]
        : []
    }),
  )
  return (
    <>
      {lists.map(one => (
        <Newest key={`${one.place.name}/${one.resource.name}`} {...one} id={id} />
      ))}
    </>
  )
}

function filterOf(list: OperationId): string | undefined {
  const { query = {} } = findOperation(list) ?? {}
  return filters.find(name => name in query)
}

type NewestProps = {
  readonly place: Place
  readonly resource: Resource
  readonly list: OperationId
  readonly filter: string
  readonly id: string
}

/** Nothing, where the person has nothing or the reader may not see it. */
function Newest({ place, resource, list, filter, id }: NewestProps) {
  const of_person = { [filter]: id }
  const key = (row: Parameters<typeof itemOf>[1]) => itemOf(resource, row)
  const listed = useList({ list, path: {}, filters: of_person, key, limit: shown_max })
  if (listed.rows.length === 0) return null
  const title = titleOf(resource.title)
  return (
    <section>
      <h2>{title}</h2>
      <Table
        title={title}
        columns={resource.columns.slice(0, columns_max)}
        rows={listed.rows}
        cell={(row, name, at) => {
          const cell = <Cell name={name} value={row[name]} row={row} />
          if (at > 0 || !resource.read) return cell
          return (
            <Link to={addressOf([place.name, resource.name, itemOf(resource, row)])}>{cell}</Link>
          )
        }}
      />
      {listed.has_more && (
        <Link to={addressOf([place.name, resource.name], of_person)}>{words.all_of_these}</Link>
      )}
    </section>
  )
}
