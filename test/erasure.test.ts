/**
 * A person who has data in every surface is erased: afterwards nothing of them is found in any column of
 * any table, in any object or in the logs. Before that, their export hands out what every surface keeps.
 * And who proves a mailbox finds what another person had set up in the account stopped, and not gone: it
 * may have been theirs.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openModelProvider } from '../src/surfaces/inference/test/inference-world.ts'
import { askOwnDocuments } from '../src/surfaces/retrieval/test/ask-own-documents.ts'
import { openUploadWorld } from '../src/surfaces/uploads/test/upload-world.ts'
import { openReceiver } from '../src/surfaces/webhooks/test/receiver.ts'
import { kindsIn, timesIn } from './exported.ts'
import { keyColumns } from './key-columns.ts'
import { startProcess } from './process.ts'
import { password, type Member } from './product-world.ts'
import { call, eventually, newKey, type Answer } from './world.ts'

const models = await openModelProvider()
// Without the sandbox, whose journals are of the world outside.
const world = await openUploadWorld({ KERNEL_SANDBOX: 'false', ...models.settings })
const { db } = world.platform.kernel
const receiver = await openReceiver()
/** Beside the world, so that its log can be read: it serves the person's requests. */
const beside = await startProcess({ ...world.environment, LOG_LEVEL: 'trace' }, 'product')
afterAll(async () => {
  await beside.kill()
  await receiver.close()
  await world.close()
  await models.close()
})

type Ask = (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>

/** `mark` stands in the keys of the requests. */
const asks =
  (who: Pick<Member, 'token'>, mark = ''): Ask =>
  async (method, path, body, token = who.token) => {
    const keyed = method === 'POST' && !path.startsWith('/v1/api-keys')
    const key = keyed ? { key: `${mark}${newKey()}` } : {}
    const answer = await call(beside.url, method, path, { token, body, ...key })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer
  }

/** A member whose address and name hold the mark, as tenant administrator with more rights. */
async function person(mark: string): Promise<Member> {
  const tenant = await world.tenant()
  const who = { email: `${mark}@example.test`, password, tenant }
  const body = { email: who.email, password, tenant: tenant.slug, display_name: `Ada ${mark}` }
  expect((await call(beside.url, 'POST', '/v1/accounts', { body })).status).toBe(202)
  const { access_token, account_id, ...rest } = (await world.login(who)).body
  const member = { ...who, ...rest, id: account_id, token: access_token }
  await world.give(member, 'tenant_admin')
  // The last administrator of a tenant could not be erased.
  await world.give(await world.member(tenant), 'tenant_admin')
  await world.allow(
    member,
    'payments.intents.create',
    'jobs.jobs.submit:*',
    'jobs.schedules.write:*',
    'jobs.rules.write:*',
    'notifications.destinations.write_any',
  )
  return member
}

async function idleType(): Promise<string> {
  const operator = await world.member()
  await world.give(operator, 'platform_operator')
  const type = `idle.${newId()}`
  const body = { schema_version: 1, parameters_schema: { type: 'object' } }
  await asks(operator)('PUT', `/v1/job-types/${type}`, body)
  return type
}

/** What acts: subscriptions, schedules, rules, jobs that wait, links; some of it made with an API key. */
async function setUp(who: Member, mark: string) {
  const ask = asks(who, mark)
  const type = await idleType()
  const permissions = ['links.links.create', 'links.links.read']
  const key = await ask('POST', '/v1/api-keys', { name: `key of ${mark}`, permissions })
  const link = (title: string, token?: string) =>
    ask('POST', '/v1/links', { destination_url: `https://www.example.com/${mark}`, title }, token)
  const own = await link(mark)
  const by_key = await link(`by key, ${mark}`, key.body.key)
  const subscription = await ask('POST', '/v1/webhook-subscriptions', {
    endpoint: `http://127.0.0.1:${receiver.port}/${mark}`,
    event_filter: { types: ['*'] },
    api_version: '2026-01',
    description: `for ${mark}`,
  })
  const at = `/v1/webhook-subscriptions/${subscription.body.id}`
  await eventually('the challenge is answered', async () => {
    return (await ask('GET', at)).body.state === 'active'
  })
  const schedule = `nightly-${newId().slice(-6)}`
  const parameters = { of: mark }
  await ask('PUT', `/v1/job-schedules/${schedule}`, { type, cron: '0 3 * * *', parameters })
  const where = [{ at: '/data/account_id', is: 'eq', value: mark }]
  const rule = { event: 'account.verified', where, job: { type, parameters } }
  await ask('PUT', `/v1/job-rules/${schedule}`, rule)
  const job = await ask('POST', '/v1/jobs', { type, schema_version: 1, parameters })
  await ask('POST', `/v1/users/${who.id}/destinations`, {
    channel: 'email',
    address: `second-${mark}@example.test`,
  })
  return { links: [own, by_key].map(one => one.body.short_url as string), at, job: job.body }
}

const File = Type.Object({ relation: Type.String() })

/** Tables in which a text stands, in any column: as text, JSON, a member of a list, or bytes. */
async function tablesWith(mark: string): Promise<string[]> {
  const tables = await db.many(
    File,
    sql`
      select format('%I.%I', n.nspname, c.relname) as relation
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
      order by 1`,
  )
  const bytes = Buffer.from(mark).toString('hex')
  const found: string[] = []
  for (const { relation } of tables) {
    const [schema = '', table = ''] = relation.replaceAll('"', '').split('.')
    const { has } = await db.one(
      Type.Object({ has: Type.Boolean() }),
      sql`
        select exists (select from ${sql.id(schema, table)} t
          where lower(t::text) like ${`%${mark}%`} or t::text like ${`%${bytes}%`}) as has`,
    )
    if (has) found.push(relation)
  }
  return found
}

async function objectsWith(mark: string): Promise<string[]> {
  const files = await readdir(world.data_dir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const file of files.filter(one => one.isFile())) {
    const path = join(file.parentPath, file.name)
    const bytes = await readFile(path).catch(() => Buffer.alloc(0)) // it went while we looked
    if (path.includes(mark) || bytes.includes(mark)) found.push(path)
  }
  return found
}

const surfacesOf = (tables: readonly string[]) =>
  [...new Set(tables.map(one => one.split('.')[0] ?? ''))].toSorted()

/** What lies in the other surfaces: a file, a payment, a notification. */
async function leave(who: Member, mark: string) {
  const ask = asks(who, mark)
  const filename = `${mark}.txt`
  const stored = await world.store(who, Buffer.from(`the file of ${mark}`), { filename })
  expect(stored.state).toBe('available')
  const metadata = { of: mark }
  await ask('PATCH', '/v1/users/me', { display_name: `Ada ${mark}`, bio: mark })
  await askOwnDocuments(ask, mark)
  const post = await ask('POST', '/v1/posts', { body: `hello ${mark}` })
  await ask('PATCH', `/v1/posts/${post.body.id}`, { body: `edited ${mark}` })
  await ask('POST', `/v1/posts/${post.body.id}/comments`, { body: `comment ${mark}` })
  await ask('POST', '/v1/inferences', {
    model: 'default',
    input: `Write to ${mark}.`,
    parameters: { metadata },
  })
  await ask('POST', '/v1/payment-intents', { amount_minor: 500, currency: 'EUR', metadata })
  const cart = await ask('POST', '/v1/carts', { currency: 'EUR' })
  const city = { city: 'Berlin', postal_code: '10969', country: 'DE' }
  const shipping_address = { name: `Ada ${mark}`, line1: 'Lindenstraße 12', ...city }
  await ask('PUT', `/v1/carts/${cart.body.id}`, { shipping_address })
  const friend = await world.member(who.tenant)
  const room = { type: 'group', member_ids: [friend.id] }
  const { body } = await ask('POST', '/v1/conversations', room)
  await ask('POST', `/v1/conversations/${body.id}/messages`, { body: `Yours, ${mark}` })
  const gpx = { conversation_id: body.id, filename: `${mark}.gpx`, expected_size: 10 }
  await ask('POST', '/v1/attachments/uploads', gpx)
  const [template, templates] = [`t-${newId()}`, '/v1/notification-templates']
  const in_app = { title: 'Hello {{ name }}', body: 'For {{ name }}' }
  await ask('POST', templates, { name: template, default_locale: 'en', channels: { in_app } })
  await ask('POST', `${templates}/${template}/versions/1/publish`)
  await ask('POST', '/v1/notifications', {
    recipient: { user_id: who.id },
    category: 'order.updates',
    template: { name: template },
    data: { name: mark },
    metadata,
  })
  await eventually('the notification is in the inbox', async () => {
    return (await tablesWith(mark)).includes('notifications.inbox_items')
  })
}

/** A test of commerce erases their keys: rare-endings. */
const with_orders = ['commerce.orders', 'commerce.returns', 'commerce.shipments']

/** What of an export holds the mark, by surface and kind. */
async function nothingLeft(look: () => Promise<string[]>): Promise<void> {
  const gone = async () => (await look()).length === 0
  await eventually('nothing is left', gone).catch(() => {})
  expect(await look()).toEqual([])
}

test('what is kept of a person is handed out by all surfaces, and nowhere once they are erased', async () => {
  const mark = `zq${newId().replaceAll('-', '').slice(-16)}`
  const who = await person(mark)
  const ask = asks(who)
  await setUp(who, mark)
  await leave(who, mark)

  const every = ['kernel', ...Object.keys(world.platform.opened)].toSorted()
  expect(surfacesOf(await tablesWith(mark))).toEqual(every)
  expect(await objectsWith(mark)).not.toEqual([])
  const [columns, keyed] = await keyColumns(db, mark)
  expect([...keyed, ...with_orders].toSorted()).toEqual(columns)
  const exported = await ask('GET', '/v1/me/export')
  expect(kindsIn(exported, mark)).toEqual([
    'chat.message',
    'commerce.cart',
    'identity.account',
    'identity.api_key',
    'inference.inference',
    'jobs.job',
    'jobs.job_rule',
    'jobs.job_schedule',
    'links.link',
    'links.link',
    'notifications.inbox_item',
    'notifications.notification',
    'notifications.notification_destination',
    'payments.payment',
    'retrieval.answer',
    'retrieval.connector',
    'retrieval.evaluation',
    'social.comment',
    'social.post',
    'social.profile',
    'uploads.file',
    'uploads.upload',
    'webhooks.webhook_subscription',
  ])
  expect(exported.text).not.toContain('ciphertext')
  expect(timesIn(exported).length).toBeGreaterThan(20)
  for (const time of timesIn(exported)) expect(time).toMatch(/^"[-\d]{10}T[:\d]{8}\.\d{3}Z"$/)

  await ask('DELETE', `/v1/accounts/${who.id}`)
  await nothingLeft(() => tablesWith(mark))
  await nothingLeft(() => objectsWith(mark))
  const log = beside.output().split('\n')
  expect(log.filter(line => line.includes(mark))).toEqual([])
})

test('what a stranger had set up in an account ends when its owner proves the mailbox', async () => {
  const mark = `zq${newId().replaceAll('-', '').slice(-16)}`
  const squatter = await person(mark)
  const { links, at, job } = await setUp(squatter, mark)
  const owner = { ...squatter, password: 'another long and honest password' }
  const { tenant, email } = owner
  const reset = { email, tenant: tenant.slug }
  await world.call('POST', '/v1/password-reset-requests', { body: reset })
  const mails = await eventually('a reset is mailed', async () => {
    const found = await world.mails(email)
    return found.some(mail => mail.template === 'reset_password') && found
  })
  const token = mails.findLast(mail => mail.template === 'reset_password')?.token
  const body = { token, new_password: owner.password }
  expect((await world.call('POST', '/v1/password-resets', { body })).status).toBe(204)

  const back = await world.login(owner)
  const ask = asks({ token: back.body.access_token as string })
  const kept = await ask('POST', '/v1/links', { destination_url: 'https://www.example.com/mine' })
  await eventually('the links of the stranger lead nowhere', async () => {
    const codes = links.map(url => `${world.base_url}/${url.split('/').at(-1) ?? ''}`)
    const answers = await Promise.all(codes.map(url => world.fetch(url)))
    return answers.every(answer => answer.status >= 400)
  })
  await eventually('all surfaces have stopped what was made before', async () => {
    const open = await db.many(
      File,
      sql`
        select surface as relation from kernel.erasures
        where account_id = ${owner.id} and (erased_at is null or due_at is not null)`,
    )
    return open.length === 0
  })
  expect((await ask('GET', at)).body).toMatchObject({ state: 'disabled' })
  expect((await ask('GET', '/v1/job-schedules')).body.data).toMatchObject([{ enabled: false }])
  expect((await ask('GET', '/v1/job-rules')).body.data).toMatchObject([{ state: 'disabled' }])
  const links_now = (await ask('GET', '/v1/links')).body.data as { state: string }[]
  expect(links_now.map(one => one.state).toSorted()).toEqual(['active', 'disabled'])
  expect((await ask('GET', `/v1/jobs/${job.id}`)).body.state).toBe('cancelled')
  expect((await ask('GET', `/v1/users/${owner.id}/destinations`)).body.data).toEqual([])
  const code = (kept.body.short_url as string).split('/').at(-1) ?? ''
  expect((await world.fetch(`${world.base_url}/${code}`)).status).toBe(302)
})
