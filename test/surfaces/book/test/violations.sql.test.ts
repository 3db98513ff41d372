/** A unique index that an operation violates is the refusal that declares it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, SqlState, sql } from '#dodeca/kernel'
import { catalogOf } from '../../../../src/kernel/errors/problem.ts'
import type { AnyContext, Route } from '../../../../src/kernel/http/contract/route.ts'
import { checkViolations, withViolations } from '../../../../src/kernel/http/server/violations.ts'
import { newKey, openWorld, type Person, type World } from '../../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function teller(): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'book.accounts.open')
  return person
}

const open = ({ token }: Person, number: string, key = newKey()) =>
  world.call('POST', '/v1/book/accounts', {
    token,
    key,
    body: { name: 'Till', balance_minor: 1, number },
  })

test('of twenty at once one succeeds, and the others get its code', async () => {
  const [one, other] = [await teller(), await teller()]
  const number = newId()
  const answers = await Promise.all(Array.from({ length: 20 }, () => open(one, number)))
  const codes = answers.map((answer): string => (answer.status === 201 ? 'made' : answer.body.code))
  expect(codes.sort()).toEqual([...Array<string>(19).fill('account_number_taken'), 'made'])
  expect((await open(other, number)).status).toBe(201)
})

test('it is an outcome of its key, and shows no value of the row', async () => {
  const one = await teller()
  const [number, key] = [newId(), newKey()]
  await open(one, number)
  const refused = await open(one, number, key)
  expect(refused).toMatchObject({ status: 409, body: { code: 'account_number_taken' } })
  expect(refused.text).not.toContain(number)
  await world.platform.kernel.db.run(sql`
    update book.accounts set number = null where tenant_id = ${one.principal.tenant_id}`)
  const again = await open(one, number, key)
  expect([again.status, again.body.code]).toEqual([409, 'account_number_taken'])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('an index that no error of the operation names stays as it is', async () => {
  const catalog = catalogOf([
    { taken: { status: 409, title: 'Taken', violated: ['accounts_number'] } },
  ])
  const { db } = world.platform.kernel
  const { tenant_id } = (await teller()).principal
  const insert = async () => {
    for (const id of [newId(), newId()]) {
      await db.run(sql`
        insert into book.accounts (tenant_id, id, name, balance_minor, number)
        values (${tenant_id}, ${id}, 'Till', 1, 'A')`)
    }
    throw new Error('both were inserted')
  }
  const route = (...fails: string[]) =>
    withViolations({ fails, handle: insert } as unknown as Route, catalog)
  const run = async (one: Route) => await one.handle?.({} as AnyContext)
  await expect(run(route('taken'))).rejects.toMatchObject({ code: 'taken', status: 409 })
  await expect(run(route('quota_exceeded'))).rejects.toBeInstanceOf(SqlState)
})

test('a constraint that does not exist, or is checked at the commit, stops the start', async () => {
  const { db } = world.platform.kernel
  const naming = (name: string) =>
    catalogOf([{ taken: { status: 409, title: 'Taken', violated: [name] } }])
  await db.run(sql`
    create table book.turns (turn int constraint turns_turn unique deferrable initially deferred)`)
  try {
    await expect(checkViolations(db, naming('accounts_number'))).resolves.toBeUndefined()
    await expect(checkViolations(db, naming('accounts_numbers'))).rejects.toThrow(
      'The error taken names the constraint accounts_numbers, which does not exist.',
    )
    await expect(checkViolations(db, naming('turns_turn'))).rejects.toThrow('not deferrable')
  } finally {
    await db.run(sql`drop table book.turns`)
  }
})
