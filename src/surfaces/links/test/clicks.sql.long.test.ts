/**
 * Clicks are counted once: whatever process took them, however it ended, and whatever became of the
 * database meanwhile. What is kept of them is coarse.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { addUp } from '../statistics/add-up.ts'
import { BatchBuilder, batch_clicks_max, type Batch } from '../clicks/batch.ts'
import { toFrame } from '../clicks/frames.ts'
import { findDrift } from '../statistics/drift.ts'
import { storeBatches } from '../clicks/store-batches.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { arrived, browser, summed } from './counted.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { spooled, spooledClicks } from './spooled.ts'
import { startVisitors, visit } from './visitors.ts'
import { settings } from '../settings.ts'

let world: LinkWorld
let owner: Member
beforeAll(async () => {
  world = await openLinkWorld({})
  owner = await world.member()
})
afterAll(() => world.close())

const N = Type.Object({ n: Type.Integer() })
async function link(): Promise<string> {
  return (await world.shorten(owner, {})).body.code as string
}

async function startApi(more: Record<string, string> = {}): Promise<PlatformProcess> {
  const started = await startProcess({ ...world.environment, ROLES: 'api', ...more }, 'product')
  onTestFinished(() => void started.child.kill('SIGKILL'))
  return started
}

async function stored(code: string): Promise<number> {
  const { n } = await world.platform.kernel.db.one(
    N,
    sql`select count(*) as n from links.click_events where code = ${code}`,
  )
  return n
}

async function statsOf(code: string) {
  const { body } = await world.call('GET', `/v1/links/${code}/stats`, { token: owner.token })
  return body as { readonly fresh_until: string; readonly totals: { readonly clicks: number } }
}

/** The name of a spool file of a process that has ended: no process has this number. */
function spoolFile(): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
  return join(world.data_dir, 'spool', `clicks-${host}-4194999-${newId()}-${newId()}-1.log`)
}

function oneClick(code: string, context: string, at_ms: number): Batch {
  const builder = new BatchBuilder()
  builder.add({ domain_id: platform_domain_id, code }, context, at_ms)
  return builder.build(newId())
}

const spoolIsEmpty = async () => (await spooled(world)).length === 0

describe('a click', () => {
  test('is kept where its process is stopped under load', async () => {
    const code = await link()
    const other = await startApi()
    const visitors = startVisitors(`${other.url}/${code}`, 8, browser)
    await visitors.more(200)
    await other.kill('SIGTERM')
    const visits = await visitors.stop()
    const followed = visits.filter(({ status }) => status === 302).length
    // Where a connection broke, it is not known whether it had been answered.
    const broken = visits.filter(({ failure }) => failure !== null && failure !== 'ECONNREFUSED')
    const n = await stored(code)
    expect(n).toBeGreaterThanOrEqual(followed)
    expect(n).toBeLessThanOrEqual(followed + broken.length)
    await arrived(world, code, n)
    expect(await summed(world, code)).toBe(n)
  })

  test('is lost by a kill only where it was just made', async () => {
    const code = await link()
    const other = await startApi()
    const visitors = startVisitors(`${other.url}/${code}`, 8, browser)
    await visitors.more(200)
    const kept = async () => Math.max(await spooledClicks(world, code), await stored(code))
    await eventually('clicks leave the process', async () => (await kept()) >= 150)
    const before = await kept()
    const killed_ms = performance.now()
    await other.kill('SIGKILL')
    const visits = await visitors.stop()
    const next = await startApi()
    await eventually('what was spooled is stored', spoolIsEmpty)
    await next.kill('SIGTERM')
    const after = await stored(code)
    expect(after).toBeGreaterThanOrEqual(before)
    // Of those who had their answer 50 ms before it, none is lost.
    const safe = visits.filter(one => one.status === 302 && one.ended_ms < killed_ms - 50)
    expect(after).toBeGreaterThanOrEqual(safe.length)
    expect(after).toBeLessThanOrEqual(visits.length)
  })

  test('in the spool of a dead process are reported by the statistics, until they are counted', async () => {
    const code = await link()
    const other = await startApi({ KERNEL_FAULTS: 'links.clicks_stored=hang' })
    // Its first clicks are stored and its process waits behind them; those after it stay in the spool.
    const url = `${other.url}/${code}`
    await visit(url, browser)
    await eventually('it waits', async () => (await stored(code)) === 1)
    await Promise.all(Array.from({ length: 20 }, () => visit(url, browser)))
    const made_ms = Date.now()
    await eventually('all are spooled', async () => (await spooledClicks(world, code)) === 21)
    await other.kill('SIGKILL')
    const stats = await statsOf(code)
    expect(Date.parse(stats.fresh_until)).toBeLessThanOrEqual(made_ms)
    expect(stats.totals.clicks).toBeLessThan(21)
    const next = await startApi()
    await eventually('all are counted', async () => (await statsOf(code)).totals.clicks === 21)
    await eventually('nothing waits any more', async () => {
      return Date.parse((await statsOf(code)).fresh_until) > made_ms + 1000
    })
    await next.kill('SIGTERM')
  })

  test('is counted, beside spool files that cannot be read or stored', async () => {
    const code = `orphan-${newId().slice(-12)}`
    const frame = toFrame(oneClick(code, '{"bot":false}', Date.now()))
    await mkdir(spoolFile(), { recursive: true })
    await writeFile(spoolFile(), Buffer.alloc(4096))
    const refused = spoolFile()
    await writeFile(refused, toFrame(oneClick(code, 'no JSON', Date.now())))
    await writeFile(spoolFile(), frame)
    const next = await startApi()
    await eventually('it is stored', async () => (await stored(code)) === 1)
    await next.kill('SIGTERM')
    expect(await stored(code)).toBe(1)
    await rm(refused)
  })

  test('that the spool has lost makes the statistics of its day incomplete', async () => {
    const code = await link()
    const day_ms = Date.now() - 20 * 86_400_000
    const day = new Date(day_ms).toISOString().slice(0, 10)
    const frame = toFrame(oneClick(code, '{"bot":false}', day_ms))
    const statsOfDay = async () =>
      (
        await world.call('GET', `/v1/links/${code}/stats?from=${day}&to=${day}`, {
          token: owner.token,
        })
      ).body
    expect(await statsOfDay()).toMatchObject({ degraded: false })
    await writeFile(spoolFile(), Buffer.concat([frame, frame.subarray(0, 40)]))
    const next = await startApi()
    await eventually('the loss is known', async () => (await statsOfDay()).degraded)
    await next.kill('SIGTERM')
    expect(await stored(code)).toBe(1)
  })

  test('counts once where it was stored and added, and its process did not hear of it', async () => {
    const code = await link()
    // It waits after its first commit, so that all visits are answered and spooled before it is killed.
    const other = await startApi({ KERNEL_FAULTS: 'links.clicks_stored=hang' })
    const visits = await Promise.all(
      Array.from({ length: 20 }, () => visit(`${other.url}/${code}`, browser)),
    )
    expect(visits.filter(({ status }) => status === 302)).toHaveLength(20)
    await eventually(
      'all are spooled, and some of them stored',
      async () => (await spooledClicks(world, code)) === 20 && (await stored(code)) > 0,
    )
    await other.kill('SIGKILL')
    const before = await stored(code)
    await arrived(world, code, before)
    const next = await startApi()
    await eventually('the spool is empty', spoolIsEmpty)
    await next.kill('SIGTERM')
    await arrived(world, code, 20)
    expect([before > 0, await stored(code), await summed(world, code)]).toEqual([true, 20, 20])
  })

  test('counts on its own day, whenever it is stored', async () => {
    const code = `day-${newId().slice(-12)}`
    const builder = new BatchBuilder()
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000
    for (const at_ms of [midnight - 1, midnight, midnight + 1]) {
      builder.add({ domain_id: platform_domain_id, code }, '{"bot":false}', at_ms)
    }
    const kernel = world.platform.kernelFor({ settings })
    await storeBatches(kernel, [builder.build(newId())])
    await arrived(world, code, 3)
    const days = await kernel.db.many(
      Type.Object({ day: Type.String(), clicks: Type.Integer() }),
      sql`select day::text, clicks from links.daily_link_stats where code = ${code} order by day`,
    )
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    expect(days).toEqual([
      { day: day(midnight - 1), clicks: 1 },
      { day: day(midnight), clicks: 2 },
    ])
  })

  test('is stored on a day without a partition, and not on one beyond the retention', async () => {
    const code = `far-${newId().slice(-12)}`
    const builder = new BatchBuilder()
    const now = Date.now()
    for (const days of [-200, -30, 20]) {
      builder.add({ domain_id: platform_domain_id, code }, '{"bot":false}', now + days * 86_400_000)
    }
    const batch = builder.build(newId())
    await storeBatches(world.platform.kernelFor({ settings }), [batch])
    await storeBatches(world.platform.kernelFor({ settings }), [batch])
    expect(await stored(code)).toBe(2)
    await arrived(world, code, 2)
    expect([await summed(world, code), batch_clicks_max]).toEqual([2, 65_536])
  })
})

test('two who add up at once add each batch once', async () => {
  const code = `two-${newId().slice(-12)}`
  const kernel = world.platform.kernelFor({ settings })
  for (let batch = 0; batch < 20; batch++) {
    const builder = new BatchBuilder()
    for (let click = 0; click < 5; click++) {
      builder.add({ domain_id: platform_domain_id, code }, '{"bot":false}', Date.now())
    }
    await storeBatches(kernel, [builder.build(newId())])
  }
  await Promise.all(Array.from({ length: 4 }, () => addUp(kernel)))
  await arrived(world, code, 100)
  expect(await summed(world, code)).toBe(100)
  expect(await findDrift(kernel)).toEqual([])
})

test('nothing that was stored or spooled names the visitor', async () => {
  const address = '203.0.113.77'
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) PrivateAgent/4711.0815'
  const code = await link()
  const holding = await startApi({ KERNEL_FAULTS: 'links.clicks_stored=hang' })
  const headers = {
    'user-agent': agent,
    'x-forwarded-for': address,
    referer: 'https://www.example.com/private/4711.0815',
  }
  for (let visits = 0; visits < 3; visits++) await visit(`${holding.url}/${code}`, headers)
  await eventually('it is stored', async () => (await stored(code)) > 0)
  const files = await spooled(world)
  expect(files).not.toEqual([])
  for (const { bytes } of files) {
    const text = bytes.toString('latin1')
    expect(text).toContain(code)
    expect([text.includes(address), text.includes('4711.0815')]).toEqual([false, false])
  }
  expect(await tablesWith(address, '4711.0815')).toEqual([])
  expect(await tablesWith(code)).toContain('links.click_events')
})

/** Every table that has one of the words somewhere. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE'
        and table_schema not in ('pg_catalog', 'information_schema')`)
    const found: string[] = []
    for (const { name } of rows) {
      const { rowCount } = await client.query(
        `select 1 from ${name} t where t::text like any ($1::text[]) limit 1`,
        [words.map(word => `%${word}%`)],
      )
      if (rowCount) found.push(name)
    }
    return found
  } finally {
    await client.end()
  }
}
