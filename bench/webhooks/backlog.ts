/** What a claim costs while a million deliveries wait at a thousand endpoints. */
import { loadConfig } from '../../src/settings.ts'
import { newId } from '#dodeca/kernel'
import { composition } from '../../src/platform.ts'
import { start, type Running } from '../../src/runtime/start.ts'
import { claim } from '../../src/surfaces/webhooks/sending/claim.ts'
import { findDue } from '../../src/surfaces/webhooks/sending/find-due.ts'
import { planLookUps } from '../../src/surfaces/webhooks/sending/look-ups.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import { fill } from './fill.ts'
import { most, startOurs, subscribe, tell } from './ground.ts'

const endpoints = 1000
const waiting = 1_000_000
const claims = 400
/** A hundred deliveries a claim. */
const lanes_each = 25
const of_each = 4
const name = 'webhooks_backlog'
const shards = Array.from({ length: 64 }, (_, shard) => shard)

type Times = { readonly p50: number; readonly p99: number }

export async function backlog(bench: Bench): Promise<Section> {
  const ours = await startOurs(bench, name, { ROLES: 'api' })
  const tenant_id = newId()
  await subscribe(
    ours,
    tenant_id,
    Array.from({ length: endpoints }, () => 1),
  )
  await ours.stop()
  const url = new URL(bench.database.url)
  url.pathname = `/${name}`
  const rows: string[][] = []
  let last: Times = { p50: Number.NaN, p99: Number.NaN }
  let made = 0
  for (const many of [waiting / 10, waiting]) {
    const events = (many - made) / endpoints
    await fill(url.toString(), { tenant_id, events, portion: 50 })
    made = many
    const measured = await measure(url.toString())
    last = measured.claimed
    tell(`${many} waiting: a claim p50 ${figure(last.p50)} ms, p99 ${figure(last.p99)} ms`)
    const { claimed, looked } = measured
    const times = [claimed.p50, claimed.p99, looked.p50].map(figure)
    rows.push([`${many.toLocaleString('en')} waiting`, ...times])
  }
  return {
    title: `A claim of a hundred deliveries, of ${lanes_each} in ${endpoints.toLocaleString('en')} endpoints`,
    columns: ['', 'p50 ms', 'p99 ms', 'a look for what is due, p50 ms'],
    rows,
    verdicts: [most('p99 with a million waiting', last.p99, 20, 'ms')],
    notes: ['With its commit. The look is what a sender does once a second while something waits.'],
  }
}

async function measure(url: string): Promise<{ claimed: Times; looked: Times }> {
  const running = await start(
    loadConfig({}, { ...productionEnvironment(url), ROLES: 'api' }),
    () => {},
    composition,
  )
  const owner = newId()
  await ask(
    url,
    `update webhooks.sender_shards set owner = '${owner}', leased_until = now() + interval '1 hour'`,
  )
  const ids = (await ask(url, 'select id from webhooks.subscriptions order by id')).map(row =>
    String(row['id']),
  )
  const times_ms: number[] = []
  for (let n = 0; n < claims + 50; n++) {
    const from = performance.now()
    await claimOnce(running, owner, ids, n * lanes_each)
    if (n >= 50) times_ms.push(performance.now() - from)
  }
  const looks_ms: number[] = []
  for (let n = 0; n < 20; n++) {
    const from = performance.now()
    await findDue(running.platform.kernel.db, shards)
    looks_ms.push(performance.now() - from)
  }
  await running.stop()
  const of = (times: number[]) => ({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) })
  return { claimed: of(times_ms), looked: of(looks_ms) }
}

async function claimOnce(
  { platform }: Running,
  owner: string,
  ids: readonly string[],
  first: number,
): Promise<void> {
  const wanted = Array.from({ length: lanes_each }, (_, at) => ({
    subscription_id: ids[(first + at) % ids.length] ?? '',
    many: of_each,
  }))
  const asked = { owner, token: newId(), lease_seconds: 30, wanted }
  const rows = await platform.kernel.db.tx(async tx => {
    const [, claimed] = await Promise.all([planLookUps(tx), claim(tx, asked)])
    return claimed
  })
  if (rows.length === 0) throw new Error('nothing was claimed')
}
