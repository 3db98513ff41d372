/**
 * Events reach a subscription only while its owner may read them: checked when they are sent,
 * however the permission was lost. Waiting deliveries are kept, and the owner gets a mail.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { arrived, prove } from '../../../../test/inbox.ts'
import type { Member, Tenant } from '../../../../test/product-world.ts'
import { beginNarrow, rescope } from '../../../../test/narrow.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Made } from './ground.ts'
import { openReceiver } from './receiver.ts'

const receiver = await openReceiver()
const ground = await openGround()
afterAll(async () => {
  await ground.close()
  await receiver.close()
})

const platform = await ground.member()
await ground.allow(platform, 'identity.tenants.manage')

type Owner = {
  readonly owner: Member
  readonly admin: Member
  readonly tenant: Tenant
  readonly token: string
  readonly key_id: string | null
}

/** A subscriber with a colleague who stays. */
async function ownerOf(by: 'person' | 'key' | 'client'): Promise<Owner> {
  const admin = await ground.owner()
  const { tenant } = admin
  const owner = await ground.member(tenant)
  await ground.give(owner, 'tenant_admin')
  if (by === 'person') return { owner, admin, tenant, token: owner.token, key_id: null }
  const permissions = [
    'webhooks.subscriptions.write',
    'webhooks.subscriptions.read',
    'webhooks.deliveries.replay',
    'webhooks.events.read:*',
  ]
  if (by === 'client') {
    const client = { scope: permissions, client_id: 'app' }
    const { token } = await beginNarrow(ground.platform, owner, client, 'aal2')
    return { owner, admin, tenant, token, key_id: null }
  }
  const body = { name: 'hooks', permissions }
  const made = await ground.call('POST', '/v1/api-keys', { token: owner.token, body })
  expect(made.status).toBe(201)
  return { owner, admin, tenant, token: made.body.key, key_id: made.body.id }
}

const takeRole = async ({ admin: { token }, owner }: Owner) =>
  (await ground.call('DELETE', `/v1/accounts/${owner.id}/roles/tenant_admin`, { token })).status
const disable = async ({ admin: { token }, owner }: Owner) => {
  const body = { status: 'disabled' }
  return (await ground.call('PATCH', `/v1/accounts/${owner.id}`, { token, body })).status
}
const revokeKey = async ({ owner: { token }, key_id }: Owner) =>
  (await ground.call('DELETE', `/v1/api-keys/${key_id}`, { token })).status
const endClient = async ({ token }: Owner) => {
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return (await ground.call('DELETE', `/v1/sessions/${sid}`, { token })).status
}
const narrowClient = async ({ owner }: Owner) => {
  await rescope(ground.platform, owner.id, 'webhooks.subscriptions.write')
  return 200
}
const closeTenant = async ({ tenant }: Owner) => {
  const ask = { token: platform.token, body: { state: 'disabled' } }
  return (await ground.call('PATCH', `/v1/tenants/${tenant.id}`, ask)).status
}

const ways = [
  ['role taken away', 'person', takeRole],
  ['account disabled', 'person', disable],
  ['key revoked', 'key', revokeKey],
  ['person behind the key disabled', 'key', disable],
  ['session of the client ended', 'client', endClient],
  ['scope without the right', 'client', narrowClient],
  ['tenant closed', 'person', closeTenant],
] as const

const Row = Type.Object({
  state: Type.String(),
  paused_reason: Type.Union([Type.String(), Type.Null()]),
  disabled_reason: Type.Union([Type.String(), Type.Null()]),
})
const rowOf = ({ id }: Made) =>
  ground.platform.kernel.db.one(
    Row,
    sql`
      -- any tenant: the test made it
      select state, paused_reason, disabled_reason from webhooks.subscriptions where id = ${id}`,
  )
const stopped = (made: Made) =>
  eventually('it sends no more and says why', async () => {
    const row = await rowOf(made)
    return row.state !== 'active' && row
  })

const subscribe = (one: Owner, path: string, types = ['account.*']) =>
  ground.subscribe({ ...one.owner, token: one.token }, at(receiver, path), {
    event_filter: { types },
  })

describe.concurrent('nothing more is sent', () => {
  test.each(ways)('%s', async (way, by, lose) => {
    const one = await ownerOf(by)
    const path = `/${way.replaceAll(' ', '-')}`
    const made = await subscribe(one, path)
    await ground.emit(one.owner)
    await eventually('one came', () => receiver.of(path).length === 1)
    expect(await lose(one)).toBeLessThan(300)
    const lost_ms = performance.now()
    const ids: string[] = []
    await eventually('a second has gone by', async () => {
      ids.push(...(await ground.emit(one.owner)))
      return performance.now() - lost_ms > 1000
    })
    const late = await ground.emit(one.owner, 3)
    const row = await stopped(made)
    const reason = row.paused_reason ?? row.disabled_reason
    expect([way, reason]).toEqual([way, 'owner_revoked'])
    await eventually('the log has gone past them', async () => {
      const { n } = await ground.platform.kernel.db.one(
        Type.Object({ n: Type.Integer() }),
        sql`
          select count(*)::int as n from kernel.events e
          join kernel.inbox_events i on i.event_id = e.id and i.consumer = 'webhooks.fan_out'
          where e.id = any (${late}::uuid[])`,
      )
      return n === late.length
    })
    const sent = receiver.of(path).filter(message => late.includes(message.id))
    expect(sent).toEqual([])
    const attempts = (await ground.deliveries(made.id)).filter(
      ({ event_id, state }) => late.includes(event_id) && state !== 'pending',
    )
    expect(attempts).toEqual([])
  })
})

test('waiting deliveries are kept for the next owner, and the owner gets a mail', async () => {
  const one = await ownerOf('person')
  await prove(ground, one.owner)
  const made = await subscribe(one, '/kept')
  expect(await takeRole(one)).toBe(204)
  const first = await ground.emit(one.owner)
  await stopped(made)
  const second = await ground.emit(one.owner)
  const path = `/v1/webhook-subscriptions/${made.id}`
  const shown = await ground.call('GET', path, one.admin)
  expect(shown.body).toMatchObject({ state: 'paused', paused_reason: 'owner_revoked' })
  const [mail] = await arrived(ground, one.owner, 'webhooks.health')
  expect(mail?.subject).toBe(`Your webhooks to 127.0.0.1:${receiver.port} are paused`)
  expect(mail?.text).toContain(made.id)
  const reader = await ground.member(one.tenant)
  await ground.allow(reader, 'webhooks.subscriptions.write', 'webhooks.events.read:role.*')
  const resume = (token: string) => ground.call('PATCH', path, { token, body: { state: 'active' } })
  const refused = await resume(reader.token)
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  const taken = await resume(one.admin.token)
  expect([taken.status, taken.body.state, taken.body.paused_reason]).toEqual([200, 'active', null])
  await eventually('both have come', () => {
    const ids = receiver.of('/kept').map(({ id }) => id)
    return [...first, ...second].every(id => ids.includes(id))
  })
})

test('a replay is checked too: of one, and of many for a requester without the permission', async () => {
  const one = await ownerOf('person')
  const made = await subscribe(one, '/again')
  await ground.emit(one.owner, 2)
  await eventually('both came', () => receiver.of('/again').length === 2)
  const [first] = await ground.deliveries(made.id)
  expect(await takeRole(one)).toBe(204)
  await eventually('a replay pauses it', async () => {
    const replay = await ground.call('POST', `/v1/webhook-deliveries/${first?.id}/replay`, {
      token: one.admin.token,
      body: { reason: 'again' },
    })
    return replay.status === 409 || (await rowOf(made)).state === 'paused'
  })
  // The answer of half a second ago may have let one through.
  const came = receiver.of('/again').length
  const many = await ground.call('POST', `/v1/webhook-subscriptions/${made.id}/replay`, {
    token: one.admin.token,
    body: { since: new Date(Date.now() - 3_600_000).toISOString(), only: 'all', reason: 'again' },
  })
  expect(many.status).toBe(202)
  await eventually('the replay has lined up', async () => {
    const { body } = await ground.call('GET', `/v1/jobs/${many.body.job_id}`, one.admin)
    return body.state === 'succeeded'
  })
  expect(receiver.of('/again')).toHaveLength(came)
})

test('a replay of many stops when its requester loses the permission', async () => {
  const one = await ownerOf('person')
  const made = await ground.subscribe(one.admin, at(receiver, '/many'), {
    event_filter: { types: ['account.*'] },
  })
  await ground.emit(one.owner, 20)
  await eventually('they came', () => receiver.of('/many').length === 20)
  const slow = { token: one.token, body: { rate_per_second: 1 } }
  await ground.call('PATCH', `/v1/webhook-subscriptions/${made.id}`, slow)
  const many = await ground.call('POST', `/v1/webhook-subscriptions/${made.id}/replay`, {
    token: one.token,
    body: { since: new Date(Date.now() - 3_600_000).toISOString(), only: 'all', reason: 'again' },
  })
  expect(many.status).toBe(202)
  expect(await takeRole(one)).toBe(204)
  const job = await eventually('it has failed', async () => {
    const { body } = await ground.call('GET', `/v1/jobs/${many.body.job_id}`, one.admin)
    return body.state === 'failed' && body
  })
  expect(job.error.code).toBe('owner_revoked')
})
