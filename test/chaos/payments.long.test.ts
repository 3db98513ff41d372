/**
 * Two platforms, and sometimes the provider with them, are killed again and again while merchants authorize,
 * capture, cancel and refund, retry with their keys what got no answer, and the provider loses answers.
 * Every so many kills: no operation has had two effects, every doubt has ended, what was acknowledged is
 * true, every move is one event, and the ledger is the provider's balance. `CHAOS_KILLS` says how many kills,
 * `CHAOS_SEED` which.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { killedAt } from '../crash.ts'
import type { PlatformProcess } from '../process.ts'
import { eventually, newKey } from '../world.ts'
import { openOutage, type Ask, type Outage } from './outage.ts'

const full = inject('chaos') === 'full'
const kills = full ? Number(process.env['CHAOS_KILLS'] ?? 200) : 4
const seed = Number(process.env['CHAOS_SEED'] ?? (full ? Date.now() % 1_000_000 : 7))
const kills_between_checks = 25
const buyers = 6

let outage: Outage
beforeAll(async () => {
  outage = await openOutage()
})
afterAll(() => outage.close())

test(`${kills} SIGKILLs under load, CHAOS_SEED=${seed}: one effect an operation, and the books agree`, async () => {
  if (full) process.stderr.write(`payments: CHAOS_KILLS=${kills} CHAOS_SEED=${seed}\n`)
  const roll = randomFrom(seed)
  const platforms = await Promise.all([outage.startPlatform(), outage.startPlatform()])
  const captured = new Set<string>()
  for (let done = 0; done < kills; done += kills_between_checks) {
    const most = Math.min(kills_between_checks, kills - done)
    await loseAnswers(roll)
    await killUnderLoad(platforms, most, roll, captured)
    await outage.control('chaos', { seed: 0, rates: {} })
    await outage.endLeases()
    await outage.settled()
    await outage.expectOneEffectEach()
    await expectAcknowledged(captured)
    await outage.expectSameBooks()
    if (full) process.stderr.write(`payments: ${done + most} kills, ${captured.size} captures\n`)
  }
}, 3_600_000)

async function loseAnswers(roll: () => number): Promise<void> {
  await outage.control('chaos', {
    seed: Math.floor(roll() * 1e6),
    ms: 2500,
    rates: { delay_after: 0.03, reset_after: 0.02, http: 0.03, late_effect: 0.02, drop: 0.1 },
  })
}

/** Each of the two dies while the other works; the provider goes down with one of them now and then. */
async function killUnderLoad(
  platforms: PlatformProcess[],
  most: number,
  roll: () => number,
  captured: Set<string>,
): Promise<void> {
  let stopping = false
  let begun = 0
  const load = Array.from({ length: buyers }, async () => {
    while (!stopping) await pay(insistent(platforms), begun++, captured).catch(() => {})
  })
  let left = most
  const begins = (from: number) => eventually('payments go on', () => begun > from)
  const killers = platforms.map(async (_one, which) => {
    while (left-- > 0) {
      const with_provider = which === 0 && roll() < 0.25
      await begins(begun + 1)
      const dead = platforms[which]?.kill()
      if (with_provider) {
        await outage.restartProvider()
        await loseAnswers(roll)
      }
      await dead
      platforms[which] = await outage.startPlatform()
    }
  })
  await Promise.all(killers)
  stopping = true
  await Promise.all(load)
}

const tries_max = 4

/** Asks one of them, and with the same key again where no answer comes. */
function insistent(platforms: readonly PlatformProcess[]): Ask {
  return async (method, path, body, key = newKey()) => {
    for (let tries = 0; ; tries++) {
      const url = platforms[tries % platforms.length]?.url ?? ''
      try {
        const answer = await outage.askAt(url)(method, path, body, key)
        if (answer.status < 500 || tries === tries_max) return answer
      } catch (error) {
        if (tries === tries_max) throw error
      }
    }
  }
}

/** One payment's life, as far as it gets. */
async function pay(ask: Ask, round: number, captured: Set<string>): Promise<void> {
  const amount_minor = 1000 + round
  const made = await ask('POST', '/v1/payment-intents', { amount_minor, currency: 'EUR' })
  const id = made.body?.id
  if (!id) return
  const path = `/v1/payment-intents/${id}`
  const payment_method = round % 9 === 0 ? 'pm_card_visa_chargeDeclined' : 'pm_card_visa'
  await ask('POST', `${path}/authorize`, { payment_method })
  if (round % 5 === 0) return void (await ask('POST', `${path}/cancel`, {}))
  const taken = await ask('POST', `${path}/capture`, {})
  if (taken.status === 200) captured.add(id)
  const refund = { intent_id: id, amount_minor: 100 }
  await Promise.all([ask('POST', '/v1/refunds', refund), ask('POST', '/v1/refunds', refund)])
}

async function expectAcknowledged(captured: ReadonlySet<string>): Promise<void> {
  const kept = await outage.count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.payment_intents
    where state = 'captured' and id = any(${[...captured]}::uuid[])`)
  expect(kept).toBe(captured.size)
  // Each version of a payment was announced, and announced once.
  const unannounced = await outage.count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.payment_intents i
    where i.version <> (
      select count(*) from (
        select aggregate_version from kernel.events where aggregate_id = i.id
        union
        select aggregate_version from kernel.outbox_events where aggregate_id = i.id) announced)`)
  expect(unannounced).toBe(0)
}

const points = [
  'kernel.after_operation',
  'payments.before_call',
  'payments.before_handle',
  'payments.after_handle',
  'payments.after_call',
  'kernel.after_call',
  'payments.in_apply',
  'kernel.after_commit',
]
type Struck = { readonly id: string; readonly key: string }

test('killed at each step of an authorization: a retry with the key finds one effect', async () => {
  const struck: Struck[] = []
  const authorize = (ask: Ask, { id, key }: Struck) =>
    ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method: 'pm_card_visa' }, key)
  const dieAt = (point: string, one: Struck) =>
    killedAt(outage.world, point, url => authorize(outage.askAt(url), one), 1, 'product')
  for (const point of full ? points : ['payments.after_call']) {
    const made = await outage.askAt(outage.world.url)('POST', '/v1/payment-intents', {
      amount_minor: 5000,
      currency: 'EUR',
    })
    const one = { id: made.body.id, key: newKey() }
    struck.push(one)
    await dieAt(point, one)
  }
  const survivor = await outage.startPlatform()
  await outage.endLeases()
  const retried = struck.map(one =>
    eventually('the retry is answered', async () => {
      return (await authorize(outage.askAt(survivor.url), one)).status < 300
    }),
  )
  await Promise.all(retried)
  await outage.settled()
  const effects = await outage.effects()
  for (const { id } of struck) {
    const own = effects.filter(one => one.metadata.intent_id === id)
    expect(own.map(one => one.kind)).toEqual(['authorize'])
  }
  await outage.expectSameBooks()
}, 600_000)

const rounds = full ? 200 : 8

test('captures and cancellations at once, asked of two processes: one wins', async () => {
  const other = await outage.startPlatform()
  const asks = [outage.askAt(outage.world.url), outage.askAt(other.url)] as const
  const race = async () => {
    const [here, there] = asks
    const { body } = await here('POST', '/v1/payment-intents', {
      amount_minor: 5000,
      currency: 'EUR',
    })
    const path = `/v1/payment-intents/${body.id}`
    await here('POST', `${path}/authorize`, { payment_method: 'pm_card_visa' })
    const answers = await Promise.all([
      here('POST', `${path}/capture`, {}),
      there('POST', `${path}/capture`, {}),
      there('POST', `${path}/cancel`, {}),
    ])
    const lost = answers.filter(one => one.status >= 300)
    expect(lost.map(one => one.status)).toEqual([409, 409])
    for (const one of lost)
      expect(one.body.code).toMatch(/^(operation_pending|invalid_transition)$/)
  }
  for (let done = 0; done < rounds; done += 4) await Promise.all([race(), race(), race(), race()])
  await outage.settled()
  await outage.expectOneEffectEach()
  await outage.expectSameBooks()
}, 600_000)

/** A generator of numbers from one seed. */
function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
