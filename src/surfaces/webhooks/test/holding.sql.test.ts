/** A pause keeps all deliveries, and every message during a rotation can be verified. */
import { Type } from 'typebox'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Made } from './ground.ts'
import { openReceiver, type Received } from './receiver.ts'

const ground = await openGround()
afterAll(() => ground.close())

const event_filter = { types: ['account.verified'] }
const patch = ({ id, owner }: Made, body: object) =>
  ground.call('PATCH', `/v1/webhook-subscriptions/${id}`, { token: owner.token, body })

function verifies(secret: string, message: Received): boolean {
  try {
    new Webhook(secret).verify(message.body.toString(), message.headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

describe.concurrent('a pause', () => {
  test('keeps what waits and what comes, and uses no attempt', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const made = await ground.subscribe(owner, at(receiver), { event_filter, max_in_flight: 16 })
    // Nothing is answered, so that hundreds are waiting when it is paused.
    const held: (() => void)[] = []
    receiver.answer(response => void held.push(() => response.writeHead(204).end()))
    const first = await ground.emit(owner, 400)
    await eventually('they wait', async () => (await ground.states(made.id))['pending'] === 400)
    expect((await patch(made, { state: 'paused' })).body.state).toBe('paused')
    receiver.answer(response => void response.writeHead(204).end())
    for (const answer of held.splice(0)) answer()
    const second = await ground.emit(owner, 400)
    await eventually('the others wait, too', async () => {
      return (await ground.deliveries(made.id)).length === 800
    })
    await eventually('nothing is under way', async () => {
      const path = `/v1/webhook-subscriptions/${made.id}`
      return (await ground.call('GET', path, owner)).body.health.in_flight === 0
    })
    const waiting = (await ground.deliveries(made.id)).filter(one => one.state === 'pending')
    expect(waiting.length).toBeGreaterThan(700)
    expect(waiting.every(one => one.attempt_count === 0)).toBe(true)
    expect((await patch(made, { state: 'active' })).body.state).toBe('active')
    await eventually('all are delivered', async () => {
      return (await ground.states(made.id))['delivered'] === 800
    })
    const came = receiver.received.map(one => one.id)
    expect(came.toSorted()).toEqual([...first, ...second].toSorted())
    expect((await ground.deliveries(made.id)).every(one => one.attempt_count === 1)).toBe(true)
    await receiver.close()
  })
})

describe.concurrent('a rotation', () => {
  const rotate = async ({ id, owner }: Made, overlap_seconds: number) =>
    ground.call('POST', `/v1/webhook-subscriptions/${id}/rotate-secret`, {
      token: owner.token,
      body: { overlap_seconds },
    })

  test('under load: old and new verify while they overlap, only the new one after', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const made = await ground.subscribe(owner, at(receiver), { event_filter, max_in_flight: 16 })
    const sending = ground.emit(owner, 100)
    const rotated = await rotate(made, 3600)
    await ground.emit(owner, 100)
    await sending
    await eventually('all came', () => receiver.received.length === 200)
    const { secret, secret_version } = rotated.body
    expect(secret_version).toBe(2)
    expect(rotated.headers.get('cache-control')).toBe('no-store')
    expect(receiver.received.every(one => verifies(made.secret, one))).toBe(true)
    const ended = await rotate(made, 0)
    const from = receiver.received.length
    await ground.emit(owner, 50)
    await eventually('those after came', () => receiver.received.length === from + 50)
    for (const one of receiver.received.slice(from)) {
      expect(verifies(ended.body.secret, one)).toBe(true)
      expect(verifies(secret, one)).toBe(false)
      expect(verifies(made.secret, one)).toBe(false)
    }
    await receiver.close()
  })

  test('has at most three secrets alive, and they are never shown again', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const made = await ground.subscribe(owner, at(receiver), { event_filter })
    const secrets = [made.secret]
    for (let version = 2; version <= 3; version++) {
      const rotated = await rotate(made, 60)
      expect(rotated.body.secret_version).toBe(version)
      secrets.push(rotated.body.secret)
    }
    expect((await rotate(made, 60)).body.code).toBe('too_many_live_secrets')
    await ground.emit(owner)
    await eventually('it came', () => receiver.received.length === 1)
    const [one] = receiver.received
    if (!one) throw new Error('nothing came')
    expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(3)
    expect(secrets.every(secret => verifies(secret, one))).toBe(true)
    const seen = await ground.call('GET', `/v1/webhook-subscriptions/${made.id}`, owner)
    for (const secret of secrets) expect(seen.text).not.toContain(secret.slice('whsec_'.length))
    await receiver.close()
  })
})

const Held = Type.Object({ held: Type.Integer() })

test.each([
  ['paused', (made: Made) => patch(made, { state: 'paused' })],
  [
    'deleted',
    ({ id, owner: { token } }: Made) =>
      ground.call('DELETE', `/v1/webhook-subscriptions/${id}`, { token }),
  ],
] as const)('what is being claimed when it is %s was taken before the answer', async (_, end) => {
  const { db } = ground.platform.kernel
  const receiver = await openReceiver()
  receiver.answer(() => {})
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver), { event_filter })
  const claim = holdAt(ground.platform.faults, 'webhooks.in_claim')
  await ground.emit(owner)
  await claim.reached()
  const ending = end(made)
  await eventually('it waits for the claim', async () => {
    const waiting = await db.run(sql`
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database()`)
    return waiting > 0
  })
  claim.release()
  expect((await ending).status).toBeLessThan(300)
  const { held } = await db.one(
    Held,
    sql`
      -- any tenant: the test made it
      select count(*)::int as held from webhooks.deliveries
      where subscription_id = ${made.id} and lease_token is not null`,
  )
  expect(held).toBe(1)
  await receiver.close()
})
