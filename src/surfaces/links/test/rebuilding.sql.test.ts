/** Daily sums made again are what they were, whatever is stored meanwhile, and a drift is found and mended. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, nil_id, sql, type RunningJob } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { addUp } from '../statistics/add-up.ts'
import { BatchBuilder, type Batch } from '../clicks/batch.ts'
import { findDrift } from '../statistics/drift.ts'
import { rebuildDay } from '../statistics/rebuild-days.ts'
import { rebuildJob, statsProjection } from '../statistics/rebuild-job.ts'
import { storeBatches, storeLosses } from '../clicks/store-batches.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { settings } from '../settings.ts'

let world: LinkWorld
let owner: Member
// Without a worker: sums are added here, when a test says so.
beforeAll(async () => {
  world = await openLinkWorld({ ROLES: 'api' })
  owner = await world.member()
})
afterAll(() => world.close())

const Row = Type.Object({
  day: Type.String(),
  clicks: Type.Integer(),
  bots: Type.Integer(),
  bounded_dimensions: Type.Any(),
})

const rows = (code: string) =>
  world.platform.kernel.db.many(
    Row,
    sql`
      select day::text, clicks, bots, bounded_dimensions from links.daily_link_stats
      where code = ${code} order by day`,
  )

const countries = ['AT', 'CH', 'DE', 'FR']
let made = 0

/** Some clicks of today and yesterday, people and bots. */
function batchOn(...codes: string[]): Batch {
  const builder = new BatchBuilder()
  for (const code of codes) {
    const clicked = { domain_id: platform_domain_id, code }
    for (let click = 0; click < 20; click++) {
      const country = countries[made++ % countries.length] ?? ''
      const context = JSON.stringify({ country, bot: made % 5 === 0 })
      builder.add(clicked, context, Date.now() - (made % 2) * 86_400_000)
    }
  }
  return builder.build(newId())
}

const quiet = () => {}
const never_aborted = new AbortController().signal

test('what was added up click by click comes out again', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const codes = Array.from({ length: 30 }, () => `re-${newId().slice(-12)}`)
  for (let batch = 0; batch < 5; batch++) await storeBatches(kernel, [batchOn(...codes)])
  await addUp(kernel)
  const before = await Promise.all(codes.map(rows))
  expect(before.flat().reduce((sum, { clicks, bots }) => sum + clicks + bots, 0)).toBe(3000)
  await kernel.db.run(sql`delete from links.daily_link_stats where code = any(${codes}::text[])`)
  const progress: [number, number][] = []
  await statsProjection(kernel).rebuild(
    (done, total) => progress.push([done, total]),
    never_aborted,
  )
  expect(await Promise.all(codes.map(rows))).toEqual(before)
  expect(progress.at(-1)?.[0]).toBe(progress.at(-1)?.[1])
  expect(await findDrift(kernel)).toEqual([])
})

test('a day whose clicks were deleted meanwhile keeps its sums', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const code = `re-${newId().slice(-12)}`
  const day = '2020-02-29'
  await kernel.db.run(sql`
    insert into links.daily_link_stats (domain_id, code, day, clicks)
    values (${platform_domain_id}, ${code}, ${day}, 7)`)
  const scope = { domain_id: null, code: null }
  expect(await rebuildDay(kernel, day, scope, quiet, never_aborted)).toBe(0)
  expect(await rows(code)).toMatchObject([{ day, clicks: 7 }])
  await kernel.db.run(sql`delete from links.daily_link_stats where code = ${code}`)
})

test('what is stored but not yet added is added once, before or after', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const code = `re-${newId().slice(-12)}`
  await storeBatches(kernel, [batchOn(code)])
  await addUp(kernel)
  await storeBatches(kernel, [batchOn(code)])
  await statsProjection(kernel).rebuild(quiet, never_aborted)
  const total = async () =>
    (await rows(code)).reduce((sum, { clicks, bots }) => sum + clicks + bots, 0)
  expect([await total(), await findDrift(kernel)]).toEqual([20, []])
  await addUp(kernel)
  expect([await total(), await findDrift(kernel)]).toEqual([40, []])
})

test('clicks that come while all is rebuilt are neither lost nor doubled', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const code = `re-${newId().slice(-12)}`
  let rebuilding = true
  let stored = 0
  const storing = (async () => {
    while (rebuilding) {
      await storeBatches(kernel, [batchOn(code)])
      stored += 20
      await addUp(kernel)
    }
  })()
  for (let round = 0; round < 5; round++)
    await statsProjection(kernel).rebuild(quiet, never_aborted)
  rebuilding = false
  await storing
  await addUp(kernel)
  const sums = await rows(code)
  expect(sums.reduce((sum, { clicks, bots }) => sum + clicks + bots, 0)).toBe(stored)
  expect(await findDrift(kernel)).toEqual([])
})

test('a drift is found, and the job of one link and day mends it and nothing else', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const [code, other] = [`re-${newId().slice(-12)}`, `re-${newId().slice(-12)}`]
  await storeBatches(kernel, [batchOn(code, other)])
  await addUp(kernel)
  const right = await rows(code)
  await kernel.db.run(sql`
    update links.daily_link_stats set clicks = clicks + 1 where code in (${code}, ${other})`)
  expect(await findDrift(kernel)).toHaveLength(4)
  const [yesterday = '', today = ''] = right.map(({ day }) => day)
  const checkpoints: unknown[] = []
  const job = (from: string, to: string): RunningJob => ({
    id: newId(),
    tenant_id: owner.tenant.id,
    type: 'links.stats_rebuild',
    schema_version: 1,
    attempt_no: 1,
    is_last: false,
    principal_id: nil_id,
    session_id: null,
    get steps(): never {
      throw new Error('it has no steps')
    },
    parameters: { domain_id: platform_domain_id, code, from, to },
    checkpoint: null,
    signal: never_aborted,
    progress: async step => void checkpoints.push(step.checkpoint),
    again: () => {
      throw new Error('it is not put off')
    },
    store: () => Promise.reject(new Error('it stores no bytes')),
    usage: () => Promise.reject(new Error('it counts no usage')),
    commit: async effect => void (await kernel.db.tx(effect)),
  })
  expect(await rebuildJob(kernel).run(job(today, today))).toMatchObject({ days: 1 })
  expect((await rows(code)).map((row, at) => row.clicks - (right[at]?.clicks ?? 0))).toEqual([1, 0])
  expect(await rebuildJob(kernel).run(job(yesterday, today))).toMatchObject({ days: 2, clicks: 20 })
  expect([await rows(code), checkpoints.length]).toEqual([right, 3])
  expect(await findDrift(kernel)).toHaveLength(2)
  await statsProjection(kernel).rebuild(quiet, never_aborted)
  expect(await findDrift(kernel)).toEqual([])
})

test('days whose clicks are gone keep their sums', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const code = `re-${newId().slice(-12)}`
  await kernel.db.run(sql`
    insert into links.daily_link_stats (domain_id, code, day, clicks)
    values (${platform_domain_id}, ${code}, current_date - 200, 7)`)
  await statsProjection(kernel).rebuild(quiet, never_aborted)
  expect(await rows(code)).toMatchObject([{ clicks: 7 }])
})

test('days that lost clicks say so', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const code = (await world.shorten(owner, {})).body.code as string
  const degraded = async (query: string) => {
    const path = `/v1/links/${code}/stats${query}`
    return (await world.call('GET', path, { token: owner.token })).body.degraded
  }
  await storeLosses(kernel.db, new Map([[20_000, 5]]))
  await storeLosses(kernel.db, new Map([[20_000, 5]]))
  const lost = '?from=2024-10-04&to=2024-10-04'
  expect([await degraded(lost), await degraded('')]).toEqual([true, false])
})

test('old days go, and coming ones are there', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const { keepDays } = await import('../clicks/days.ts')
  const Names = Type.Object({ name: Type.String() })
  const days = async () =>
    (
      await kernel.db.many(
        Names,
        sql`
          select inhrelid::regclass::text as name from pg_inherits
          where inhparent = 'links.click_events'::regclass order by 1`,
      )
    ).map(({ name }) => name)
  const { old, kept } = await kernel.db.one(
    Type.Object({ old: Type.String(), kept: Type.String() }),
    sql`
      select 'links.click_events_d' || to_char(current_date - 91, 'YYYYMMDD') as old,
        'links.click_events_d' || to_char(current_date - 90, 'YYYYMMDD') as kept`,
  )
  const before = await days()
  await kernel.db.run(sql`select links.prepare_click_days(current_date - 91, current_date - 90)`)
  await keepDays(kernel)
  // The platform's own loop may do it too, and makes the days that come.
  await eventually('the oldest day is dropped', async () => !(await days()).includes(old))
  expect(await days()).toEqual(expect.arrayContaining([kept, ...before]))
})
