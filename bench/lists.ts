/**
 * Lists of a million rows over HTTP: ranges, orders, filters and searches of orders, one search over
 * all lists, and 100,000 orders as CSV beside `copy` of PostgreSQL.
 */
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { comparison, type Bench } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { figure, standingsOf, type Section } from './ground/report.ts'
import { compete } from './ground/rounds.ts'
import { type Ground, openGround, rows, timeOf } from './lists/ground.ts'

const connections = 4
const rate = 20

/** `{n}` is a number of a row; `{from}` and `{to}` are the beginning and the end of a range. */
const asked = {
  'the newest': '/v1/orders?limit=50',
  'a state': '/v1/orders?state=confirmed',
  'a rare state': '/v1/orders?state=cancelled',
  'a day': '/v1/orders?since={from}&until={to}',
  'ten months, oldest first': '/v1/orders?since={from}&sort=created_at',
  'ten months and a rare state': '/v1/orders?since={from}&state=cancelled',
  'the dearest': '/v1/orders?currency=EUR&sort=-total_minor',
  'the dearest of a day': '/v1/orders?currency=EUR&sort=-total_minor&since={from}&until={to}',
  'the dearest of ten months': '/v1/orders?currency=EUR&sort=-total_minor&since={from}',
  'the cheapest of a rare state': '/v1/orders?currency=USD&sort=total_minor&state=cancelled',
  'of one buyer': '/v1/orders?account_id=01900000-0000-7000-8000-000000000001',
  'a number': '/v1/orders?find=%23{n}',
  'an address': '/v1/orders?find=person{n}@',
  'a last word': '/v1/orders?find=person{n}',
  'a first name of 200,000': '/v1/orders?find=mara',
  nobody: '/v1/orders?find=nobody-{n}',
}

const searched = {
  'an address': 'person{n}@example.org',
  'the beginning of all addresses': 'person',
  'a first name of 200,000': 'mara',
  'a number': '{n}',
  'a SKU': 'S-{n}',
  'a word of 333,333 titles': 'olive',
  'words of one title': 'lamp model{n}',
  'a reference': 'ref-{n}',
  nothing: 'nobody-{n}',
}

const filled = (text: string, n: number) =>
  text
    .replaceAll('{n}', String(n))
    .replace('{from}', timeOf(rows / 10 + n / 100))
    .replace('{to}', timeOf(rows / 10 + n / 100 + rows / 365))

async function measured(
  { options }: Bench,
  { program: { port, pid }, token }: Ground,
  paths: Readonly<Record<string, string>>,
) {
  return await compete(
    Object.entries(paths).map(([name, path]) => ({
      name,
      run: () => {
        const requests = Array.from({ length: 50 }, (_, at) =>
          requestText({ path: filled(path, 11 + ((at * 7919) % (rows - 11))), token }),
        )
        return load({ port, pid, connections, requests, rate }, options)
      },
    })),
    options.rounds,
  )
}

async function orders(bench: Bench, ground: Ground): Promise<Section> {
  const all = await measured(bench, ground, asked)
  return standingsOf(
    `The list of ${rows.toLocaleString('en')} orders, ${rate} a second`,
    all,
    all.map(one => ({
      says: `p99 of ${one.name}`,
      reached: one.p99_ms,
      target: 100,
      unit: 'ms',
      wanted: 'at most' as const,
    })),
  )
}

async function matches(bench: Bench, ground: Ground): Promise<Section> {
  const paths = Object.fromEntries(
    Object.entries(searched).map(([name, text]) => [
      name,
      `/v1/matches?q=${text.replaceAll(' ', '%20')}`,
    ]),
  )
  const all = await measured(bench, ground, paths)
  return standingsOf(
    `One search over all lists, ${rows.toLocaleString('en')} rows each of orders, accounts, payments and products`,
    all,
    all.flatMap(one => [
      {
        says: `p50 of ${one.name}`,
        reached: one.p50_ms,
        target: 15,
        unit: 'ms',
        wanted: 'at most',
      },
      {
        says: `p99 of ${one.name}`,
        reached: one.p99_ms,
        target: 60,
        unit: 'ms',
        wanted: 'at most',
      },
    ]),
  )
}

const exported = Math.min(100_000, rows)

async function csv(bench: Bench, ground: Ground): Promise<Section> {
  const { port, pid } = ground.program
  const range = `since=${timeOf(rows - exported + 1)}`
  const ours: number[] = []
  const theirs: number[] = []
  let [lines, most_mb] = [0, 0]
  const before_mb = await memoryOf(pid)
  for (let round = 0; round < bench.options.rounds; round++) {
    const began = performance.now()
    const reply = await fetch(`http://127.0.0.1:${port}/v1/orders?${range}`, {
      headers: { accept: 'text/csv', authorization: `Bearer ${ground.token}` },
    })
    if (!reply.ok || !reply.body) throw new Error(await reply.text())
    lines = -1
    for await (const part of reply.body as AsyncIterable<Uint8Array>) {
      lines += part.filter(byte => byte === 10).length
      most_mb = Math.max(most_mb, await memoryOf(pid))
    }
    ours.push(performance.now() - began)
    theirs.push(await copied(ground))
  }
  const [fast, other] = [Math.min(...ours), Math.min(...theirs)]
  const grown = most_mb - before_mb
  return {
    title: `${lines.toLocaleString('en')} orders as CSV`,
    columns: ['', 'seconds', 'rows a second'],
    rows: [
      ['GET /v1/orders as text/csv', figure(fast / 1000), figure((lines / fast) * 1000)],
      ['copy to stdout', figure(other / 1000), figure((exported / other) * 1000)],
    ],
    verdicts: [
      { says: 'ours / copy', reached: other / fast, target: 0.25, unit: '', wanted: 'at least' },
      {
        says: 'memory above the idle one',
        reached: grown,
        target: 20,
        unit: 'MB',
        wanted: 'at most',
      },
    ],
    notes: [`The best of ${ours.length}. The resident memory was ${figure(before_mb)} MB before.`],
  }
}

/** The same columns as the server itself writes them. */
async function copied({ database_url, tenant_id }: Ground): Promise<number> {
  const client = new pg.Client(database_url)
  await client.connect()
  const began = performance.now()
  const rows_out = client.query(
    copyTo(`copy (select id, number, state, version, currency, buyer_id, total_minor, payment_state,
        buyer_erased, created_at, confirmed_at from commerce.orders
      where tenant_id = '${tenant_id}' order by id desc limit ${exported}) to stdout (format csv)`),
  )
  for await (const part of rows_out) if (part === null) break
  const took = performance.now() - began
  await client.end()
  return took
}

async function memoryOf(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024
}

const parts = { orders, matches, csv }

await comparison('lists', async bench => {
  const { only } = bench.options
  const ground = await openGround(bench)
  try {
    const sections: Section[] = []
    for (const [name, measure] of Object.entries(parts)) {
      if (only === null || only === name) sections.push(await measure(bench, ground))
    }
    return sections
  } finally {
    await ground.close()
  }
})
