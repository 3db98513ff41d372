/**
 * All that is found for a text: what the platform finds in its lists, and where an id or a name is the
 * key of something that no list finds, that item.
 */
import { useState } from 'preact/hooks'
import { fill, language, titleOf, words } from './language.ts'
import { findMatches, type Shown } from './matches.ts'
import { callOperation, operation, type OperationId, pathNames, type Row } from './operation.ts'
import { offeredPlaces } from './places/places.ts'
import { ProblemBox } from './problem-box.tsx'
import { itemOf, mayCall, pathOf, type Place, type Resource } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { Line } from './search-box.tsx'
import { shortest, soughtIn } from './sought.ts'
import { useRead } from './use-read.ts'
import { isId, titleOfRow } from './value.tsx'

type Keyed = { readonly place: Place; readonly resource: Resource; readonly by: OperationId }

const look_further = {
  en: 'Is it the exact id or name of something else? Look in {n} other places',
  de: 'Ist es die genaue Kennung oder der Name von etwas anderem? An {n} anderen Orten suchen',
}

/** The number of concurrent requests, below the limit of the platform for one caller. */
const together = 6

export function SearchPage({ asked: given }: { readonly asked: string }) {
  const asked = soughtIn(given)
  // Each place that no list finds is a request, most of them for nothing: only who asks for it has it.
  const [everywhere, look] = useState(false)
  const others = everywhere || isId(asked) ? 0 : placesFor(asked).length
  const { data, error, loading, reload } = useRead(`${asked} ${everywhere}`, async signal => {
    const matches = asked.length < shortest ? [] : await findMatches(asked, signal)
    const further = everywhere || (isId(asked) && matches.length === 0)
    return further ? joined(matches, await byKeys(asked, signal)) : matches
  })
  return (
    <>
      <h1>{words.search}</h1>
      <p>
        <code>{asked}</code>
      </p>
      <p role="status" class="soft">
        {loading && words.loading}
        {data?.length === 0 && words.search_none}{' '}
        {data && others > 0 && (
          <button type="button" onClick={() => look(true)}>
            {fill(look_further[language], { n: others })}
          </button>
        )}
      </p>
      {error !== undefined && <ProblemBox error={error} retry={reload} />}
      <ul class="found">
        {data?.map(one => (
          <li key={one.to}>
            <Link to={one.to}>
              <Line match={one} />
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

/** An item that both find is shown once. */
function joined(matches: readonly Shown[], others: readonly Shown[]): readonly Shown[] {
  const known = new Set(matches.map(one => one.to))
  return [...matches, ...others.filter(one => !known.has(one.to))]
}

async function byKeys(asked: string, signal: AbortSignal): Promise<readonly Shown[]> {
  const places = placesFor(asked)
  const found: Shown[] = []
  const next = async (): Promise<void> => {
    const one = places.shift()
    if (!one || signal.aborted) return
    found.push(...(await read(one, asked, signal)))
    return next()
  }
  await Promise.all(Array.from({ length: together }, next))
  return found
}

/** A name (a code, a job type, a SKU) can be found only in resources whose key is a name. */
function placesFor(asked: string): Keyed[] {
  return offeredPlaces().flatMap(place =>
    place.resources.flatMap(resource => {
      const { read: by, list, key, of = {} } = resource
      const open = by ? pathNames(operation(by).path).filter(name => !(name in of)) : []
      const named = key !== undefined && key[0] !== 'post_id' && key[0] !== 'request_id'
      const is_searched = list && mayCall(list) && operation(list).query['find']
      return by && mayCall(by) && open.length === 1 && named !== isId(asked) && !is_searched
        ? [{ place, resource, by }]
        : []
    }),
  )
}

async function read({ place, resource, by }: Keyed, asked: string, signal: AbortSignal) {
  try {
    const path = pathOf(by, resource.of, [asked])
    const row = (await callOperation(by, { path, signal })) as Row
    const item = itemOf(resource, row)
    return [
      {
        place,
        resource,
        item,
        kind: resource.name,
        id: item,
        path: null,
        title: titleOfRow(row),
        subtitle: null,
        state: typeof row['state'] === 'string' ? row['state'] : null,
        to: addressOf([place.name, resource.name, item]),
        where: `${titleOf(place.title)} · ${titleOf(resource.title)}`,
      },
    ]
  } catch {
    // The item does not exist, or this person may not see it. Most places return this error.
    return []
  }
}
