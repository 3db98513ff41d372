/** The balance of an account with a million entries, now and a moment ago. */
import { newId, sql } from '#dodeca/kernel'
import {
  Account,
  accountColumns,
  balanceAt,
  currentSums,
} from '../../src/surfaces/payments/ledger/balances.ts'
import { ask } from '../ground/database.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'

const owner = '00000000-0000-7000-8000-00000000ffff'
const lines = 32_000
const portions = 32
const reads = 500

export async function balance({ db, database_url }: Ground): Promise<Section> {
  let half = new Date().toISOString()
  for (let portion = 0; portion < portions; portion++) {
    if (portion === portions / 2) half = new Date().toISOString()
    await ask(
      database_url,
      `select payments.post_ledger($1, $2, $3, null, 'bench', null, null, null, 'bench', 'CHF',
        array_fill($2::uuid, array[${lines} + 1]),
        array_fill('merchant_balance'::text, array[${lines}]) || array['refunds_in_transit'],
        array_fill('credit'::text, array[${lines}]) || array['debit'],
        array_fill(1::bigint, array[${lines}]) || array[${lines}::bigint])`,
      [newId(), owner, newId()],
    )
  }
  await ask(database_url, 'vacuum analyze payments.ledger_entries')
  const account = () =>
    db.one(
      Account,
      sql`
        select ${accountColumns} from payments.ledger_accounts a ${currentSums}
        where a.owner_id = ${owner} and a.type = 'merchant_balance'`,
    )
  const found = await account()
  const at = new Date().toISOString()
  const now = await timed(async () => void (await account()))
  const past = await timed(async () => void (await balanceAt(db, found, at)))
  const old = await timed(async () => void (await balanceAt(db, found, half)), 10)
  return {
    title: 'The balance of an account with a million entries',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: [
      [`now (${found.credits_minor.toLocaleString('en')} entries)`, ...now.map(figure)],
      ['a moment ago', ...past.map(figure)],
      ['before the newer half of them', ...old.map(figure)],
    ],
    verdicts: [
      { says: 'p99 of now', reached: now[1] ?? 0, target: 5, unit: 'ms', wanted: 'at most' },
    ],
    notes: ['A past balance is that of now without the entries since: it costs what is newer.'],
  }
}

async function timed(read: () => Promise<void>, times = reads): Promise<number[]> {
  const latencies: number[] = []
  for (let turn = 0; turn < times; turn++) {
    const started = performance.now()
    await read()
    latencies.push(performance.now() - started)
  }
  return [percentile(latencies, 0.5), percentile(latencies, 0.99)]
}
