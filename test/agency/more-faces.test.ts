/** Notices, jobs, people and files as a surface of an application may call them. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { count } from '../../src/kernel/events/test/process.ts'
import { eventually, newKey, type Member, type World } from '../../src/testing/entry.ts'
import { openAgency, portsOf, type Ports } from './agency-world.ts'

let world: World
let ports: Ports
let alice: Member
let bob: Member
/** Of another tenant. */
let eve: Member
beforeAll(async () => {
  world = await openAgency()
  ports = portsOf(world)
  alice = await world.member()
  bob = await world.member(alice.tenant)
  eve = await world.member()
})
afterAll(() => world.close())

const commit = <T>(work: (tx: Tx) => Promise<T>) => world.platform.kernel.db.tx(work)
describe('a notice', () => {
  const notice = (more: object = {}) => ({
    tenant_id: alice.tenant.id,
    user_id: bob.id,
    key: newId(),
    category: 'agency.deals',
    template: 'notice',
    data: { subject: 'Hello', paragraphs: ['A'] },
    ...more,
  })
  const tell = (more: object) => commit(tx => ports.messages.notify(tx, notice(more)))

  test('reaches people of the tenant, once for each key', async () => {
    const key = newId()
    await tell({ key })
    await tell({ key })
    const rows = sql`from notifications.notification_intents where idempotency_key = ${`probe:${key}`}`
    expect(await count(world.db, rows)).toBe(1)
    await expect(tell({ user_id: eve.id })).rejects.toMatchObject({ code: 'user_not_found' })
  })

  test('is never one of the platform about the security of an account', async () => {
    const said = { code: 'unknown_category' }
    await expect(tell({ category: 'identity.security' })).rejects.toMatchObject(said)
    await expect(tell({ category: 'agency.nothing' })).rejects.toMatchObject(said)
    await expect(tell({ template: 'agency.nothing' })).rejects.toMatchObject({
      code: 'template_not_found',
    })
  })

  test('has a category that people see and choose, and that no tenant can replace', async () => {
    const path = '/v1/notification-categories/agency.deals'
    await world.give(alice, 'tenant_admin')
    const { token } = (await world.login(alice)).body
    const admin = { token: (token ?? alice.token) as string }
    expect((await world.call('GET', path, admin)).body).toMatchObject({ built_in: true })
    const body = { class: 'marketing', default_channels: ['email'] }
    const put = await world.call('PUT', path, { ...admin, body })
    expect([put.status, put.body.code]).toEqual([409, 'category_built_in'])
  })
})

describe('a job', () => {
  const plan = (id: string, more: object = {}) => ({
    id,
    tenant_id: alice.tenant.id,
    type: 'demo.count',
    principal_id: alice.id,
    parameters: { to: 1 },
    ...more,
  })
  test('of the same order is one, also at once; another order with its id is refused', async () => {
    const id = newId()
    const made = await Promise.all(
      Array.from({ length: 5 }, () => commit(tx => ports.jobs.submit(tx, plan(id)))),
    )
    expect(made.filter(one => !one.existing)).toHaveLength(1)
    const other = commit(tx => ports.jobs.submit(tx, plan(id, { parameters: { to: 2 } })))
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    const foreign = commit(tx => ports.jobs.submit(tx, plan(id, { tenant_id: eve.tenant.id })))
    await expect(foreign).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    const seen = { tenant_id: eve.tenant.id, job_id: id }
    expect(await ports.jobs.view(world.db, seen)).toBeUndefined()
    expect(await commit(tx => ports.jobs.cancel(tx, seen))).toBe('absent')
  })

  test('is none of another surface that does not offer it', async () => {
    const given = plan(newId(), { type: 'agency.plan_deal' })
    await expect(commit(tx => ports.jobs.submit(tx, given))).rejects.toMatchObject({
      code: 'unknown_job_type',
    })
  })
})

test('it knows names and languages of people, and no address', async () => {
  const { recipients } = ports.people
  const ids = [bob.id, eve.id, newId()]
  const found = await recipients(world.db, alice.tenant.id, ids)
  expect(found).toEqual([{ principal_id: bob.id, id: bob.id, display_name: null, locale: null }])
})

describe('a file', () => {
  async function store(who: Member, purpose: string): Promise<string> {
    const bytes = Buffer.from(`a paper of ${newId()}`)
    const body = { purpose, media_category: 'any', expected_size: bytes.length, filename: 'a.txt' }
    const { token } = who
    const made = await world.call('POST', '/v1/uploads', { token, body })
    expect(made.status, made.text).toBe(201)
    const { upload_url, upload_headers, id } = made.body
    const sent = await fetch(upload_url.replace('http://dodeca.test', world.url), {
      method: 'PUT',
      body: bytes,
      headers: upload_headers ?? {},
    })
    expect(sent.ok).toBe(true)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const done = { token, key: newKey(), body: { checksum: `sha256:${hash}` } }
    const completed = await world.call('POST', `/v1/uploads/${id}/complete`, done)
    expect(completed.status, completed.text).toBeLessThan(300)
    const { file_id } = completed.body
    await eventually('the file is available', async () => {
      const { body: file } = await world.call('GET', `/v1/files/${file_id}`, { token })
      return file.state === 'available'
    })
    return file_id as string
  }

  test('of a declared purpose is read, signed and removed by the surface', async () => {
    const file_id = await store(alice, 'probe.paper')
    const key = { tenant_id: alice.tenant.id, file_id }
    const { url, filename } = await ports.files.signDownload(world.db, key)
    expect(filename).toBe('a.txt')
    const got = await fetch(url.replace('http://dodeca.test', world.url))
    expect(await got.text()).toMatch(/^a paper of/)
    expect((await ports.files.read(key))?.size).toBeGreaterThan(10)
    const foreign = { tenant_id: eve.tenant.id, file_id }
    await expect(ports.files.signDownload(world.db, foreign)).rejects.toMatchObject({
      code: 'file_not_found',
    })
    expect(await ports.files.read(foreign)).toBeUndefined()
    await commit(tx => ports.files.remove(tx, key))
    expect(await ports.files.read(key)).toBeUndefined()
  })

  test('of another purpose is not there for it', async () => {
    const key = { tenant_id: alice.tenant.id, file_id: await store(alice, 'generic') }
    expect(await ports.files.read(key)).toBeUndefined()
    await expect(ports.files.signDownload(world.db, key)).rejects.toThrow()
    await expect(commit(tx => ports.files.remove(tx, key))).rejects.toThrow()
    const noReaders = () => Promise.resolve(new Set<string>())
    expect(() => ports.files.plugReaders('avatar', noReaders)).toThrow(/does not declare/)
    expect(() => ports.files.plugReaders('agency.contract', noReaders)).toThrow(/does not declare/)
  })

  test.each(['probe.nothing', 'constructor', '__proto__'])(
    'of the purpose %s is refused',
    async purpose => {
      const body = { purpose, media_category: 'any', expected_size: 5 }
      const { status } = await world.call('POST', '/v1/uploads', { token: alice.token, body })
      expect(status).toBe(422)
    },
  )
})
