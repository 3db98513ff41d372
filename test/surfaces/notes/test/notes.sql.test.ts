/** What is particular to notes: how many one account keeps, and when drafts and deleted notes go. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { count } from '../../../../src/kernel/events/test/process.ts'
import { retain } from '../../../../src/kernel/work/retention.ts'
import { openWorld, type Person, type World } from '../../../world.ts'
import { expireDrafts } from '../notes/expire-drafts.ts'
import { settings } from '../settings.ts'

let world: World
const never = new AbortController().signal
beforeAll(async () => {
  world = await openWorld({ NOTES_NOTES_PER_ACCOUNT: '5', ROLES: 'api' })
})
afterAll(() => world.close())

async function writer(): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  return person
}

const write = ({ token }: Person, kind = 'plain') =>
  world.call('POST', '/v1/notes', { token, body: { title: 'a note', kind } })

test('20 at once: as many notes as the limit allows, and room again after a deletion', async () => {
  const person = await writer()
  const answers = await Promise.all(Array.from({ length: 20 }, () => write(person)))
  const made = answers.filter(one => one.status === 201)
  expect(made).toHaveLength(5)
  expect(new Set(answers.map(one => one.body.code))).toEqual(new Set([undefined, 'quota_exceeded']))
  const path = `/v1/notes/${made[0]?.body.id}`
  await world.call('DELETE', path, { token: person.token })
  expect((await write(person)).status).toBe(201)
  expect((await write(await writer())).status).toBe(201)
})

test('a draft expires with its event, and a deleted note is removed when it is not needed any more', async () => {
  const person = await writer()
  const { id } = (await write(person, 'draft')).body
  const { id: plain } = (await write(person)).body
  const { kernel, opened } = world.platform
  const deps = { kernel: world.platform.kernelFor({ settings }), vendor_url: world.vendor.url }
  const age = (column: 'created_at' | 'deleted_at', days: number) =>
    kernel.db.run(sql`
      update notes.notes
      set ${sql.id(column)} = ${sql.id(column)} - make_interval(days => ${days}::int)
      where tenant_id = ${person.principal.tenant_id}`)
  const left = (which: string) => count(kernel.db, sql`from notes.notes where id = ${which}`)
  await age('created_at', 31)
  await expireDrafts(deps, never)
  const read = (which: string) =>
    world.call('GET', `/v1/notes/${which}`, { token: person.token }).then(one => one.status)
  expect([await read(id), await read(plain)]).toEqual([404, 200])
  const events = sql`from kernel.outbox_events where type = 'note.expired' and aggregate_id = ${id}`
  expect(await count(kernel.db, events)).toBe(1)
  const declared = opened['notes']?.retention ?? []
  await retain(kernel, declared, never)
  expect(await left(id)).toBe(1)
  await age('deleted_at', 31)
  await retain(kernel, declared, never)
  expect([await left(id), await left(plain)]).toEqual([0, 1])
})

test('demo notes are made once', async () => {
  const { opened } = world.platform
  const demo = { id: newId(), slug: 'acme', member: newId(), owner: newId(), accounts: [] }
  expect(await opened['notes']?.seed?.([demo])).toEqual(['3 notes (acme)'])
  expect(await opened['notes']?.seed?.([demo])).toEqual([])
})
