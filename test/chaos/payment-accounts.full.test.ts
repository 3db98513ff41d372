/**
 * A tenant pays through the platform's account and two of its own, all at one provider, while two
 * platforms are killed again and again, answers are lost, and one of the accounts is closed. Nothing
 * crosses accounts, no operation has two effects, and the books of each are those of its own balance.
 * No webhook of the own accounts arrives. `CHAOS_KILLS` says how many kills.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import type { PlatformProcess } from '../process.ts'
import { eventually, newKey, type Answer } from '../world.ts'
import { openOutage, type Effect, type Outage } from './outage.ts'
import { expectProof } from './proof-of-books.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 20)
const patience_ms = 120_000
const names = ['closing', 'staying'] as const
type Own = { readonly id: string; readonly control: string }

let outage: Outage
beforeAll(async () => {
  outage = await openOutage()
})
afterAll(() => outage.close())

test(`${kills} SIGKILLs, three accounts: one effect each, at the account of its payment`, async () => {
  const platforms = await Promise.all([outage.startPlatform(), outage.startPlatform()])
  const ask = insistent(platforms)
  const own = new Map<string, Own>()
  for (const name of names) {
    const { key: secret_key, control } = (await outage.control('accounts', {})) as {
      key: string
      control: string
    }
    const put = { provider: 'stripe', auth: { secret_key } }
    const made = await ask('PUT', `/v1/payment-accounts/${name}`, put)
    expect(made.status, made.text).toBe(200)
    own.set(name, { id: made.body.id, control })
  }
  await outage.control('chaos', {
    seed: 7,
    ms: 1500,
    rates: { delay_after: 0.03, reset_after: 0.02, late_effect: 0.02, drop: 0.1 },
  })
  await killUnderLoad(platforms, ask)
  await outage.control('chaos', { seed: 0, rates: {} })
  await outage.endLeases()
  await outage.settled()
  await releaseHeld(ask)
  await outage.endLeases()
  await outage.settled()
  const all = [...(await outage.effects())]
  for (const [name, account] of own) {
    const effects = await effectsOf(account)
    expect(effects.length, name).toBeGreaterThan(0)
    all.push(...effects)
    const handles = [...new Set(effects.map(one => one.object))]
    const foreign = await outage.count(sql`
      -- any tenant: all of this test
      select count(*)::int as n from payments.payment_intents
      where provider_handle = any(${handles}::text[])
        and provider <> ${`stripe:${account.id}`}`)
    expect(foreign).toBe(0)
    if (name === 'staying') await expectProof(outage.world, `stripe:${account.id}`, patience_ms)
  }
  const seen = new Set(all.map(one => `${one.kind} ${one.idempotency_key}`))
  expect(seen.size).toBe(all.length)
  const ended = await eventually(
    'the account has closed',
    async () => {
      const shown = await ask('GET', '/v1/payment-accounts/closing')
      return shown.body.state === 'closed' && shown.body
    },
    patience_ms,
  )
  expect(ended.has_webhook_secret).toBe(false)
  await outage.expectSameBooks()
}, 1_200_000)

async function killUnderLoad(platforms: PlatformProcess[], ask: Ask): Promise<void> {
  let stopping = false
  let begun = 0
  const load = Array.from({ length: 6 }, async () => {
    while (!stopping) await pay(ask, begun++).catch(() => {})
  })
  const goesOn = (from: number) => eventually('payments go on', () => begun > from + 6)
  for (let done = 0; done < kills; done++) {
    await goesOn(begun)
    if (done === Math.floor(kills / 2)) {
      // Nobody waits for the reply: the process may be killed within it.
      void ask('DELETE', '/v1/payment-accounts/closing').catch(() => {})
    }
    const which = done % 2
    await platforms[which]?.kill()
    platforms[which] = await outage.startPlatform()
  }
  stopping = true
  await Promise.all(load)
  const deleted = await ask('DELETE', '/v1/payment-accounts/closing')
  expect(deleted.status).toBe(204)
}

type Ask = (method: string, path: string, body?: object) => Promise<Answer>

function insistent(platforms: readonly PlatformProcess[]): Ask {
  return async (method, path, body) => {
    const key = newKey()
    for (let tries = 0; ; tries++) {
      const url = platforms[tries % platforms.length]?.url ?? ''
      try {
        const answer = await outage.askAt(url)(method, path, body, key)
        if (answer.status < 500 || tries === 6) return answer
      } catch (error) {
        if (tries === 6) throw error
      }
    }
  }
}

async function pay(ask: Ask, round: number): Promise<void> {
  const account = [...names, 'platform'][round % 3]
  const asked = { amount_minor: 1000 + round, currency: 'EUR', account }
  const made = await ask('POST', '/v1/payment-intents', asked)
  if (made.status !== 201) return
  const path = `/v1/payment-intents/${made.body.id}`
  await ask('POST', `${path}/authorize`, { payment_method: 'pm_card_visa' })
  if (round % 5 === 0) return
  await ask('POST', `${path}/capture`, {})
  await ask('POST', '/v1/refunds', { intent_id: made.body.id, amount_minor: 100 })
}

const Id = Type.Object({ id: Type.String() })

async function releaseHeld(ask: Ask): Promise<void> {
  const held = await outage.world.platform.kernel.db.many(
    Id,
    sql`
      -- any tenant: all of this test
      select id from payments.payment_intents where state = 'authorized'`,
  )
  for (const { id } of held) {
    const answer = await ask('POST', `/v1/payment-intents/${id}/cancel`, {})
    expect(answer.status, answer.text).toBeLessThan(300)
  }
}

async function effectsOf({ control }: Own): Promise<readonly Effect[]> {
  const answer = await fetch(new URL('effects', control))
  return ((await answer.json()) as { data: Effect[] }).data
}
