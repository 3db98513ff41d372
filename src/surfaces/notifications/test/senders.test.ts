/** A message is sent only for a sender who has the right to send it at that moment. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { beginNarrow, rescope } from '../../../../test/narrow.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** A sender without other rights, and the administrator of the tenant, who reads what became of it. */
async function people() {
  const admin = await world.sender()
  const who = await world.member(admin.tenant)
  await world.give(who, 'notification_sender')
  return { admin, who }
}

async function later(admin: Member, email: string) {
  return {
    recipient: { email },
    category: 'order.updates',
    template: { name: await world.template(admin) },
    data: usual_data,
    channels: ['email'],
    scheduled_at: inAnHour(),
  }
}

const { administration } = world.identity
const named = ({ id, tenant }: Member) => ({ tenant: tenant.slug, account: id })

async function takeRole(who: Member, role = 'notification_sender'): Promise<void> {
  expect(await administration.revoke(named(who), role, 'test')).toBe(true)
}

/** The scheduled time has come. */
async function become(due: 'intent_id' | 'batch_id', id: string): Promise<void> {
  await db.run(sql`
    update notifications.delivery_attempts set next_attempt_at = kernel.now()
    where ${sql.id(due)} = ${id}`)
}

const revoked = {
  state: 'suppressed',
  channels: [{ channel: 'email', state: 'skipped', reason: 'sender_revoked' }],
  decisions: [{ channel: 'email', rule: 'sender', outcome: 'skip' }],
}

describe.concurrent('a scheduled message is suppressed', () => {
  test.each([
    ['whose sender lost the role', (who: Member) => takeRole(who)],
    [
      'whose sender was disabled',
      async (who: Member) => {
        await administration.disableAccount(named(who), 'test')
      },
    ],
    [
      'whose sender was erased',
      async ({ id, token }: Member) => {
        expect((await world.call('DELETE', `/v1/accounts/${id}`, { token })).status).toBe(204)
      },
    ],
  ])('%s', async (_how, revoke) => {
    const { admin, who } = await people()
    const email = newAddress()
    const sent = await world.send(who, await later(admin, email))
    expect(sent.body.state, sent.text).toBe('scheduled')
    await revoke(who)
    await become('intent_id', sent.body.id)
    expect(await world.reaches(admin, sent.body.id, 'suppressed')).toMatchObject(revoked)
    expect(await world.messages(email)).toEqual([])
  })

  test.each([
    [
      'whose client has no session any more',
      (_who: Member, token: string, sid: string) =>
        world.call('DELETE', `/v1/sessions/${sid}`, { token }),
    ],
    ['whose client may send no more', ({ id }: Member) => rescope(world.platform, id, 'openid')],
  ])('%s', async (_how, lose) => {
    const { admin, who } = await people()
    const [email, together] = [newAddress(), newAddress()]
    const scope = ['notifications.intents.send:*', 'notifications.batches.send:*']
    const { token, session_id } = await beginNarrow(
      world.platform,
      who,
      { scope, client_id: 'app' },
      'aal2',
    )
    const client = { ...who, token }
    const sent = await world.send(client, await later(admin, email))
    expect(sent.body.state, sent.text).toBe('scheduled')
    const { recipient: _recipient, ...shared } = await later(admin, '')
    const recipients = [{ recipient: { email: together } }]
    const body = { ...shared, recipients }
    const batch = await world.call('POST', '/v1/notifications/batches', { token, body })
    expect(batch.status, batch.text).toBe(202)
    await lose(who, token, session_id)
    await become('intent_id', sent.body.id)
    await become('batch_id', batch.body.id)
    expect(await world.reaches(admin, sent.body.id, 'suppressed')).toMatchObject(revoked)
    await eventually('the batch is completed', async () => {
      const path = `/v1/notifications/batches/${batch.body.id}`
      return (await world.call('GET', path, { token: admin.token })).body.state === 'completed'
    })
    for (const to of [email, together]) expect(await world.messages(to)).toEqual([])
  })

  test('whose API key was deleted', async () => {
    const { admin, who } = await people()
    const email = newAddress()
    const permissions = ['notifications.intents.send:*']
    const body = { name: 'a shop', permissions }
    const made = await world.call('POST', '/v1/api-keys', { token: who.token, key: newKey(), body })
    expect(made.status, made.text).toBe(201)
    const [kept, gone] = [
      await world.send(who, await later(admin, email)),
      await world.call('POST', '/v1/notifications', {
        token: made.body.key,
        key: newKey(),
        body: await later(admin, email),
      }),
    ]
    expect(gone.status, gone.text).toBe(202)
    const path = `/v1/api-keys/${made.body.id}`
    expect((await world.call('DELETE', path, { token: who.token })).status).toBe(204)
    for (const one of [gone, kept]) await become('intent_id', one.body.id)
    expect(await world.reaches(admin, gone.body.id, 'suppressed')).toMatchObject(revoked)
    await world.reaches(admin, kept.body.id, 'sent')
    expect(await world.messages(email)).toHaveLength(1)
  })

  test('that is critical, and whose sender may send only others', async () => {
    const { admin, who } = await people()
    await world.give(who, 'tenant_admin')
    const [urgent, usual] = [newAddress(), newAddress()]
    const critical = await world.send(who, {
      ...(await later(admin, urgent)),
      priority: 'critical',
    })
    const normal = await world.send(who, await later(admin, usual))
    await takeRole(who, 'tenant_admin')
    for (const one of [critical, normal]) await become('intent_id', one.body.id)
    expect(await world.reaches(admin, critical.body.id, 'suppressed')).toMatchObject(revoked)
    await world.reaches(admin, normal.body.id, 'sent')
  })
})

test('a scheduled batch whose sender lost the role sends nothing', async () => {
  const { admin, who } = await people()
  const addresses = Array.from({ length: 5 }, newAddress)
  const { recipient: _recipient, ...shared } = await later(admin, '')
  const made = await world.call('POST', '/v1/notifications/batches', {
    token: who.token,
    body: { ...shared, recipients: addresses.map(email => ({ recipient: { email } })) },
  })
  expect(made.status, made.text).toBe(202)
  await takeRole(who)
  await become('batch_id', made.body.id)
  const path = `/v1/notifications/batches/${made.body.id}`
  const { counts } = await eventually('the batch is completed', async () => {
    const { body } = await world.call('GET', path, { token: admin.token })
    return body.state === 'completed' && body
  })
  expect(counts).toMatchObject({ suppressed: 5, sent: 0 })
  for (const address of addresses) expect(await world.messages(address)).toEqual([])
})

test('a digest has only the messages of senders who still have the right', async () => {
  const { admin, who } = await people()
  const email = newAddress()
  const name = await world.template(admin, {
    email: { subject: '{{ total }} new', body: '{% for e in events %}{{ e.n }}{% endfor %}' },
  })
  const send = (from: Member, n: string, key: string) =>
    world.send(from, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: { n },
      channels: ['email'],
      digest: { key, window_seconds: 3600 },
    })
  const [lost, kept, alone] = [
    await send(who, 'lost', 'both'),
    await send(admin, 'kept', 'both'),
    await send(who, 'alone', 'one'),
  ]
  expect(lost.body.state, lost.text).toBe('held')
  await takeRole(who)
  await db.run(sql`
    update notifications.digests set closes_at = kernel.now() where tenant_id = ${who.tenant.id}`)
  await world.reaches(admin, kept.body.id, 'sent')
  for (const { body } of [lost, alone]) {
    expect(await world.reaches(admin, body.id, 'suppressed')).toMatchObject({
      decisions: [{ channel: 'email', rule: 'sender', outcome: 'skip' }],
    })
  }
  const mails = await world.messages(email)
  expect(mails.map(mail => mail.subject)).toEqual(['1 new'])
  expect(mails[0]?.html).toContain('kept')
  expect(mails[0]?.html).not.toContain('lost')
})

test('a digest that waits after its end is sent without those who have lost the right', async () => {
  const { admin, who } = await people()
  const second = await world.member(admin.tenant)
  await world.give(second, 'notification_sender')
  const email = newAddress()
  // By each of the two providers.
  await world.fault({ channel: 'email', to: email, mode: 'reject_temp', times: 2 })
  const name = await world.template(admin, {
    email: { subject: '{{ total }} new', body: '{% for e in events %}{{ e.n }}{% endfor %}' },
  })
  const send = (from: Member, n: string) =>
    world.send(from, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: { n },
      channels: ['email'],
      digest: { key: 'all', window_seconds: 3600 },
    })
  const [first, kept, last] = [
    await send(who, 'first'),
    await send(admin, 'kept'),
    await send(second, 'last'),
  ]
  await db.run(sql`
    update notifications.digests set closes_at = kernel.now() where tenant_id = ${who.tenant.id}`)
  const message = await eventually('its message waits for the next attempt', () =>
    db.maybe(
      Type.Object({ id: Type.String() }),
      sql`
        select i.id from notifications.notification_intents i
        join notifications.delivery_attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id
        where i.tenant_id = ${who.tenant.id} and i.closes_digest = ${first.body.digest_id}
          and a.state = 'pending' and a.next_attempt_at > kernel.now() + interval '5 seconds'`,
    ),
  )
  await takeRole(who)
  await takeRole(second)
  await become('intent_id', message.id)
  await world.reaches(admin, kept.body.id, 'sent')
  for (const { body } of [first, last]) {
    expect(await world.reaches(admin, body.id, 'suppressed')).toMatchObject({
      decisions: [{ channel: 'email', rule: 'sender', outcome: 'skip' }],
    })
  }
  const [mail] = await world.messages(email)
  expect(mail?.subject).toBe('1 new')
  expect(mail?.html).toContain('kept')
  expect(mail?.html).not.toMatch(/first|last/)
})
