/**
 * A rule acts under the rights that its owner has then: asked at each event, and again at the
 * attempt of its job.
 */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow, rescope } from '../../../../../test/narrow.ts'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { counting, openRulesWorld } from './rules-world.ts'

const world = await openRulesWorld()
afterAll(() => world.close())
const { declared, jobsOf, owner, publish, put, quiet, rule } = world

const { db } = world.platform.kernel
const { administration } = world.identity

/** All rights of this account come from one built-in role. */
async function admin(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const takeRole = ({ id, tenant }: Member) =>
  administration.revoke({ tenant: tenant.slug, account: id }, 'tenant_admin', 'test')

type Lose = (one: { readonly who: Member; readonly token: string }) => Promise<unknown>
const ways: readonly (readonly [string, 'person' | 'client', Lose])[] = [
  ['the role was taken away', 'person', ({ who }) => takeRole(who)],
  [
    'the account was disabled',
    'person',
    ({ who }) =>
      administration.disableAccount({ tenant: who.tenant.slug, account: who.id }, 'test'),
  ],
  [
    'the tenant was disabled',
    'person',
    ({ who }) => administration.disableTenant(who.tenant.slug, 'test'),
  ],
  ['the scope lost the right', 'client', ({ who }) => rescope(world.platform, who.id, 'jobs.read')],
  [
    'the session ended',
    'client',
    async ({ token }) => {
      const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      expect((await world.call('DELETE', `/v1/sessions/${sid}`, { token })).status).toBe(204)
    },
  ],
]

test.each(ways)('a rule makes no job and is disabled: %s', async (_way, by, lose) => {
  const [who, type] = [await admin(), await declared()]
  const scope = ['jobs.rules.write:demo.count', `webhooks.events.read:${type}`]
  const begun =
    by === 'client' ? await beginNarrow(world.platform, who, { scope, client_id: 'app' }) : who
  const made = await rule(begun, 'mine', { event: type })
  await lose({ who, token: begun.token })
  const event = { type, data: {}, tenant_id: who.tenant.id }
  await db.tx(async tx => {
    tx.emit({
      ...event,
      aggregate_type: 'deal',
      aggregate_id: newId(),
      aggregate_version: 1,
      schema_version: 1,
    })
  })
  await quiet()
  expect(await jobsOf(who)).toEqual([])
  const row = await db.one(
    Type.Object({ state: Type.String(), reason: Type.Unknown() }),
    sql`
      select state, reason from jobs.job_rules
      where tenant_id = ${who.tenant.id} and id = ${made.id}`,
  )
  expect(row).toEqual({ state: 'disabled', reason: 'owner_revoked' })
})

test('the rights are asked again at the attempt, within the scope of the session', async () => {
  const [who, type] = [await owner(), await declared()]
  const narrow = await beginNarrow(world.platform, who, {
    scope: ['jobs.rules.write:*', `webhooks.events.read:${type}`],
  })
  const event = { type, data: {} }
  // The account may publish, and the session of the rule may not.
  await rule(narrow, 'wide', {
    event: type,
    where: [{ at: '/data/go', is: 'eq', value: true }],
    job: { type: 'kernel.publish', parameters: { events: [event] } },
  })
  await publish(who, type, [{ go: true }])
  await quiet()
  expect(await jobsOf(who)).toMatchObject([{ state: 'failed', error_code: 'owner_revoked' }])

  const later = await admin()
  await rule(later, 'later', { event: type, job: { ...counting, delay_seconds: 1 } })
  await publish(later, type)
  await eventually('the job waits', async () => (await jobsOf(later)).length === 1)
  await takeRole(later)
  const over = await eventually('the job has ended', async () => {
    const [job] = await jobsOf(later)
    return job?.state === 'failed' && job
  })
  expect(over.error_code).toBe('owner_revoked')
})

test('a PUT needs the right for both types and for the events, and makes the caller the owner', async () => {
  const [who, type] = [await owner(), await declared()]
  await rule(who, 'shared', { event: type })
  const clerk = await world.member(who.tenant)
  const may = ['jobs.rules.write:kernel.publish', `webhooks.events.read:${type}`]
  await world.allow(clerk, ...may)
  const job = { type: 'kernel.publish', parameters: { events: [{ type, data: {} }] } }
  const over = await put(clerk, 'shared', { event: type, job })
  expect([over.status, over.body.permission]).toEqual([403, 'jobs.rules.write:demo.count'])
  const to = await put(clerk, 'own', { event: type, job: counting })
  expect([to.status, to.body.permission]).toEqual([403, 'jobs.rules.write:demo.count'])
  const unread = await put(clerk, 'own', { event: 'account.verified', job })
  expect([unread.status, unread.body.permission]).toEqual([
    403,
    'webhooks.events.read:account.verified',
  ])
  for (const [method, name] of [
    ['GET', 'shared'],
    ['DELETE', 'shared'],
    ['DELETE', 'never'],
  ] as const) {
    const answer = await world.call(method, `/v1/job-rules/${name}`, { token: clerk.token })
    expect([answer.status, answer.body.code]).toEqual([404, 'job_rule_not_found'])
  }
  await world.allow(clerk, 'jobs.rules.write:demo.count')
  expect((await put(clerk, 'shared', { event: type, job })).status).toBe(200)
  const { principal_id } = await db.one(
    Type.Object({ principal_id: Type.String() }),
    sql`
      select principal_id from jobs.job_rules
      where tenant_id = ${who.tenant.id} and name = 'shared'`,
  )
  expect(principal_id).toBe(clerk.id)
})

test('a rule notifies people while its owner may send in the category', async () => {
  const type = await declared()
  const job = {
    type: 'notifications.notify',
    parameters: {
      recipient: { user_id: { $event: '/data/user_id' } },
      category: 'order.updates',
      template: { name: 'notice' },
      data: { subject: 'Won', paragraphs: ['The deal is won.'] },
    },
  }
  const noticesOf = async ({ token }: Member) => {
    const { body } = await world.call('GET', '/v1/notifications?category=order.updates', { token })
    return (body.data as { recipient_ref: string }[]).map(one => one.recipient_ref)
  }
  const may = await owner(
    'notifications.intents.send:order.updates',
    'notifications.intents.read:*',
  )
  const may_not = await owner('notifications.intents.send:news', 'notifications.intents.read:*')
  for (const who of [may, may_not]) {
    await rule(who, 'tell', { event: type, job })
    await publish(who, type, [{ user_id: who.id }])
  }
  await quiet()
  expect(await jobsOf(may)).toMatchObject([{ state: 'succeeded' }])
  expect(await noticesOf(may)).toEqual([`user:${may.id}`])
  expect(await jobsOf(may_not)).toMatchObject([{ state: 'failed', error_code: 'owner_revoked' }])
  expect(await noticesOf(may_not)).toEqual([])
})

test('a rule sends a signal to a run while its owner may send signals of the type', async () => {
  const type = await declared()
  const submitter = await owner('jobs.jobs.submit:*')
  const may = await world.member(submitter.tenant)
  const may_not = await world.member(submitter.tenant)
  const rights = ['jobs.rules.write:*', `webhooks.events.read:${type}`, 'jobs.jobs.read:*']
  await world.allow(may, ...rights, 'jobs.jobs.signal:test.listed')
  await world.allow(may_not, ...rights, 'jobs.jobs.signal:other.type')
  const steps = [{ kind: 'signal', name: 'go' }]
  const run = async () => {
    const asked = { token: submitter.token, key: newId() }
    const body = { type: 'test.listed', parameters: { steps } }
    const answer = await world.call('POST', '/v1/jobs', { ...asked, body })
    expect(answer.status, answer.text).toBe(202)
    return answer.body.id as string
  }
  const parameters = {
    job_id: { $event: '/data/run' },
    name: 'go',
    data: { deal: { $event: '/data/deal' } },
  }
  const stateOf = async (id: string) =>
    (await world.call('GET', `/v1/jobs/${id}`, { token: submitter.token })).body.state as string
  const ended = async (rule_of: Member, name: string) => {
    const id = await run()
    const made = await rule(rule_of, name, {
      event: type,
      where: [{ at: '/data/rule', is: 'eq', value: name }],
      job: { type: 'jobs.signal', parameters },
    })
    await publish(submitter, type, [{ run: id, deal: 7, rule: name }])
    const found = await eventually('the job of the rule has ended', async () => {
      const rows = await jobsOf(submitter)
      return rows.find(
        one => one.idempotency_key?.startsWith(`rule:${made.id}:`) && one.state !== 'pending',
      )
    })
    return { id, found }
  }
  const sent = await ended(may, 'sends')
  await eventually('the run goes on', async () => (await stateOf(sent.id)) === 'succeeded')
  const result = await world.call('GET', `/v1/jobs/${sent.id}/steps`, { token: submitter.token })
  expect(result.body.data).toMatchObject([{ kind: 'signal', state: 'done' }])
  const refused = await ended(may_not, 'may-not')
  await eventually('its job has failed', async () => {
    const rows = await jobsOf(submitter)
    return rows.find(one => one.id === refused.found.id)?.error_code === 'owner_revoked'
  })
  expect(await stateOf(refused.id)).not.toBe('succeeded')
})
