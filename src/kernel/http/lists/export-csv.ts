/**
 * A list as CSV. The rows are read in portions by their order, so the export holds no connection
 * while a slow reader stalls it. Each portion asks again whether the credential stands and whether
 * its holder may see the rows. A failure breaks the chunked reply off, so no short file looks whole.
 */
import { Readable } from 'node:stream'
import { type TObject, Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { problem } from '../../errors/problem.ts'
import { limit } from '../../limits.ts'
import type { CursorPart } from '../contract/cursor.ts'
import type { RequestFacts } from '../contract/route.ts'
import { reply } from '../contract/route.ts'
import { Time } from '../contract/shapes.ts'
import { type Asked, askedOf } from './asked.ts'
import { byte_order_mark, csv_type, csvWriter } from './csv.ts'
import type { AnySpec, ListContext, ListDeps } from './spec.ts'
import { counted, madeAt, rowsAfter } from './statement.ts'

export const list_refusals = [
  'sort_needs_filter',
  'export_unsorted',
  'export_too_large',
  'export_unbounded',
  'quota_exceeded',
]

const portion = 1000
const looked_max = limit(
  'kernel.csv_looked_rows',
  500_000,
  'rows',
  'Most rows that are read to count an export whose filter has no index',
)

type Exported = {
  readonly path: string
  readonly spec: AnySpec
  readonly asked: Asked
  readonly permission: string
}

type Context = Pick<ListContext, 'tx' | 'principal' | 'query'> & {
  readonly request: RequestFacts
  /** Throws if the credential has ended or no longer has the permission. */
  readonly stillHolds: (permission: string | null) => Promise<void>
}

export async function csvOf(deps: ListDeps, exported: Exported, context: object) {
  const { path, spec, asked, permission } = exported
  const { tx, principal, query, request, stillHolds } = context as Context
  const { rows, needs } = asked
  if (rows.order.by) throw problem('export_unsorted')
  if (query['limit'] !== undefined || query['cursor'] !== undefined) {
    const detail = 'A file has all rows of the list. Leave `limit` and `cursor` out.'
    throw problem('unsupported_field', { detail })
  }
  const { db, settings } = deps.kernel
  const guard = needs ?? (permission === 'authenticated' ? null : permission)
  const leave = enter(principal.id, settings['kernel.csv_at_once'])
  try {
    await refuseLarge(tx, exported, settings['kernel.csv_rows_max'])
    if (guard !== null && request.method !== 'HEAD') {
      // Committed before the first byte.
      await db.tx(async audited => {
        audited.audit('kernel.list.export', path, { by: principal })
      })
    }
  } catch (error) {
    leave()
    throw error
  }
  async function* lines(): AsyncGenerator<string> {
    const writer = csvWriter((spec.item ?? spec.row) as TObject)
    yield byte_order_mark + writer.header
    for (let id: CursorPart = null; ;) {
      await stillHolds(guard)
      const of = spec.within
        ? (await askedOf(deps, spec, context as ListContext<never>)).rows
        : rows
      const found: readonly object[] = await tx.many(spec.row, rowsAfter(of, { id }, portion))
      const shown = found.map(row =>
        writer.line(spec.view ? spec.view(row as never, deps as never) : row),
      )
      if (shown.length > 0) yield shown.join('')
      if (found.length < portion) return
      id = (found.at(-1) as { readonly id: string }).id
    }
  }
  const body = Readable.from(lines())
  body.once('close', leave)
  const name = path.split('/').at(-1)
  return reply(200, body, {
    'content-type': `${csv_type}; charset=utf-8`,
    'content-disposition': `attachment; filename="${name}.csv"`,
  })
}

const Counted = Type.Object({ wanted: Type.Integer(), looked: Type.Integer() })
const Made = Type.Object({ made_at: Time })

async function refuseLarge(
  reader: Reader,
  { spec, asked: { rows } }: Exported,
  most: number,
): Promise<void> {
  const looks = rows.wanted !== null
  const look_max = looks ? looked_max + 1 : most + 1
  const { wanted, looked } = await reader.one(Counted, counted(rows, look_max))
  if (wanted > most) {
    // The newer part has nine tenths of the limit, because rows may share the moment of the split.
    const split = spec.time && (await reader.one(Made, madeAt(rows, Math.floor(most * 0.9))))
    throw problem('export_too_large', {
      detail: `The list has more than ${most} rows. Ask for a part of it${
        split ? ': since `split_at`, then until it' : ' with a filter'
      }.`,
      ...(split ? { more: { split_at: split.made_at } } : {}),
    })
  }
  if (looks && looked > looked_max) throw problem('export_unbounded')
}

const at_once_of_process = 4
const open = new Map<string, number>()
let all_open = 0

/** Throws `quota_exceeded`. The returned function ends the export. */
function enter(principal_id: string, most: number): () => void {
  const own = open.get(principal_id) ?? 0
  if (own >= most || all_open >= most * at_once_of_process) {
    const detail = `At most ${most} exports of a caller run at once. Wait until one has ended.`
    throw problem('quota_exceeded', { detail })
  }
  open.set(principal_id, own + 1)
  all_open++
  return () => {
    const left = (open.get(principal_id) ?? 1) - 1
    if (left === 0) open.delete(principal_id)
    else open.set(principal_id, left)
    all_open--
  }
}
