/**
 * `fresh_until` of the statistics: at every moment the reply contains every click before that time,
 * whether its process runs, stops or is killed.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import type { Member } from '../../../../test/product-world.ts'
import { beside, eventually } from '../../../../test/world.ts'
import { BatchBuilder } from '../clicks/batch.ts'
import { announceOrphan } from '../clicks/orphans.ts'
import { storeBatches } from '../clicks/store-batches.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { settings } from '../settings.ts'
import { statistics_lock } from '../statistics/add-up.ts'
import { browser } from './counted.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { spooled } from './spooled.ts'
import { startVisitors } from './visitors.ts'

let world: LinkWorld
let owner: Member
beforeAll(async () => {
  world = await openLinkWorld({})
  owner = await world.member()
})
afterAll(() => world.close())

const N = Type.Object({ n: Type.Integer() })
const db = () => world.platform.kernel.db

async function link(): Promise<string> {
  return (await world.shorten(owner, {})).body.code as string
}

async function startApi(): Promise<PlatformProcess> {
  const started = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
  onTestFinished(() => void started.child.kill('SIGKILL'))
  return started
}

type Sample = { readonly fresh_until: string; readonly clicks: number }

async function sample(code: string): Promise<Sample> {
  const { body } = await world.call('GET', `/v1/links/${code}/stats`, { token: owner.token })
  const { fresh_until, totals } = body as { fresh_until: string; totals: { clicks: number } }
  return { fresh_until, clicks: totals.clicks }
}

/** Reads the statistics repeatedly until it is stopped. */
function startSampling(code: string) {
  const samples: Sample[] = []
  let stopped = false
  const sampling = (async () => {
    while (!stopped) samples.push(await sample(code))
  })()
  return {
    more: async (count: number) => {
      const until = samples.length + count
      await eventually('the statistics are read', () => samples.length >= until)
    },
    stop: async () => {
      stopped = true
      await sampling
      return samples
    },
  }
}

/** The samples that lack a click before their `fresh_until`. All clicks are stored by now. */
async function broken(code: string, samples: readonly Sample[]) {
  const found = []
  for (const one of samples) {
    const { n } = await db().one(
      N,
      sql`
        select count(*)::int as n from links.click_events
        where code = ${code} and occurred_at < ${one.fresh_until}::timestamptz`,
    )
    if (n > one.clicks) found.push({ ...one, before: n })
  }
  return found
}

const followed = (visits: readonly { readonly status: number | null }[]) =>
  visits.filter(({ status }) => status === 302).length

const allCounted = (code: string, clicks: number) =>
  eventually('all are counted', async () => (await sample(code)).clicks >= clicks)

const isFresh = async (code: string) => {
  const began_ms = Date.now()
  await eventually('nothing waits', async () => {
    return Date.parse((await sample(code)).fresh_until) > began_ms
  })
}

describe('every click before `fresh_until` is counted', () => {
  test('while a process redirects, and when it stops', async () => {
    const code = await link()
    const other = await startApi()
    const sampling = startSampling(code)
    const visitors = startVisitors(`${other.url}/${code}`, 4, browser)
    await visitors.more(300)
    await other.kill('SIGTERM')
    const visits = await visitors.stop()
    await sampling.more(20)
    await allCounted(code, followed(visits))
    const samples = await sampling.stop()
    expect(await broken(code, samples)).toEqual([])
    await isFresh(code)
  })

  test('when a process is killed, until the next one has stored its spool', async () => {
    const code = await link()
    const other = await startApi()
    const visitors = startVisitors(`${other.url}/${code}`, 4, browser)
    const sampling = startSampling(code)
    await visitors.more(100)
    const waits = async () => (await spooled(world)).length > 0
    await eventually('clicks wait in the spool', waits)
    await other.kill('SIGKILL')
    await visitors.stop()
    await sampling.more(20)
    const next = await startApi()
    await eventually('the spool is stored', async () => (await spooled(world)).length === 0)
    await isFresh(code)
    const samples = await sampling.stop()
    expect(await broken(code, samples)).toEqual([])
    await next.kill('SIGTERM')
  })
})

test('a batch that was stored late counts as waiting since its first click', async () => {
  const code = await link()
  const builder = new BatchBuilder()
  const first_ms = Date.now() - 20_000
  for (const at_ms of [first_ms, first_ms + 10_000]) {
    builder.add({ domain_id: platform_domain_id, code }, '{"bot":false}', at_ms)
  }
  await db().tx(async tx => {
    // Meanwhile no process adds batches to the sums.
    await tx.run(sql`select pg_advisory_xact_lock(${statistics_lock})`)
    const batches = [builder.build(newId())]
    await beside(() => storeBatches(world.platform.kernelFor({ settings }), batches))
    const { fresh_until, clicks } = await beside(() => sample(code))
    expect([Date.parse(fresh_until), clicks]).toEqual([first_ms, 0])
  })
  await allCounted(code, 2)
})

test('a dead process counts for a day, and without a spool for a minute', async () => {
  const code = await link()
  const [node_id, since_ms] = [newId(), Date.now() - 7_200_000]
  await announceOrphan(world.platform.kernel, node_id, since_ms)
  const age = (hours: number, has_spool: boolean) =>
    db().run(sql`
      update links.redirect_nodes
      set leased_until = now() - make_interval(hours => ${hours}), has_spool = ${has_spool}
      where node_id = ${node_id}`)
  const changes = world.platform.opened['links']?.loops?.find(
    ({ name }) => name === 'links.changes',
  )
  await age(2, true)
  await changes?.run(new AbortController().signal)
  expect(Date.parse((await sample(code)).fresh_until)).toBe(since_ms)
  await age(1, false)
  expect(Date.parse((await sample(code)).fresh_until)).toBeGreaterThan(since_ms)
  await age(2, false)
  await changes?.run(new AbortController().signal)
  const { n } = await db().one(
    N,
    sql`select count(*)::int as n from links.redirect_nodes where node_id = ${node_id}`,
  )
  expect(n).toBe(0)
})
