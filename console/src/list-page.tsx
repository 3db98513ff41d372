/** A list: its filters, its live rows, and the button to create the first one. */
import { useEffect, useState } from 'preact/hooks'
import { ActionButton } from './action.tsx'
import { Bars } from './chart.tsx'
import { CsvButton } from './csv-button.tsx'
import { Copied, curlOf } from './curl.tsx'
import { Filters } from './filters.tsx'
import { fill, titleOf, words } from './language.ts'
import { useEvents, useLive } from './live.ts'
import { callOperation, operation, pathNames, type OperationId, type Row } from './operation.ts'
import { ProblemBox } from './problem-box.tsx'
import { isPart, itemOf, mayCall, pathOf, type Place, type Resource } from './resource.ts'
import { addressOf, go } from './router.tsx'
import { Rows } from './rows.tsx'
import { useList, type Listed } from './use-list.ts'
import { useRead } from './use-read.ts'
import { FieldList } from './value.tsx'

type Props = {
  readonly place: Place
  readonly resource: Resource
  readonly filters: Readonly<Record<string, string>>
}

export function ListPage({ place, resource, filters }: Props) {
  const { name, title, create, begins, list, read, key = ['id'], top: Top } = resource
  const [made, make] = useState(0)
  return (
    <>
      <header class="title">
        <h1>{titleOf(title)}</h1>
        {create && mayCall(create) && (
          <ActionButton
            action={begins ? { by: create, from: () => begins } : { by: create }}
            row={begins ?? {}}
            page={row =>
              (list || read) && key.every(name => name in row)
                ? addressOf([place.name, name, itemOf(resource, row)])
                : null
            }
            path={pathOf(create, resource.of)}
            done={() => make(made + 1)}
            main
          />
        )}
      </header>
      {!list && !read && create && <p class="soft">{operation(create).summary}.</p>}
      {Top && <Top filters={filters} />}
      {!list && read && !isGiven(read, resource) && <Find {...{ place, resource }} />}
      {!list && read && isGiven(read, resource) && (
        <Single read={read} of={resource.of ?? {}} made={made} />
      )}
      {list ? (
        <Listing key={list} {...{ place, resource, filters, list, made }} />
      ) : (
        read && !isGiven(read, resource) && <p class="soft">{words.no_list}</p>
      )}
    </>
  )
}

function isGiven(read: OperationId, { of = {} }: Resource): boolean {
  return pathNames(operation(read).path).every(name => name in of)
}

type SingleProps = {
  readonly read: OperationId
  readonly of: Readonly<Record<string, string>>
  readonly made: number
}

/** An object of which there is only one, such as the settings of a surface. */
function Single({ read, of, made }: SingleProps) {
  const { data, error, reload } = useRead(`${read} ${made}`, async signal => {
    return (await callOperation(read, { path: pathOf(read, of), signal })) as Row
  })
  if (error !== undefined) return <ProblemBox error={error} retry={reload} />
  return data ? <FieldList row={data} /> : <p class="soft">{words.loading}</p>
}

type ListingProps = Props & {
  readonly list: OperationId
  /** The number of items created here. When it changes, the list is read again. */
  readonly made: number
}

function Listing({ place, resource, filters, list, made }: ListingProps) {
  const { columns, events = [], create, of, charts = [] } = resource
  const { query } = operation(list)
  const known = Object.fromEntries(Object.entries(filters).filter(([name]) => name in query))
  const listed_at = pathOf(list, of)
  const listed = useList({
    list,
    path: listed_at,
    filters: resource.feed ? { since: an_hour_ago, ...known } : known,
    key: row => itemOf(resource, row),
  })
  useLive(events, listed.reload)
  useEffect(() => {
    if (made > 0) listed.reload()
  }, [made])
  const { has_more, error, loading } = listed
  const rows = useFeed(resource, known, listed)
  const here = [place.name, resource.name]
  return (
    <>
      <Filters query={query} chosen={known} choose={next => go(addressOf(here, next), 'replace')} />
      {error !== null && error !== undefined && <ProblemBox error={error} retry={listed.reload} />}
      {rows.length > 0 && charts.length > 0 && (
        <div class="panel">
          {charts.map(chart => (
            <section class="card" key={chart.y}>
              <Bars rows={rows} {...chart} />
            </section>
          ))}
        </div>
      )}
      {loading && <p class="soft">{words.loading}</p>}
      {!loading && !error && rows.length === 0 && (
        <Empty filtered={Object.keys(known).length > 0} {...{ create, resource, list }} />
      )}
      {rows.length > 0 && (
        <>
          <Rows
            title={titleOf(resource.title)}
            {...{ rows, has_more }}
            columns={resource.sparse ? columns.filter(name => hasSome(rows, name)) : columns}
            more={listed.more}
            key_of={row => itemOf(resource, row)}
            address={row =>
              addressOf(
                [...here, itemOf(resource, row)],
                resource.read && !isPart(resource) ? {} : known,
              )
            }
          />
          <p class="soft foot">
            <span role="status">
              {fill(has_more ? words.rows : words.rows_all, { n: rows.length })}
            </span>
            <button type="button" onClick={listed.reload}>
              {words.reload}
            </button>
            {operation(list).csv && (
              <CsvButton
                key={JSON.stringify(known)}
                {...{ list, filters: known }}
                path={listed_at}
              />
            )}
          </p>
        </>
      )}
    </>
  )
}

function hasSome(rows: readonly Row[], name: string): boolean {
  return rows.some(row => row[name] !== null)
}

const an_hour_ago = new Date(Date.now() - 3_600_000).toISOString()

/**
 * The API returns a log with the oldest entry first. The console reads the log to its end and shows
 * the newest entry first, with new events from the live stream on top.
 */
function useFeed(
  { feed }: Resource,
  chosen: Readonly<Record<string, string>>,
  listed: Listed,
): readonly Row[] {
  const live = useEvents()
  const { rows, has_more } = listed
  useEffect(() => {
    if (feed && has_more) listed.more()
  }, [rows, has_more])
  if (!feed) return rows
  const known = new Set(rows.map(row => row['id']))
  const wanted = (chosen['types'] ?? '').split(',').filter(Boolean)
  const fits = (row: Row) => wanted.length === 0 || wanted.includes(String(row['type']))
  const fresh = chosen['trace_id'] ? [] : live.filter(row => !known.has(row['id']) && fits(row))
  return [...fresh, ...rows.toReversed()]
}

type EmptyProps = {
  readonly filtered: boolean
  readonly create: OperationId | undefined
  readonly resource: Resource
  readonly list: OperationId
}

function Empty({ filtered, create, resource, list }: EmptyProps) {
  if (filtered) return <p class="empty">{words.empty_filtered}</p>
  return (
    <div class="empty">
      <p>
        {words.empty} {fill(words.empty_list, { list: operation(list).summary })}
      </p>
      {create && mayCall(create) && !isPartOf(create, list) && (
        <>
          <p>{words.empty_make}</p>
          <Copied text={curlOf(create, pathOf(create, resource.of))} label={words.curl} />
        </>
      )}
    </div>
  )
}

/** Such as reading all of an inbox: it makes no item of the list. */
function isPartOf(act: OperationId, list: OperationId): boolean {
  return operation(act).path.startsWith(`${operation(list).path}/`)
}

function Find({ place, resource }: { readonly place: Place; readonly resource: Resource }) {
  const [id, set] = useState('')
  return (
    <form
      class="find"
      onSubmit={event => {
        event.preventDefault()
        if (id !== '') go(addressOf([place.name, resource.name, id.trim()]))
      }}
    >
      <label>
        <span>{words.find}</span>
        <input value={id} spellcheck={false} onInput={event => set(event.currentTarget.value)} />
      </label>
      <button>{words.open}</button>
    </form>
  )
}
