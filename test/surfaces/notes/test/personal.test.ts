/** Erasing an account erases what every surface keeps of it, whatever fails meanwhile; an export has all of it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, openWorld, type Person, type World } from '../../../world.ts'
import { sql, type Sql } from '#dodeca/kernel'
import { count } from '../../../../src/kernel/events/test/process.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function writer(notes: number): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  const { token } = person
  for (let n = 0; n < notes; n++) {
    const answer = await world.call('POST', '/v1/notes', { token, body: { title: `note ${n}` } })
    expect(answer.status).toBe(201)
  }
  return person
}

const accountOf = ({ principal }: Person) => ({
  account_id: principal.id,
  tenant_id: principal.tenant_id,
  principal_ids: [principal.id],
})
const notesOf = ({ principal }: Person) =>
  count(world.platform.kernel.db, sql`from notes.notes where owner_id = ${principal.id}`)
/** One row for each surface that stores personal data: none is left that the condition is true for. */
const none = async ({ principal }: Person, condition: Sql) =>
  (await count(
    world.platform.kernel.db,
    sql`from kernel.erasures where account_id = ${principal.id} and ${condition}`,
  )) === 0
const erased = (person: Person) => none(person, sql`erased_at is null`)

test('an export has every record of the person and none of another', async () => {
  const person = await writer(3)
  await writer(2)
  const records = []
  for await (const record of world.platform.kernel.personal.export(
    accountOf(person),
    new AbortController().signal,
  ))
    records.push(record)
  expect(records).toHaveLength(3)
  expect(records[0]).toMatchObject({ surface: 'notes', kind: 'note', data: { title: 'note 0' } })
})

test('what an erased person wrote goes, in portions; that of others stays', async () => {
  const { kernel } = world.platform
  const person = await writer(1)
  const other = await writer(1)
  await kernel.db.run(sql`
    insert into notes.notes (tenant_id, id, owner_id, title)
    select ${person.principal.tenant_id}, gen_random_uuid(), ${person.principal.id}, 'more'
    from generate_series(1, 250)`)
  const erase = () => kernel.db.tx(tx => kernel.personal.erase(tx, accountOf(person)))
  await erase()
  await erase()
  await eventually('all surfaces have erased', () => erased(person))
  expect([await notesOf(person), await notesOf(other)]).toEqual([0, 1])
})

test('what a request wrote beside the erasure goes some minutes later', async () => {
  const { kernel } = world.platform
  const person = await writer(1)
  await kernel.db.tx(tx => kernel.personal.erase(tx, accountOf(person)))
  await eventually('all surfaces have erased', () => erased(person))
  const { id, tenant_id } = person.principal
  await kernel.db.run(sql`
    insert into notes.notes (tenant_id, id, owner_id, title)
    values (${tenant_id}, gen_random_uuid(), ${id}, 'late')`)
  expect(await none(person, sql`(due_at is null or due_at <= kernel.now())`)).toBe(true)
  await kernel.db.run(sql`
    update kernel.erasures set due_at = kernel.now() where account_id = ${id} and due_at is not null`)
  await eventually('they have run', () => none(person, sql`due_at is not null`))
  expect(await notesOf(person)).toBe(0)
})

test('a surface that fails is retried, and a rollback erases nothing', async () => {
  const { kernel, faults } = world.platform
  const person = await writer(1)
  await kernel.db
    .tx(async tx => {
      await kernel.personal.erase(tx, accountOf(person))
      throw new Error('rolled back')
    })
    .catch(() => {})
  const rows = sql`from kernel.erasures where account_id = ${person.principal.id}`
  expect(await count(kernel.db, rows)).toBe(0)
  faults.set({ point: 'kernel.after_attempt', action: 'throw' })
  await kernel.db.tx(tx => kernel.personal.erase(tx, accountOf(person)))
  await eventually('each was tried', () => none(person, sql`attempts = 0`))
  expect(await none(person, sql`erased_at is not null`)).toBe(true)
  faults.clear()
  // Their leases end by themselves; here they end at once.
  await kernel.db.run(sql`
    update kernel.erasures set leased_until = now() where account_id = ${person.principal.id}`)
  await eventually('all surfaces have erased', () => erased(person))
  expect(await notesOf(person)).toBe(0)
})
