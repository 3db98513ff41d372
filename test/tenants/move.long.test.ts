/**
 * A tenant moves to another cell under load and is deleted in the old one. Its clients lose no
 * acknowledged write and double none; those of another tenant see nothing of it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { directClient } from '../../src/kernel/database/direct.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import type { Member } from '../product-world.ts'
import { call, eventually, newKey } from '../world.ts'
import { ask, download, openCells, upload, type Cell } from './cells.ts'

let old: Cell
let fresh: Cell
beforeAll(async () => {
  ;[old, fresh] = await openCells()
})
afterAll(async () => {
  await Promise.all([old.close(), fresh.close()])
})

/** Shortens URLs until it is stopped; the same request is sent again until it is answered. */
class Client {
  readonly codes: string[] = []
  readonly refused = new Set<number>()
  readonly failed: string[] = []
  readonly #home: string
  #cell: Cell
  #token: string
  #stopping = false
  #running: Promise<void> | undefined
  readonly #who: Member

  constructor(cell: Cell, who: Member) {
    this.#cell = cell
    this.#who = who
    this.#token = who.token
    this.#home = cell.url
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  get moved(): boolean {
    return this.#cell.url !== this.#home
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const key = newKey()
      const body = { destination_url: `https://www.example.com/${newId()}` }
      for (;;) {
        const answer = await call(this.#cell.url, 'POST', '/v1/links', {
          token: this.#token,
          key,
          body,
        })
        if (answer.status === 201) {
          this.codes.push(answer.body.code as string)
          break
        }
        this.refused.add(answer.status)
        // Gone here at last: as the router does, ask the other cell.
        const gone = answer.status === 401 && !this.moved
        if (gone || answer.headers.get('x-cell') === fresh.url) await this.#change()
        else if (answer.status === 503) await pause(50)
        else {
          this.failed.push(answer.text)
          return
        }
      }
    }
  }

  /** Each cell signs access tokens with its own keys; the session itself has moved. */
  async #change(): Promise<void> {
    this.#cell = fresh
    const { session_id, refresh_token } = this.#who
    const answer = await call(fresh.url, 'POST', `/v1/sessions/${session_id}/refresh`, {
      body: { refresh_token },
    })
    if (answer.status !== 200) throw new Error(`no refresh: ${answer.text}`)
    this.#token = answer.body.access_token as string
  }
}

/** Something in each surface that needs no provider. */
async function live(cell: Cell, who: Member, other: Member) {
  const file = Buffer.from(`the file of ${who.id}`)
  const file_id = await upload(cell, who, file)
  const found = await eventually('the file can be read', async () => {
    return (await download(cell, who, file_id)) ?? false
  })
  expect(found.toString()).toBe(file.toString())
  await cell.allow(who, 'jobs.jobs.submit:demo.count', 'jobs.jobs.read:demo.count')
  const job = await ask(cell, who, 'POST', '/v1/jobs', {
    type: 'demo.count',
    parameters: { to: 2 },
  })
  await eventually('the job ends', async () => {
    return (await ask(cell, who, 'GET', `/v1/jobs/${job.id}`)).state === 'succeeded'
  })
  const post = await ask(cell, who, 'POST', '/v1/posts', { body: 'here', visibility: 'public' })
  const room = { type: 'group', title: 'Room', member_ids: [other.id] }
  const { id } = await ask(cell, who, 'POST', '/v1/conversations', room)
  await ask(cell, who, 'POST', `/v1/conversations/${id}/messages`, { body: 'hello' })
  const cart = await ask(cell, who, 'POST', '/v1/carts', { currency: 'EUR' })
  return {
    file,
    file_id,
    paths: [`/v1/posts/${post.id}`, `/v1/carts/${cart.id}`, `/v1/jobs/${job.id}`],
  }
}

test('a tenant moves under load and is deleted where it was', async () => {
  const who = await old.member()
  const friend = await old.member(who.tenant)
  const stranger = await old.member()
  const { file, file_id, paths } = await live(old, who, friend)
  // A document with a number that the new cell has not given yet.
  await old.platform.kernel.db.run(sql`
    select setval(pg_get_serial_sequence('retrieval.documents', 'no'), 1000)`)
  await old.give(who, 'tenant_admin')
  const { id } = await ask(old, who, 'POST', '/v1/collections', { name: 'Handbook' })
  const { job_id } = await ask(old, who, 'POST', `/v1/collections/${id}/documents`, {
    text: 'One.',
  })
  await eventually('the document is indexed', async () => {
    return (await ask(old, who, 'GET', `/v1/ingestion-jobs/${job_id}`)).status === 'succeeded'
  })
  const before = await Promise.all(paths.map(path => ask(old, who, 'GET', path)))
  const [moving, staying] = [new Client(old, who), new Client(old, stranger)]
  moving.start()
  staying.start()
  await eventually('both write', () => moving.codes.length > 20 && staying.codes.length > 20)

  const move = { from: old.place, to: fresh.place, cell_url: fresh.url, scratch: old.data_dir }
  const steps: string[] = []
  const receipt = await moveTenant(move, who.tenant.slug, line => void steps.push(line))
  // The finished move is named where it is asked for again.
  await expect(moveTenant(move, who.tenant.slug)).rejects.toThrow(`it moved to ${fresh.url}`)
  // Only tables with rows are named.
  expect(steps.length).toBeLessThan(3 * Object.keys(receipt.rows).length + 10)
  const written = [moving.codes.length, staying.codes.length] as const
  await eventually('the tenant writes in the new cell', () => {
    return moving.moved && moving.codes.length > written[0] + 20
  })
  await eventually('the other one goes on', () => staying.codes.length > written[1] + 20)
  await Promise.all([moving.stop(), staying.stop()])
  expect([moving.failed, staying.failed]).toEqual([[], []])
  expect(moving.refused).toContain(503)
  expect([...staying.refused]).toEqual([])

  // All that was acknowledged is in the new cell, once.
  const links = await fresh.platform.kernel.db.many(
    Type.Object({ code: Type.String() }),
    sql`select code from links.links where tenant_id = ${who.tenant.id} order by code`,
  )
  expect(links.map(({ code }) => code)).toEqual([...moving.codes].sort())
  const login = await fresh.login(who)
  expect(login.status, login.text).toBe(201)
  const there = { ...who, token: login.body.access_token as string }
  const after = await Promise.all(paths.map(path => ask(fresh, there, 'GET', path)))
  expect(after).toEqual(before)
  expect((await download(fresh, there, file_id))?.toString()).toBe(file.toString())

  for (const { table, highest, given } of await numbersOf(fresh)) {
    expect(given, table).toBeGreaterThanOrEqual(highest)
  }

  expect(receipt.rows['links.links']).toBeGreaterThan(20)
  expect(receipt.rows['links.links']).toBeLessThan(moving.codes.length)
  expect(receipt.objects).toBeGreaterThan(0)
  expect(await tracesOf(old, who.tenant.id)).toEqual(
    ['kernel.audit_events', 'kernel.events', 'kernel.tenant_states'].filter(
      name => name !== 'kernel.audit_events' || receipt.kept[name],
    ),
  )
  expect((await download(fresh, there, file_id))?.toString()).toBe(file.toString())
  // The other tenant is as before.
  expect((await old.call('GET', '/v1/links', { token: stranger.token })).status).toBe(200)
})

type Numbers = { readonly table: string; readonly highest: number; readonly given: number }

/** For each column with numbers of the cell: the highest one, and the last one of its sequence. */
async function numbersOf({ platform }: Cell): Promise<Numbers[]> {
  const { db } = platform.kernel
  const columns = await db.many(
    Type.Object({ table: Type.String(), column: Type.String(), given: Type.Integer() }),
    sql`
      select a.attrelid::regclass::text as table, a.attname as column, coalesce(
        pg_sequence_last_value(pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)), 0
      )::bigint as given
      from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
      where a.attidentity <> '' and not c.relispartition`,
  )
  return await Promise.all(
    columns.map(async ({ table, column, given }) => {
      const highest = await db.one(
        Type.Object({ n: Type.Integer() }),
        sql`select coalesce(max(${sql.id(column)}), 0)::bigint as n from ${sql.id(...table.split('.'))}`,
      )
      return { table, highest: highest.n, given }
    }),
  )
}

/** The tables in which the id of the tenant stands anywhere. */
async function tracesOf(cell: Cell, tenant_id: string): Promise<string[]> {
  const client = directClient(cell.database_url, 'test')
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
      [cell.place.schemas],
    )
    const found: string[] = []
    for (const { name } of rows) {
      const { rowCount } = await client.query(
        `select from ${name} t where t::text like '%' || $1 || '%' limit 1`,
        [tenant_id],
      )
      if (rowCount) found.push(name)
    }
    return found
  } finally {
    await client.end()
  }
}
