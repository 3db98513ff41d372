/**
 * A transaction that tells on its statements: each is explained where it stands, with what it really
 * touches, and then run. What it did is rolled back at the end.
 */
import type pg from 'pg'
import type { Static, TSchema } from 'typebox'
import type { Sql, Tx } from '#dodeca/kernel'
import { compile } from '../../../../kernel/database/sql.ts'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

function* nodes(plan: Node): Generator<Node> {
  yield plan
  for (const one of plan.Plans ?? []) yield* nodes(one)
}

/** A Seq Scan on one of the large tables, a Sort of more than a few batches, rows read in vain. */
function faultsOf(plan: Node, large: RegExp): string[] {
  return [...nodes(plan)].flatMap(node => {
    const on = node['Relation Name'] ?? ''
    const touched = node['Actual Rows'] * node['Actual Loops']
    const vain = (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops']
    const kind = node['Node Type']
    if (kind === 'Seq Scan' && large.test(on)) return [`Seq Scan on ${on}`]
    if (kind.includes('Sort') && touched > 500) return [`${kind} of ${touched} rows`]
    if (large.test(on) && (touched > 5000 || vain > 1000)) {
      return [`${kind} on ${on}: ${touched} rows, and ${vain} in vain`]
    }
    return []
  })
}

/** As prepared: what is asked with its values at hand is never planned without them. */
async function explain(client: pg.Client, text: string, values: unknown[]) {
  const literals = values.map((_, at) => `quote_nullable($${at + 1}::text)`)
  const quoted = await client.query<string[]>({
    text: `select ${literals.join(', ')}`,
    values: values.map(value => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)),
    rowMode: 'array',
  })
  await client.query(`prepare looked_at as ${text}`)
  const given = literals.length > 0 ? `(${(quoted.rows[0] ?? []).join(', ')})` : ''
  const explained = await client.query(`explain (analyze, format json) execute looked_at ${given}`)
  await client.query('deallocate looked_at')
  return explained
}

export async function explained(
  client: pg.Client,
  large: RegExp,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[]> {
  // As in production: the other tests plan each statement once.
  await client.query(`set plan_cache_mode = 'auto'`)
  const faults: string[] = []
  let last_asked: Promise<unknown> = Promise.resolve()
  // What leaves in one packet is looked at one after the other.
  const ask = (statement: Sql): Promise<pg.QueryResult> => {
    const asked = last_asked.then(() => look(statement))
    last_asked = asked.catch(() => {})
    return asked
  }
  const look = async (statement: Sql): Promise<pg.QueryResult> => {
    const { text, values } = compile(statement)
    await client.query('savepoint looked')
    const { rows } = await explain(client, text, values)
    await client.query('rollback to savepoint looked')
    faults.push(...faultsOf(rows[0]['QUERY PLAN'][0].Plan, large))
    return await client.query(text, values)
  }
  const many = async <S extends TSchema>(_row: S, statement: Sql) =>
    (await ask(statement)).rows as Static<S>[]
  const unused = () => {
    throw new Error('not in a plan test')
  }
  const last: Sql[] = []
  const tx: Tx = {
    many,
    one: async (row, statement) => (await many(row, statement))[0] as Static<typeof row>,
    maybe: async (row, statement) => (await many(row, statement))[0],
    run: async statement => (await ask(statement)).rowCount ?? 0,
    stream: unused,
    emit: () => '',
    emitting: unused,
    audit: () => {},
    atCommit: statement => void last.push(statement),
    wake: () => {},
    afterCommit: () => {},
    savepoint: unused,
    unhurried: unused,
  }
  await client.query('begin')
  try {
    await work(tx)
    for (const statement of last) await ask(statement)
  } finally {
    await client.query('rollback')
  }
  return faults
}
