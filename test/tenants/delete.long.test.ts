/** A tenant is deleted with its search indexes, also if the command is interrupted on the way. */
import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { deleteTenant } from '../../src/runtime/tenants/delete.ts'
import { exportTenant } from '../../src/runtime/tenants/export.ts'
import { stateOf } from '../../src/runtime/tenants/hold.ts'
import { importTenant } from '../../src/runtime/tenants/import.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import { onPlace } from '../../src/runtime/tenants/place.ts'
import type { Member } from '../product-world.ts'
import { eventually } from '../world.ts'
import { ask, openCells, type Cell } from './cells.ts'

let one: Cell
let other: Cell
beforeAll(async () => {
  ;[one, other] = await openCells({ RETRIEVAL_DEFAULT_PROFILE: 'hash-ngram-384@1' })
})
afterAll(async () => {
  await Promise.all([one?.close(), other?.close()])
})

const disable = ({ tenant }: Member) =>
  one.platform.kernel.db.run(sql`
    update identity.tenants set state = 'disabled' where id = ${tenant.id}`)

/** A document that is searched: its word stands in the files of the index. */
async function withDocument(who: Member, word: string): Promise<void> {
  await one.give(who, 'tenant_admin')
  const { id } = await ask(one, who, 'POST', '/v1/collections', { name: 'Handbook' })
  const text = `The word of this document is ${word}.`
  const document = { text, title: word }
  const { job_id } = await ask(one, who, 'POST', `/v1/collections/${id}/documents`, document)
  await eventually('the document is indexed', async () => {
    return (await ask(one, who, 'GET', `/v1/ingestion-jobs/${job_id}`)).status === 'succeeded'
  })
}

async function filesWith({ data_dir }: Cell, word: string): Promise<string[]> {
  const names = await readdir(data_dir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const file of names.filter(name => name.isFile())) {
    const path = join(file.parentPath, file.name)
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    if (bytes.includes(word)) found.push(path)
  }
  return found
}

test('no file has a word of a deleted tenant', async () => {
  const who = await one.member()
  const word = `zq${newId().slice(-12)}`
  await withDocument(who, word)
  expect(await filesWith(one, word)).not.toEqual([])
  await disable(who)
  const receipt = await deleteTenant(one.place, who.tenant.slug)
  expect(receipt.indexes).toBe(1)
  expect(await filesWith(one, word)).toEqual([])
})

const links = 3

async function withLinks(): Promise<Member> {
  const who = await one.member()
  const body = { destination_url: 'https://www.example.com/' }
  for (let n = 0; n < links; n++) await ask(one, who, 'POST', '/v1/links', body)
  return who
}

test('what belongs to a tenant only through its links is deleted with them', async () => {
  const who = await withLinks()
  const { db } = one.platform.kernel
  await db.run(sql`
    insert into links.daily_link_stats (domain_id, code, day, clicks)
    select domain_id, code, current_date, 7 from links.links where tenant_id = ${who.tenant.id}`)
  const count = async () => {
    const { n } = await db.one(
      Type.Object({ n: Type.Integer() }),
      sql`select count(*)::int as n from links.daily_link_stats where clicks = 7`,
    )
    return n
  }
  expect(await count()).toBe(links)
  await disable(who)
  const receipt = await deleteTenant(one.place, who.tenant.slug)
  expect([await count(), receipt.rows['links.daily_link_stats']]).toEqual([0, links])
})

/** Ends the deletion right after the rows of a table. */
const endAfter = (table: string) => (line: string) => {
  if (line.endsWith(` of ${table}.`)) throw new Error('interrupted')
}

test.each(['links.links', 'identity.tenants'])(
  'a deletion that was interrupted after %s is finished, with a receipt of all rows',
  async table => {
    const who = await withLinks()
    const { slug, id } = who.tenant
    await disable(who)
    await expect(deleteTenant(one.place, slug, endAfter(table))).rejects.toThrow('interrupted')
    // What is half deleted is neither served nor moved.
    expect(await onPlace(one.place, client => stateOf(client, id))).toMatchObject({
      state: 'frozen',
      deleting: true,
    })
    const move = { from: one.place, to: other.place, cell_url: other.url, scratch: one.data_dir }
    await expect(moveTenant(move, slug)).rejects.toThrow('is being deleted')
    const receipt = await deleteTenant(one.place, slug)
    expect(receipt.rows).toMatchObject({ 'links.links': links, 'identity.tenants': 1 })
    await expect(deleteTenant(one.place, slug)).rejects.toThrow('was deleted')
  },
)

test('a deletion that ends at its last step takes the mark of one cell from the bucket', async () => {
  const who = await one.member()
  const { id, slug } = who.tenant
  const { objects } = one.place
  const marks = [`tenants/${id}/${newId()}`, `tenants/${id}/${newId()}`]
  for (const mark of marks) await objects.put(mark, Buffer.from(mark))
  const place = {
    ...one.place,
    objects: {
      ...objects,
      engine: 's3' as const,
      delete: async (key: string) => {
        await objects.delete(key)
        throw new Error('interrupted')
      },
    },
  }
  await disable(who)
  await expect(deleteTenant(place, slug)).rejects.toThrow('interrupted')
  await expect(deleteTenant(place, slug)).rejects.toThrow('was deleted')
  const left = await Promise.all(marks.map(mark => objects.head(mark)))
  expect(left.filter(Boolean)).toHaveLength(1)
})

test('a deletion waits for events that are still given to many subscriptions', async () => {
  const who = await withLinks()
  const { db } = one.platform.kernel
  const event = sql`(select position from kernel.events
    where tenant_id = ${who.tenant.id} order by position limit 1)`
  const Position = Type.Object({ position: Type.Integer() })
  await eventually('the event is in the log', async () => await db.maybe(Position, event))
  await disable(who)
  one.platform.faults.set({ point: 'webhooks.fan_out_portion', action: 'throw', times: 1000 })
  await db.tx(async tx => {
    await tx.run(sql`
      insert into webhooks.fanouts (tenant_id, position, event_id)
      select tenant_id, position, id from kernel.events
      where position = ${event} and tenant_id = ${who.tenant.id}`)
    tx.wake('webhooks.fan_out_wide')
  })
  const deletion = deleteTenant(one.place, who.tenant.slug)
  await pause(6000)
  one.platform.faults.clear()
  one.platform.kernel.wake(['webhooks.fan_out_wide'])
  const { rows } = await deletion
  expect(rows['webhooks.fanouts']).toBeUndefined()
})

test('clicks from before the other cell existed are imported', async () => {
  const who = await withLinks()
  const { db } = one.platform.kernel
  const day = sql`(kernel.now() - interval '20 days')`
  await db.run(sql`select links.prepare_click_days(${day}::date, ${day}::date)`)
  await db.run(sql`
    insert into links.click_events
      (event_id, domain_id, code, occurred_at, coarse_context, batch_id)
    select gen_random_uuid(), domain_id, code, ${day}, '{}', gen_random_uuid()
    from links.links where tenant_id = ${who.tenant.id}`)
  const folder = await mkdtemp(join(one.data_dir, 'export-'))
  await exportTenant(one.place, who.tenant.slug, folder)
  const { tables } = await importTenant(other.place, folder)
  await rm(folder, { recursive: true })
  expect(tables['links.click_events']?.rows).toBe(links)
})

test('a text with all kinds of line ends is imported as it was', async () => {
  const who = await one.member()
  const text = 'one\u2028two\u2029three\nfour \\n five'
  const post = await ask(one, who, 'POST', '/v1/posts', { body: text, visibility: 'public' })
  const folder = await mkdtemp(join(one.data_dir, 'export-'))
  await exportTenant(one.place, who.tenant.slug, folder)
  await importTenant(other.place, folder)
  await rm(folder, { recursive: true })
  const login = await other.login(who)
  const there = { token: login.body.access_token as string }
  expect((await ask(other, there, 'GET', `/v1/posts/${post.id}`)).body).toBe(text)
})

test('two cells that have one tenant do not share its search indexes', async () => {
  const who = await one.member()
  await one.give(who, 'tenant_admin')
  await ask(one, who, 'POST', '/v1/collections', { name: 'Handbook' })
  const folder = await mkdtemp(join(one.data_dir, 'export-'))
  await exportTenant(one.place, who.tenant.slug, folder)
  await importTenant(other.place, folder)
  await rm(folder, { recursive: true })
  const Table = Type.Object({ table_id: Type.String() })
  const tableIn = async ({ platform }: Cell) =>
    (
      await platform.kernel.db.one(
        Table,
        sql`select table_id from retrieval.index_versions where tenant_id = ${who.tenant.id}`,
      )
    ).table_id
  expect(await tableIn(other)).not.toBe(await tableIn(one))
})

test('a tenant whose money is on its way is neither deleted nor moved until that has ended', async () => {
  const who = await one.member()
  const { id, slug } = who.tenant
  const { db } = one.platform.kernel
  const operation = newId()
  // Without a time it is due, an operator must decide about it.
  await db.run(sql`
    with intent as (
      insert into payments.payment_intents (tenant_id, id, amount_minor, currency, provider)
      values (${id}, ${newId()}, 500, 'EUR', 'stripe') returning tenant_id, id
    )
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, state, provider, amount_minor)
    select tenant_id, ${operation}, id, 'authorize', 'pending_provider', 'stripe', 500
    from intent`)
  await disable(who)
  await expect(deleteTenant(one.place, slug)).rejects.toThrow('operations of its payments are open')
  const move = { from: one.place, to: other.place, cell_url: other.url, scratch: one.data_dir }
  await expect(moveTenant(move, slug)).rejects.toThrow('operations of its payments are open')
  expect(await onPlace(one.place, client => stateOf(client, id))).toBeUndefined()
  await db.run(sql`
    update payments.payment_operations set state = 'failed', resolved_at = kernel.now()
    where tenant_id = ${id} and id = ${operation}`)
  const { rows } = await deleteTenant(one.place, slug)
  expect(rows['payments.payment_operations']).toBe(1)
})

test('a tenant with money that the provider holds is neither deleted nor moved', async () => {
  const who = await one.member()
  const { id, slug } = who.tenant
  const { db } = one.platform.kernel
  await db.run(sql`
    insert into payments.payment_intents (
      tenant_id, id, amount_minor, amount_authorized_minor, currency, provider, state)
    values (${id}, ${newId()}, 500, 500, 'EUR', 'stripe', 'authorized'),
      (${id}, ${newId()}, 500, 0, 'EUR', 'stripe', 'requires_action')`)
  await disable(who)
  const says = 'the provider holds money for its payments; capture or cancel them'
  await expect(deleteTenant(one.place, slug)).rejects.toThrow(says)
  const move = { from: one.place, to: other.place, cell_url: other.url, scratch: one.data_dir }
  await expect(moveTenant(move, slug)).rejects.toThrow(says)
  expect(await onPlace(one.place, client => stateOf(client, id))).toBeUndefined()
  await db.run(sql`
    update payments.payment_intents set state = 'cancelled'
    where tenant_id = ${id} and state = 'authorized'`)
  const { rows } = await deleteTenant(one.place, slug)
  expect(rows['payments.payment_intents']).toBe(2)
})
