/**
 * Works of several callers in one transaction. What arrives while others commit shares the next
 * commit, and a single caller waits for no other. A packet and a commit cost more than the few
 * statements of a short work. No operation is `shared` yet.
 *
 * If one work fails, each of them runs again in a transaction of its own, so that only the faulty
 * one fails. A tenant whose work has failed is alone for a while: over its limit it costs others
 * nothing. First statements are sent in the order of the tenants, and so are those for COMMIT: where
 * a group locks rows by the one or by the other, two transactions never wait for each other.
 */
import { workContext, type WorkContext } from '../observability/context.ts'
import { boundedCache } from '../bounded-cache.ts'
import type { Db, Reader, Tx } from './db.ts'
import { isUnavailable } from './failures.ts'
import { gather } from './gather.ts'

export type SharedTx = <T>(of: Sharing, work: (tx: Tx) => Promise<T>) => Promise<T>
export type Sharing = {
  /** Works of one group share transactions. */
  readonly group: string
  readonly tenant_id: string
}

type Work = {
  readonly tenant_id: string
  readonly context: WorkContext | undefined
  run(tx: Tx): Promise<unknown>
}

/** Two transactions may run, so that a lock does not delay all others. */
const flights_max = 2
const items_max = 32
const tenants_max = 10_000
const alone_ms = 10_000
/** A shared transaction belongs to no single request. */
const no_context = { request_id: null, traceparent: null, name: null }

export function openSharedTx(db: Pick<Db, 'tx'>): SharedTx {
  const groups = new Map<string, (work: Work) => Promise<unknown>>()
  const failed = boundedCache<true>(tenants_max, alone_ms)
  const alone = async (work: Work) => {
    try {
      return await workContext.run(work.context ?? no_context, () => db.tx(tx => work.run(tx)))
    } catch (error) {
      if (!isUnavailable(error)) failed.set(work.tenant_id, true)
      throw error
    }
  }
  const together = async (works: readonly Work[]) => {
    const [only] = works
    if (only && works.length === 1) return [await alone(only)]
    return await workContext.run(no_context, () => db.tx(tx => runAll(tx, works)))
  }
  const groupOf = (name: string) => {
    const found = groups.get(name) ?? gather({ flights_max, items_max }, together)
    groups.set(name, found)
    return found
  }
  return async <T>({ group, tenant_id }: Sharing, run: (tx: Tx) => Promise<T>) => {
    const work = { tenant_id, context: workContext.getStore(), run }
    return (await (failed.has(tenant_id) ? alone(work) : groupOf(group)(work))) as T // what `run` returned
  }
}

async function runAll(tx: Tx, works: readonly Work[]): Promise<readonly unknown[]> {
  const order = works
    .map((work, index) => ({ work, index }))
    .toSorted((a, b) => (a.work.tenant_id < b.work.tenant_id ? -1 : 1))
  const results: unknown[] = []
  const last: (() => void)[][] = []
  const errors: unknown[] = []
  let turn: Promise<undefined> | undefined
  const running = order.map(async ({ work, index }, at) => {
    const mine = partOf(tx, work.context, turn)
    turn = mine.begun
    last[at] = mine.last
    try {
      results[index] = await workContext.run(work.context ?? no_context, () => work.run(mine.tx))
    } catch (error) {
      errors.push(error)
    } finally {
      mine.ended()
    }
  })
  // All have ended before each runs again by itself.
  await Promise.all(running)
  if (errors.length > 0) throw errors[0]
  for (const add of last.flat()) add()
  return results
}

/** The transaction as one work sees it. `before` ends when the work before it has begun. */
function partOf(tx: Tx, context: WorkContext | undefined, before: Promise<undefined> | undefined) {
  const { promise: begun, resolve } = Promise.withResolvers<undefined>()
  const ended = () => {
    resolve(undefined)
  }
  const last: (() => void)[] = []
  let waits = before !== undefined
  const inTurn = async <R>(ask: () => Promise<R>): Promise<R> => {
    if (waits) await before
    waits = false
    const asked = ask()
    ended()
    return await asked
  }
  const reader: Reader = {
    one: (row, statement) => inTurn(() => tx.one(row, statement)),
    maybe: (row, statement) => inTurn(() => tx.maybe(row, statement)),
    many: (row, statement) => inTurn(() => tx.many(row, statement)),
  }
  const part: Tx = {
    ...tx,
    ...reader,
    run: statement => inTurn(() => tx.run(statement)),
    emit: event => {
      const { traceparent = null, name: written_by = null } = context ?? {}
      return tx.emit({ traceparent, written_by, ...event })
    },
    audit: action => {
      throw new Error(`${action}: a shared transaction has no caller for an audit record`)
    },
    atCommit: (statement, outcome) => void last.push(() => tx.atCommit(statement, outcome)),
  }
  return { tx: part, last, begun, ended }
}
