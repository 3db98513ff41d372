/**
 * The statements of one transaction as a pgbench script: the same texts with the values of that
 * transaction as literals. Some literals are replaced by values that change with each transaction,
 * and ids in lists by random ones.
 */
import type { Db, Sql, Tx } from '#dodeca/kernel'
import { compile } from '../../src/kernel/database/sql.ts'

type Swap = readonly [value: string, by: string]

export async function scriptOf(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  begin: string,
  swaps: readonly Swap[],
): Promise<string> {
  const seen: Sql[] = []
  await db.tx(tx => work(recording(tx, seen)))
  const lines = seen.map(statement => {
    const { text, values } = compile(statement)
    const filled = text.replaceAll(/\$(\d+)/g, (_all, n: string) => literal(values[Number(n) - 1]))
    const swapped = swaps
      .reduce((so_far, [value, by]) => so_far.replaceAll(value, by), filled)
      .replaceAll(/array\['[0-9a-f-]{36}'\]::uuid/g, 'array[gen_random_uuid()]::uuid')
    return `${swapped
      .replaceAll(/--[^\n]*/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()};`
  })
  return [begin, 'begin;', ...lines, 'commit;', ''].join('\n')
}

function recording(tx: Tx, seen: Sql[]): Tx {
  const noted = (statement: Sql): Sql => {
    seen.push(statement)
    return statement
  }
  return {
    ...tx,
    run: statement => tx.run(noted(statement)),
    one: (row, statement) => tx.one(row, noted(statement)),
    maybe: (row, statement) => tx.maybe(row, noted(statement)),
    many: (row, statement) => tx.many(row, noted(statement)),
    emit: event => tx.emit(event),
    audit: (action, target, facts) => tx.audit(action, target, facts),
    wake: topic => tx.wake(topic),
    afterCommit: work => tx.afterCommit(work),
    atCommit: statement => tx.atCommit(statement),
    stream: (row, statement, portion) => tx.stream(row, statement, portion),
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`
  if (Array.isArray(value)) {
    return value.length === 0 ? `'{}'` : `array[${value.map(literal).join(', ')}]`
  }
  if (typeof value !== 'string') throw new Error(`no literal of a ${typeof value}`)
  // A word after a colon would be a variable of pgbench.
  const parts = value.split(':').map(part => `'${part.replaceAll(`'`, `''`)}'`)
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(` || ':' || `)})`
}
