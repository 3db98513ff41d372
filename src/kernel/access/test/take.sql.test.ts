/** Limits over all processes: exact under a race, given back or kept, and in a transaction or at once. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { Problem } from '../../errors/problem.ts'
import { count, openWorld, type World } from '../../events/test/process.ts'
import { newId } from '../../ids.ts'
import { openKeyring } from '../../keys.ts'
import { openMetrics } from '../../observability/metrics.ts'
import { openTake, type Bucket, type Take, type TakeOptions } from '../take.ts'

let ground: Clone
let world: World
let take: Take
let other: Take
let scaled: Take
beforeAll(async () => {
  ground = await cloneDatabase()
  world = openWorld({ url: ground.url, work: false, pool: 20 })
  const key = () => randomBytes(32).toString('base64')
  const keys = await openKeyring({
    keyring: `k1:${key()}`,
    pepper: key(),
    file: '/nonexistent/keys.json',
    may_create: false,
  })
  const open = (factor: number) =>
    openTake({
      settings: { 'kernel.rate_factor': factor, 'kernel.throttle_loopback': false },
      keys,
      metrics: openMetrics(),
    })
  take = open(1)
  // As another process has it: what is under way here is not known there.
  other = open(1)
  scaled = open(3)
})
afterAll(async () => {
  await world.stop()
  await ground.drop()
})

/** A bucket of five that fills in an hour. */
const five = (more: Partial<Bucket> = {}): Bucket => ({
  name: 'test.five',
  of: newId(),
  many: 5,
  per_seconds: 3600,
  ...more,
})

async function refusal(attempt: Promise<unknown>): Promise<Problem> {
  const error = await attempt.then(
    () => undefined,
    (error_: unknown) => error_,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}

const fits = (bucket: Bucket, options?: TakeOptions) =>
  take(world.db, [bucket], options).then(
    () => true,
    () => false,
  )

describe.concurrent('a bucket', () => {
  test('lets exactly so many pass at once, from two processes', async () => {
    const bucket = five()
    const all = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => (n % 2 ? take : other)(world.db, [bucket])),
    )
    expect(all.filter(one => one.status === 'fulfilled')).toHaveLength(5)
    const refused = await refusal(take(world.db, [bucket]))
    expect(refused.code).toBe('rate_limited')
    // One of five comes back every 720 s.
    expect(refused.details.retry_after).toBeGreaterThan(600)
    expect(refused.details.retry_after).toBeLessThanOrEqual(720)
  })

  test('takes from all or from none, and names the refusal of the first that is empty', async () => {
    const small = five({ many: 1, refusal: 'quota_exceeded' })
    const large = five()
    await take(world.db, [large, small])
    const refused = await refusal(take(world.db, [large, small]))
    expect(refused.code).toBe('quota_exceeded')
    for (let n = 0; n < 4; n++) expect(await fits(large)).toBe(true)
    expect(await fits(large)).toBe(false)
  })

  test('may be taken from in portions; more than it holds never fits, except as a debt', async () => {
    const bucket = five()
    await take(world.db, [bucket], { cost: 3 })
    expect(await fits(bucket, { cost: 3 })).toBe(false)
    expect(await fits(bucket, { cost: 2 })).toBe(true)
    expect(await fits(five(), { cost: 6 })).toBe(false)
    const lends = five()
    expect(await fits(lends, { cost: 50, debt: true })).toBe(true)
    const refused = await refusal(take(world.db, [lends]))
    expect(refused.details.retry_after).toBeGreaterThan(30_000)
  })

  test('is as large as the factor makes it, unless it is exact', async () => {
    const bucket = five()
    await scaled(world.db, [bucket], { cost: 15 })
    expect(await refusal(scaled(world.db, [bucket]))).toBeInstanceOf(Problem)
    const exact = five({ exact: true })
    await scaled(world.db, [exact], { cost: 5 })
    expect(await refusal(scaled(world.db, [exact]))).toBeInstanceOf(Problem)
  })

  test('of a network is the same for a whole /64, and none for this machine', async () => {
    const name = `test.network_${newId().slice(-12)}`
    const from = (ip: string): Bucket => ({ name, ip, many: 1, per_seconds: 3600 })
    expect(await fits(from('2001:db8:1:2::1'))).toBe(true)
    expect(await fits(from('2001:db8:1:2::2'))).toBe(false)
    expect(await fits(from('2001:db8:1:3::1'))).toBe(true)
    expect(await fits(from('127.0.0.1'))).toBe(true)
    expect(await fits(from('127.0.0.1'))).toBe(true)
  })

  test('keeps nothing that is personal', async () => {
    const address = `${newId()}@example.test`
    await take(world.db, [five({ of: address })])
    const like = `%${address}%`
    expect(await count(world.db, sql`from kernel.throttles where bucket like ${like}`)).toBe(0)
  })
})

describe.concurrent('in a transaction', () => {
  test('a rollback does not count', async () => {
    const bucket = five()
    const failed = world.db.tx(async tx => {
      await take(tx, [bucket], { cost: 5 })
      throw new Error('refused for another reason')
    })
    await expect(failed).rejects.toThrow('another reason')
    expect(await fits(bucket, { cost: 5 })).toBe(true)
  })

  test('two that take from the same buckets in another order do not wait for each other', async () => {
    const [a, b] = [five({ many: 1000 }), five({ many: 1000 })]
    const both = Array.from({ length: 30 }, (_, n) =>
      world.db.tx(async tx => void (await take(tx, n % 2 ? [a, b] : [b, a]))),
    )
    expect((await Promise.allSettled(both)).every(one => one.status === 'fulfilled')).toBe(true)
  })
})

describe.concurrent('an attempt', () => {
  test('that is given back does not count; given back twice, or after it was kept, it does', async () => {
    const bucket = five({ many: 1 })
    const first = await take(world.db, [bucket])
    await first.giveBack()
    const second = await take(world.db, [bucket])
    second.keep()
    await second.giveBack()
    await first.giveBack()
    expect(await fits(bucket)).toBe(false)
  })

  test('is given back in a commit, and still counts where that commit fails', async () => {
    const bucket = five({ many: 1 })
    const attempt = await take(world.db, [bucket])
    await expect(
      world.db.tx(async tx => {
        attempt.giveBackWith(tx)
        throw new Error('fails')
      }),
    ).rejects.toThrow('fails')
    expect(await fits(bucket)).toBe(false)
    await world.db.tx(async tx => attempt.giveBackWith(tx))
    expect(await fits(bucket)).toBe(true)
  })

  test('waits while others are under way: those that go well let it pass', async () => {
    const bucket = five({ many: 1, wait: true })
    const first = await take(world.db, [bucket])
    const second = take(world.db, [bucket])
    await first.giveBack()
    ;(await second).keep()
    // No attempt is running any more, so there is no wait.
    expect((await refusal(take(world.db, [bucket]))).code).toBe('rate_limited')
  })

  test('that is kept refuses all who waited for it', async () => {
    const bucket = five({ many: 1, wait: true })
    const first = await take(world.db, [bucket])
    const waiting = [refusal(take(world.db, [bucket])), refusal(take(world.db, [bucket]))]
    first.keep()
    for (const one of await Promise.all(waiting)) expect(one.code).toBe('rate_limited')
  })
})
