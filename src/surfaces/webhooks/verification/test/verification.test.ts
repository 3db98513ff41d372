/**
 * Nothing is sent to an endpoint that has not answered its challenge; which answers are accepted,
 * and the error otherwise.
 */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Ground } from '../../test/ground.ts'
import {
  openReceiver,
  status,
  tokenOf,
  type Answering,
  type Receiver,
} from '../../test/receiver.ts'

const ground = await openGround({})
afterAll(() => ground.close())

const path = '/v1/webhook-subscriptions'
const event_filter = { types: ['account.verified'] }
const moveTo = (hours: number) =>
  ground.call('POST', '/dev/clock', { body: { offset_seconds: hours * 3600 } })

/** A subscription that is not verified, and what can be done with it. */
async function unverified(endpoint: string | Receiver, more: object = {}, on: Ground = ground) {
  const { token, tenant, ...member } = await on.owner()
  const made = await on.call('POST', path, {
    token,
    body: {
      endpoint: typeof endpoint === 'string' ? endpoint : at(endpoint),
      event_filter,
      api_version: '2026-01',
      verification: 'manual',
      ...more,
    },
  })
  expect([made.status, made.body.state]).toEqual([201, 'created'])
  const one = `${path}/${made.body.id}`
  return {
    id: made.body.id as string, // an answer of the platform
    owner: { ...member, token, tenant },
    one,
    verify: (body?: object) => on.call('POST', `${one}/verify`, { token, body }),
    see: async () => (await on.call('GET', one, { token })).body,
    patch: (body: object) => on.call('PATCH', one, { token, body }),
  }
}

async function receiverThat(greets: Answering): Promise<Receiver> {
  const receiver = await openReceiver()
  receiver.greet(greets)
  return receiver
}

const eventsOf = async (id: string) => {
  const { body } = await ground.call('GET', `/dev/events?aggregate_id=${id}`)
  return body.data.map((one: { type: string }) => one.type)
}

describe.concurrent('an endpoint', () => {
  test('is verified by its echo of the token, as text or as JSON', async () => {
    const receiver = await receiverThat((response, one) => response.end(` ${tokenOf(one)}\n`))
    const made = await unverified(receiver)
    await ground.emit(made.owner)
    const verified = await made.verify({})
    expect([verified.status, verified.body]).toEqual([200, { id: made.id, state: 'active' }])
    const [challenge] = receiver.challenges
    expect(tokenOf(challenge ?? { body: Buffer.from('') })).toMatch(/^[\w-]{43}$/)
    // Once more is no other outcome, and sends nothing.
    expect((await made.verify()).body.state).toBe('active')
    expect(receiver.challenges).toHaveLength(1)
    await eventually('it is announced', async () =>
      (await eventsOf(made.id)).includes('webhook_subscription.verified'),
    )
    // What happened before was not for it.
    await ground.emit(made.owner)
    await eventually('the next event comes', () => receiver.received.length === 1)
    expect(await ground.deliveries(made.id)).toHaveLength(1)
    await receiver.close()
  })

  test.for<[reason: string, detail: string, greets: Answering | null, endpoint?: string]>([
    ['http_status', 'another status than 2xx', status(500)],
    ['mismatch', 'not with the challenge', response => response.end('{"challenge": "another"}')],
    ['mismatch', 'not with the challenge', response => response.end('null')],
    ['timeout', 'could not be reached', null],
    ['blocked', 'may not be sent to', null, 'https://name-of-nowhere.example/'],
  ])('that does not is refused with %s', async ([reason, detail, greets, endpoint]) => {
    const receiver = await receiverThat(greets ?? status(500))
    if (!greets) await receiver.close()
    const made = await unverified(endpoint ?? receiver)
    if (reason === 'blocked') {
      const { db } = ground.platform.kernel
      // As where the rules have become stricter since it was named.
      await db.run(sql`
        -- any tenant: the test made it
        update webhooks.subscriptions set endpoint = 'https://10.1.2.3/' where id = ${made.id}`)
    }
    const refused = await made.verify({})
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([
      422,
      'verification_failed',
      reason,
    ])
    expect(refused.body.detail).toContain(detail)
    expect((await made.see()).state).toBe('created')
    if (greets) await receiver.close()
  })

  test('that answers late is not waited for, and counts all the same', async () => {
    const held: (() => void)[] = []
    const receiver = await receiverThat((response, one) => {
      held.push(() => response.end(tokenOf(one)))
    })
    const made = await unverified(receiver)
    const accepted = await made.verify({})
    expect([accepted.status, accepted.body.state]).toEqual([202, 'created'])
    expect(accepted.headers.get('location')).toBe(made.one)
    for (const answer of held) answer()
    await eventually('it is active', async () => (await made.see()).state === 'active')
    await receiver.close()
  })

  test('that is verified twice at once is verified, and both callers get that', async () => {
    const held: (() => void)[] = []
    const receiver = await receiverThat((response, one) => {
      held.push(() => response.end(tokenOf(one)))
    })
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      held.length = 0
      const made = await unverified(receiver)
      const first = made.verify({})
      await eventually('the first is asked', () => held.length === 1)
      const asked = [first, made.verify({})] as const
      await eventually('the second is asked', () => held.length === 2)
      const [one, other] = order
      held[one]?.()
      const early = await asked[one]
      held[other]?.()
      const late = await asked[other]
      // Only the later challenge counts; the holder of the earlier one sees the result.
      expect([early.status, early.body.state]).toEqual(
        one === 0 ? [202, 'created'] : [200, 'active'],
      )
      expect([late.status, late.body.state]).toEqual([200, 'active'])
    }
    await receiver.close()
  })

  test('that moves has to answer again, and its old token is invalid', async () => {
    const receiver = await receiverThat(status(204))
    const made = await unverified(receiver)
    await made.verify({})
    const [first] = receiver.challenges
    const moved = await made.patch({ endpoint: at(receiver, '/moved') })
    expect(moved.body.state).toBe('created')
    const old = tokenOf(first ?? { body: Buffer.from('') })
    const { body: refused } = await made.verify({ challenge: old })
    expect(refused.reason).toBe('mismatch')
    expect(refused.detail).toContain('not the challenge')
    await made.verify({})
    const last = receiver.challenges.at(-1)
    expect(last?.path).toBe('/moved')
    const token = tokenOf(last ?? { body: Buffer.from('') })
    expect((await made.verify({ challenge: token })).body.state).toBe('active')
    // An active one that moves is sent nothing until it has answered.
    await made.patch({ endpoint: at(receiver, '/again') })
    expect((await made.see()).state).toBe('created')
    await receiver.close()
  })

  test('gets at most three automatic challenges, unless they are switched off', async () => {
    const receiver = await receiverThat(status(500))
    const { db } = ground.platform.kernel
    const made = await unverified(receiver, { verification: 'auto' })
    for (let sent = 1; sent <= 3; sent++) {
      await eventually(`challenge ${sent}`, () => receiver.challenges.length === sent)
      if (sent === 3) break
      const again = sql`
        -- any tenant: the test made it
        update webhooks.subscriptions set challenge_due_at = now()
        where id = ${made.id} and challenge_due_at is not null and challenge_lease_token is null`
      await eventually('the next one is due', async () => (await db.run(again)) === 1)
      ground.platform.kernel.wake()
    }
    const over = sql`
      -- any tenant: the test made it
      select 1 from webhooks.subscriptions
      where id = ${made.id} and challenge_due_at is null and challenge_attempts = 3`
    expect(await eventually('no other is due', async () => (await db.run(over)) === 1)).toBe(true)
    await receiver.close()
  })
})

test('challenges are limited: after ten in an hour the caller gets Retry-After', async () => {
  const strict = await openGround({ KERNEL_RATE_FACTOR: '1', WEBHOOKS_VERIFICATIONS_PER_HOUR: '3' })
  const receiver = await receiverThat(status(500))
  const made = await unverified(receiver, {}, strict)
  const answers = [
    await made.verify({}),
    await made.verify({ challenge: 'x' }),
    await made.verify(),
  ]
  expect(answers.map(one => one.body.code)).toEqual(Array(3).fill('verification_failed'))
  const over = await made.verify({})
  expect([over.status, over.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(600)
  expect(receiver.challenges).toHaveLength(2)
  await receiver.close()
  await strict.close()
})

describe('in time', () => {
  afterEach(async () => void (await moveTo(0)))

  test('a token is good for a day, and none waits longer than a week', async () => {
    const receiver = await receiverThat(status(204))
    const made = await unverified(receiver)
    await made.verify({})
    const [sent] = receiver.challenges
    const challenge = tokenOf(sent ?? { body: Buffer.from('') })
    await moveTo(25)
    // The session has ended meanwhile.
    const { access_token: token } = (await ground.login(made.owner)).body
    const late = await ground.call('POST', `${made.one}/verify`, { token, body: { challenge } })
    expect([late.status, late.body.code]).toEqual([409, 'verification_expired'])
    await moveTo(24 * 7 + 1)
    await eventually('it is gone', async () =>
      (await eventsOf(made.id)).includes('webhook_subscription.deleted'),
    )
    await receiver.close()
  })
})
