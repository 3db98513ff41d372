/** Finds an item by its id: asks every place that can read one item by one id. */
import { useEffect, useState } from 'preact/hooks'
import { fill, titleOf, words } from './language.ts'
import { callOperation, operation, pathNames, type OperationId, type Row } from './operation.ts'
import { offeredPlaces } from './places/places.ts'
import { joinKey, mayCall, pathOf, type Place, type Resource } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { isId, State, titleOfRow } from './value.tsx'

type Found = { readonly place: Place; readonly resource: Resource; readonly row: Row }
type Asked = { readonly place: Place; readonly resource: Resource; readonly read: OperationId }

/** The number of concurrent requests, below the limit of the platform for one caller. */
const together = 6

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
      const row = await look(one, asked, stop.signal)
      if (stop.signal.aborted) return
      setLeft(places.length)
      if (row) set(before => [...before, { ...one, row }])
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
      <h1>{fill(words.search_for, { id: '' })}</h1>
      <p>
        <code>{asked}</code>
      </p>
      <p role="status" class="soft">
        {left > 0 && fill(words.searching, { n: left })}
        {left === 0 && found.length === 0 && words.search_none}
      </p>
      <ul class="found">
        {found.map(({ place, resource, row }) => (
          <li key={place.name + resource.name}>
            <Link to={addressOf([place.name, resource.name, joinKey([asked])])}>
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
      const { read, key, of = {} } = resource
      if (!read || !mayCall(read)) return []
      const open = pathNames(operation(read).path).filter(name => !(name in of))
      const named = key !== undefined && key[0] !== 'post_id'
      return open.length === 1 && named !== isId(asked) ? [{ place, resource, read }] : []
    }),
  )
}

async function look(
  { resource, read }: Asked,
  id: string,
  signal: AbortSignal,
): Promise<Row | null> {
  try {
    return (await callOperation(read, { path: pathOf(read, resource.of, [id]), signal })) as Row
  } catch {
    // The item does not exist, or this person may not see it. Most places return this error.
    return null
  }
}
