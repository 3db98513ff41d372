/** A reminder takes effect once: over two processes, through a vendor in trouble, and through a crash. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { count } from '../../../../src/kernel/events/test/process.ts'
import { killedAt } from '../../../crash.ts'
import { startProcess } from '../../../process.ts'
import { eventually, openWorld, type Person, type World } from '../../../world.ts'

let world: World
beforeAll(async () => {
  // Only processes that a test starts work on the queue.
  world = await openWorld({ ROLES: 'api' })
})
afterAll(() => world.close())

async function remind({ token }: Person, title: string): Promise<string> {
  const body = { title, remind_at: '2026-01-01T00:00:00Z' }
  const answer = await world.call('POST', '/v1/notes', { token, body })
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function writer(): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  return person
}

const db = () => world.platform.kernel.db
const events = (id: string) =>
  count(
    db(),
    sql`from (
      select id from kernel.events where type = 'note.reminded' and aggregate_id = ${id}
      union select id from kernel.outbox_events
        where type = 'note.reminded' and aggregate_id = ${id}) e`,
  )
const effects = (id: string) => world.vendor.effects.filter(one => one.operation_id === id).length

test('two processes send each reminder once, also where the vendor is in trouble', async () => {
  const person = await writer()
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => remind(person, `note ${n}`)))
  const refused = await remind(person, 'forbidden')
  world.vendor.trouble = ['drop_before', 'busy', 'drop_after']
  const workers = await Promise.all(
    [1, 2].map(() => startProcess({ ...world.environment, ROLES: 'worker' })),
  )
  for (const id of ids) await eventually('the reminder', async () => (await events(id)) > 0)
  for (const id of ids) expect([await events(id), effects(id)]).toEqual([1, 1])
  const dead = sql`from notes.reminders
    where note_id = ${refused} and due_at is null and last_error_code = 'vendor_refused'`
  await eventually('the refused one is dead', async () => (await count(db(), dead)) === 1)
  for (const one of workers) await one.kill()
})

test.each(['kernel.after_attempt', 'kernel.before_settled'])(
  'killed at %s: sent once and settled once, by the next process',
  async point => {
    const person = await writer()
    let id = ''
    await killedAt(world, point, async () => {
      id = await remind(person, 'a note')
    })
    const worker = await startProcess({ ...world.environment, ROLES: 'worker' })
    await eventually('the reminder', async () => (await events(id)) > 0)
    expect([await events(id), effects(id)]).toEqual([1, 1])
    const left = sql`from notes.reminders where note_id = ${id}`
    expect(await count(db(), left)).toBe(0)
    await worker.kill()
  },
)
