/**
 * The owner of an endpoint that fails gets one mail when it is degraded and one when it is disabled, over
 * a real mail server; what the mail tells them to ask for works as it is written there.
 */
import { Type } from 'typebox'
import { afterAll, afterEach, expect, test } from 'vitest'
import { arrived, asked, inbox, prove } from '../../../../test/inbox.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Made } from './ground.ts'
import { fine, openReceiver, status } from './receiver.ts'

const ground = await openGround({
  NOTIFICATIONS_UNKNOWN_MAIL_SECONDS: '',
  WEBHOOKS_BREAKER: 'failures:1000,open_ms:1000,max_open_ms:1000',
  // Failures are counted by those that are really made.
  WEBHOOKS_RETRY_SCHEDULE: '0,86400,864000',
})
afterAll(() => ground.close())
const { db } = ground.platform.kernel
const category = 'webhooks.health'

const moveTo = async (hours: number) => {
  const body = { offset_seconds: hours * 3600 }
  expect((await ground.call('POST', '/dev/clock', { body })).status).toBeLessThan(300)
}
afterEach(() => moveTo(0))

type Failing = Awaited<ReturnType<typeof failing>>

async function failing(code: number) {
  const receiver = await openReceiver()
  receiver.answer(status(code))
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver, '/hooks/inner?key=hidden'), {
    event_filter: { types: ['account.verified'] },
  })
  return { receiver, owner, made, host: `127.0.0.1:${receiver.port}` }
}

const attempted = ({ id }: Made, many: number) =>
  eventually(`${many} attempts were made`, async () => {
    const all = await ground.deliveries(id)
    return all.reduce((sum, one) => sum + one.attempt_count, 0) >= many
  })

const Heard = Type.Object({ type: Type.String(), reason: Type.String() })

/** What the owner's mail was asked about, in its order: its transaction has ended. */
const heard = ({ id }: Made, many: number) =>
  eventually(`${many} events were heard`, async () => {
    const rows = await db.many(
      Heard,
      sql`
        select e.type, e.payload ->> 'reason' as reason from kernel.events e
        join kernel.inbox_events i on i.event_id = e.id and i.consumer = 'webhooks.owner_mail'
        where e.aggregate_id = ${id} order by e.position`,
    )
    return rows.length === many && rows.map(one => one.reason)
  })

const Count = Type.Object({ many: Type.Integer() })
/** What a mail says to ask for, asked for as it stands there. */
async function follow({ owner, made }: Failing, text: string): Promise<string[]> {
  const done: string[] = []
  // What they held has expired meanwhile.
  const { access_token: token } = (await ground.login(owner)).body
  for (const [, method = '', url = '', body] of text.matchAll(
    /^(GET|POST|PATCH) (\S+)(?:\n(\{.*\}))?$/gm,
  )) {
    const { pathname, search } = new URL(url)
    const sent = body === undefined ? {} : { body: JSON.parse(body) as object }
    const answer = await ground.call(method, pathname + search, { token, ...sent })
    done.push(`${method} ${pathname.split('/').at(-1)} ${answer.status}`)
    if (method !== 'PATCH') continue
    await eventually('the challenge is answered', async () => {
      const seen = await ground.call('GET', `/v1/webhook-subscriptions/${made.id}`, { token })
      return seen.body.state === 'active'
    })
  }
  return done
}

test('one mail when it is degraded, one when it is disabled, and they lead out of it', async () => {
  const one = await failing(500)
  const { receiver, owner, made, host } = one
  await prove(ground, owner)
  await ground.emit(owner, 12)
  await attempted(made, 12)
  await moveTo(30)
  await attempted(made, 24)
  const [degraded] = await arrived(ground, owner, category)
  expect(degraded?.subject).toBe(`Your webhooks to ${host} are failing`)
  expect(degraded?.text).toMatch(/taken nothing since 20.*; the last attempt ended with http_5xx\./)
  await ground.emit(owner, 3)
  await attempted(made, 27)
  await moveTo(5 * 24 + 1)
  await ground.emit(owner)
  const [disabled] = await arrived(ground, owner, category, 2)
  expect(disabled?.subject).toBe(`Your webhooks to ${host} were disabled`)
  expect(await heard(made, 2)).toEqual(['degraded', 'failing'])
  for (const { text } of [degraded, disabled].filter(mail => mail !== undefined)) {
    expect(text).toContain(made.id)
    expect(text).not.toMatch(/hidden|inner/)
    expect(text).not.toContain(made.secret)
  }
  receiver.answer(fine)
  await ground.emit(owner)
  const before = receiver.received.length
  expect(await follow(one, disabled?.text ?? '')).toEqual([
    'GET webhook-deliveries 200',
    `PATCH ${made.id} 200`,
    'POST verify 200',
    'POST replay 202',
    'POST replay 202',
  ])
  await eventually('what was missed has come', () => receiver.received.length > before)
  expect(await inbox(ground, owner, category)).toHaveLength(2)
  expect(await asked(ground, owner)).toBe(2)
  await receiver.close()
})

test('an endpoint that is gone causes a mail each time that it is disabled', async () => {
  const one = await failing(410)
  const { receiver, owner, made } = one
  await prove(ground, owner)
  await ground.emit(owner, 5)
  const [gone] = await arrived(ground, owner, category)
  expect(gone?.text).toContain('It answered 410')
  expect(await heard(made, 1)).toEqual(['gone'])
  expect((await follow(one, gone?.text ?? ''))[1]).toBe(`PATCH ${made.id} 200`)
  await ground.emit(owner)
  await arrived(ground, owner, category, 2)
  expect(await heard(made, 2)).toEqual(['gone', 'gone'])
  expect(await asked(ground, owner)).toBe(2)
  await receiver.close()
})

const Parked = Type.Object({ parked: Type.Boolean() })

test('an owner without a verified address or account gets no mail; everything else continues', async () => {
  const unproven = await failing(410)
  await ground.emit(unproven.owner)
  expect(await heard(unproven.made, 1)).toEqual(['gone'])
  const leaving = await failing(500)
  await prove(ground, leaving.owner)
  const { id, token } = leaving.owner
  expect((await ground.call('DELETE', `/v1/accounts/${id}`, { token })).status).toBe(204)
  await eventually('their subscription is deleted', async () => {
    const { state } = await db.one(
      Type.Object({ state: Type.String() }),
      sql`
        -- any tenant: the test made it
        select state from webhooks.subscriptions where id = ${leaving.made.id}`,
    )
    return state === 'deleted'
  })
  expect(await asked(ground, unproven.owner)).toBe(0)
  expect(await asked(ground, leaving.owner)).toBe(0)
  const { parked } = await db.one(
    Parked,
    sql`select exists (select from kernel.event_parks) as parked`,
  )
  expect(parked).toBe(false)
  await Promise.all([unproven.receiver.close(), leaving.receiver.close()])
})

test('there is no mail if the fault is fixed before the event is consumed', async () => {
  const { receiver, owner, made } = await failing(500)
  await prove(ground, owner)
  for (const [step, reason] of ['degraded', 'failing', 'gone'].entries()) {
    await db.tx(async tx => {
      const { many: version } = await tx.one(
        Count,
        sql`
          update webhooks.subscriptions set version = version + 1
          where tenant_id = ${owner.tenant.id} and id = ${made.id} returning version::int as many`,
      )
      tx.emit({
        type: `webhook_subscription.${step === 0 ? 'degraded' : 'disabled'}`,
        tenant_id: owner.tenant.id,
        aggregate_type: 'webhook_subscription',
        aggregate_id: made.id,
        aggregate_version: version,
        data: {
          subscription_id: made.id,
          state: 'active',
          reason,
          secret_version: 1,
          failing_since: '2026-11-01T00:00:00.000Z',
        },
      })
    })
  }
  expect(await heard(made, 3)).toEqual(['degraded', 'failing', 'gone'])
  expect(await asked(ground, owner)).toBe(0)
  await receiver.close()
})
