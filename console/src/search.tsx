/**
 * Finds items by an id, or by the beginning of a name, an address or a number: asks every place that
 * can read one item by one id, or whose list can find.
 */
import { useEffect, useState } from 'preact/hooks'
import { fill, titleOf, words } from './language.ts'
import {
  callOperation,
  operation,
  pathNames,
  type OperationId,
  type Page,
  type Row,
} from './operation.ts'
import { offeredPlaces } from './places/places.ts'
import { itemOf, mayCall, pathOf, type Place, type Resource } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { isId, State, titleOfRow } from './value.tsx'

type Found = { readonly place: Place; readonly resource: Resource; readonly row: Row }
type Asked = {
  readonly place: Place
  readonly resource: Resource
  readonly by: 'id' | 'find'
  readonly operation: OperationId
}

/** The number of concurrent requests, below the limit of the platform for one caller. */
const together = 6
/** The most rows that are shown of one list. The list itself has the others. */
const found_max = 5

export function SearchPage({ asked }: { readonly asked: string }) {
  const [found, set] = useState<readonly Found[]>([])
  const [left, setLeft] = useState(1)
  useEffect(() => {
    const stop = new AbortController()
    const places = placesFor(asked)
    set([])
    setLeft(places.length)
    const next = async (): Promise<void> => {
      const one = places.shift()
      if (!one || stop.signal.aborted) return
      const rows = await look(one, asked, stop.signal)
      if (stop.signal.aborted) return
      setLeft(places.length)
      set(before => joined(before, one, rows))
      return next()
    }
    const count = places.length
    void Promise.all(Array.from({ length: Math.min(together, count) }, next)).then(
      () => stop.signal.aborted || setLeft(0),
    )
    return () => stop.abort()
  }, [asked])
  return (
    <>
      <h1>{words.search}</h1>
      <p>
        <code>{asked}</code>
      </p>
      <p role="status" class="soft">
        {left > 0 && fill(words.searching, { n: left })}
        {left === 0 && found.length === 0 && words.search_none}
      </p>
      <ul class="found">
        {found.map(({ place, resource, row }) => (
          <li key={[place.name, resource.name, itemOf(resource, row)].join(' ')}>
            <Link to={addressOf([place.name, resource.name, itemOf(resource, row)])}>
              <span class="soft">
                {titleOf(place.title)} · {titleOf(resource.title)}
              </span>{' '}
              <bdi>{titleOfRow(row)}</bdi>{' '}
              {typeof row['state'] === 'string' && <State value={row['state']} />}
            </Link>
          </li>
        ))}
        {isId(asked) && (
          <li>
            <Link to={addressOf(['trace', asked])}>
              <span class="soft">{words.request_id}</span> {words.trace}
            </Link>
          </li>
        )}
      </ul>
    </>
  )
}

/** A name (a code, a job type, a SKU) can be found only in resources whose key is a name. */
function placesFor(asked: string): Asked[] {
  return offeredPlaces().flatMap(place =>
    place.resources.flatMap(resource => {
      const { read, list, key, of = {} } = resource
      const open = read ? pathNames(operation(read).path).filter(name => !(name in of)) : []
      const named = key !== undefined && key[0] !== 'post_id'
      const may_read = read && mayCall(read) && open.length === 1 && named !== isId(asked)
      const may_find =
        read && list && !isId(asked) && mayCall(list) && operation(list).query['find']
      return [
        ...(may_read ? [{ place, resource, by: 'id', operation: read } as const] : []),
        ...(may_find ? [{ place, resource, by: 'find', operation: list } as const] : []),
      ]
    }),
  )
}

/** A name that is a key and is found by its beginning too is shown once. */
function joined(before: readonly Found[], asked: Asked, rows: readonly Row[]): readonly Found[] {
  const { place, resource } = asked
  const known = before.filter(one => one.resource === resource)
  const ids = new Set(known.map(one => itemOf(resource, one.row)))
  const added = rows.filter(row => !ids.has(itemOf(resource, row)))
  return [...before, ...added.map(row => ({ place, resource, row }))]
}

async function look(
  { resource, by, operation: id }: Asked,
  asked: string,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  try {
    if (by === 'id') {
      const path = pathOf(id, resource.of, [asked])
      return [(await callOperation(id, { path, signal })) as Row]
    }
    const query = { find: asked, limit: found_max }
    return ((await callOperation(id, { path: pathOf(id, resource.of), query, signal })) as Page)
      .data
  } catch {
    // The item does not exist, or this person may not see it. Most places return this error.
    return []
  }
}
