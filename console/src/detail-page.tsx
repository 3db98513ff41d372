/** The page of one item: its actions, its fields, related lists, and its live events. */
import { useEffect, useState } from 'preact/hooks'
import { Problem } from '../../client/src/index.ts'
import { ActionButton } from './action.tsx'
import { Copied, curlOf } from './curl.tsx'
import { EventLines } from './event-lines.tsx'
import { titleOf, words } from './language.ts'
import { useEvents, useLive } from './live.ts'
import {
  callOperation,
  operation,
  pathNames,
  plain,
  type OperationId,
  type Page,
  type Row,
} from './operation.ts'
import { OfPerson } from './of-person.tsx'
import { ProblemBox } from './problem-box.tsx'
import {
  actionsOf,
  isPart,
  itemOf,
  mayAct,
  mayAskFor,
  mayCall,
  pathOf,
  splitKey,
  type Place,
  type Related,
  type Resource,
  type Action,
} from './resource.ts'
import { addressOf, go, Link } from './router.tsx'
import { Table } from './table.tsx'
import { useList } from './use-list.ts'
import { useRead, useRereads } from './use-read.ts'
import { FieldList, Cell, States, titleOfRow } from './value.tsx'
import { Watch } from './watch.tsx'

type Props = {
  readonly place: Place
  readonly resource: Resource
  readonly item: string
  readonly filters: Readonly<Record<string, string>>
}

/** If no operation reads a single item, the console searches this number of pages of the list. */
const pages_max = 5

export function DetailPage({ place, resource, item, filters }: Props) {
  const key = splitKey(item)
  const read = useRead(`${place.name}/${resource.name}/${item}`, signal =>
    readItem(resource, { item, filters }, signal),
  )
  useLive(resource.events ?? [], read.reload)
  const { data: row, error, loading, reload } = read
  const moves = row && resource.unannounced?.includes(String(row['state']))
  useRereads(moves ? JSON.stringify(row) : null, reload)
  const [acts, count] = useState(0)
  return (
    <>
      <p class="path">
        <Link to={addressOf([place.name, resource.name])}>{titleOf(resource.title)}</Link>
      </p>
      {loading && <p class="soft">{words.loading}</p>}
      {error !== undefined && (
        <>
          <h1>{titleOf(resource.title)}</h1>
          <ProblemBox error={error} retry={reload} />
        </>
      )}
      {row && (
        <>
          <Head
            {...{ resource, row, item }}
            acted={gone => {
              count(acts + 1)
              return gone ? go(addressOf([place.name, resource.name])) : reload()
            }}
          />
          {resource.panel && resource.read && (
            <resource.panel {...{ row, filters }} path={pathOf(resource.read, resource.of, key)} />
          )}
          <div class="columns">
            <Fields resource={resource} row={row} />
            <div>
              {resource.stream && (
                <Watch stream={resource.stream} path={pathOf(resource.stream, {}, key)} />
              )}
              {(resource.related ?? [])
                .filter(({ list }) =>
                  resource.person ? mayAskFor(list, key[0] ?? '') : mayCall(list),
                )
                .flatMap(one =>
                  (one.of?.(row) ?? [key[0] ?? '']).map(of => (
                    <RelatedList
                      key={`${one.list} ${of}`}
                      related={one}
                      of={one.of ? [of] : key}
                      events={resource.events ?? []}
                      acts={acts}
                    />
                  )),
                )}
              {resource.person && (
                <OfPerson
                  id={plain(row['id'])}
                  without={(resource.related ?? []).map(one => one.list)}
                />
              )}
              <History id={plain(row['id']) || item} />
            </div>
          </div>
        </>
      )}
    </>
  )
}

/** Without an operation for one item, it is in the list with the same filters. */
async function readItem(
  resource: Resource,
  { item, filters }: Pick<Props, 'item' | 'filters'>,
  signal: AbortSignal,
): Promise<Row> {
  const { read, list, of } = resource
  if (read) {
    try {
      return (await callOperation(read, { path: pathOf(read, of, splitKey(item)), signal })) as Row
    } catch (error) {
      // The list has a part although the item is not there, or is not for this reader.
      if (!isPart(resource) || !isHidden(error)) throw error
    }
  }
  let cursor: string | null = null
  for (let at = 0; list && at < pages_max; at++) {
    const query = { ...filters, limit: 100, ...(cursor === null ? {} : { cursor }) }
    const page = (await callOperation(list, { path: pathOf(list, of), query, signal })) as Page
    const found = page.data.find(row => itemOf(resource, row) === item)
    if (found) return found
    cursor = page.next_cursor
    if (!page.has_more || cursor === null) break
  }
  throw new Error(words.search_none)
}

type HeadProps = {
  readonly resource: Resource
  readonly row: Row
  readonly item: string
  /** `gone` means that the item was deleted. */
  acted(gone: boolean): void
}

function Head({ resource, row, item, acted }: HeadProps) {
  // A request that was refused is completed, too.
  const state = Number(row['status']) >= 400 ? 'failed' : (row['state'] ?? row['status'])
  // A dialog stays open although its action has changed the state, and shows its reply.
  const [open, setOpen] = useState<OperationId | null>(null)
  const fits = ({ in: states, when }: Action) =>
    (!states || states.includes(String(state))) && (!when || when(row))
  const offered = actionsOf(resource).filter(
    action => mayAct(action, resource, row) && (action.by === open || fits(action)),
  )
  const key = splitKey(item)
  return (
    <header class="title">
      <h1>
        <bdi>{titleOfRow(row) || splitKey(item).filter(Boolean).join(' · ')}</bdi>{' '}
        {typeof state === 'string' && <States value={state} row={row} />}
      </h1>
      {offered.length > 0 && (
        <div class="actions" role="group" aria-label={words.actions}>
          {offered.map(action => (
            <ActionButton
              key={action.by}
              action={action}
              row={row}
              path={pathOf(action.by, resource.of, key)}
              shown={is_open => setOpen(is_open ? action.by : null)}
              done={() => acted(operation(action.by).method === 'DELETE' && isOwn(action.by))}
            />
          ))}
        </div>
      )}
    </header>
  )
}

/** The path ends with the item itself, not with a related object. */
function isOwn(id: OperationId): boolean {
  return /^\/v1\/[a-z-]+\/\{[a-z_]+\}$/.test(operation(id).path)
}

function Fields({ resource, row }: { readonly resource: Resource; readonly row: Row }) {
  const { read } = resource
  const key = splitKey(itemOf(resource, row))
  return (
    <section aria-label={words.fields}>
      <FieldList row={row} />
      <details>
        <summary>{words.json}</summary>
        <Copied text={JSON.stringify(row, null, 2)} label={words.json} />
      </details>
      {read && (
        <details>
          <summary>{words.curl}</summary>
          <Copied text={curlOf(read, pathOf(read, resource.of, key))} label={words.curl} />
        </details>
      )}
    </section>
  )
}

/** A person who may read an item need not be allowed to read all related lists: those are left out. */
function isHidden(error: unknown): boolean {
  return error instanceof Problem && [403, 404].includes(error.status)
}

type RelatedProps = {
  readonly related: Related
  readonly of: readonly string[]
  readonly events: readonly string[]
  /** The number of acts at this page. Each may have changed the list. */
  readonly acts: number
}

function RelatedList({ related, of, events, acts }: RelatedProps) {
  const { title, list, columns, filter, opens } = related
  const named = pathNames(operation(list).path).length > 0
  const listed = useList({
    list,
    path: named ? pathOf(list, {}, of) : {},
    filters: filter ? { [filter]: of[0] ?? '' } : {},
    key: row => JSON.stringify(row),
  })
  useLive(events, listed.reload)
  useEffect(() => {
    if (acts > 0) listed.reload()
  }, [acts])
  if (isHidden(listed.error)) return null
  return (
    <section>
      <h2>{titleOf(title)}</h2>
      {listed.error !== null && listed.error !== undefined && <ProblemBox error={listed.error} />}
      {!listed.loading && !listed.error && listed.rows.length === 0 && (
        <p class="soft">{words.empty}</p>
      )}
      {listed.rows.length > 0 && (
        <Table
          title={titleOf(title)}
          columns={columns}
          rows={listed.rows}
          cell={(row, name, place) => {
            const cell = <Cell name={name} value={row[name]} row={row} />
            if (place > 0 || !opens) return cell
            return <Link to={addressOf([...opens.split('/'), String(row['id'])])}>{cell}</Link>
          }}
        />
      )}
      {listed.has_more && (
        <button type="button" onClick={listed.more}>
          {words.more}
        </button>
      )}
    </section>
  )
}

/** The events of this item since the page was opened. */
function History({ id }: { readonly id: string }) {
  const events = useEvents().filter(event => event['aggregate_id'] === id)
  if (events.length === 0) return null
  return (
    <section>
      <h2>{words.history}</h2>
      <EventLines events={events} />
    </section>
  )
}
