/** Events and audit records are in the commit of their effect, in their order, or nowhere. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { openDb } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { openOutbox } from '../log/outbox.ts'
import { changed, declared } from './process.ts'

let ground: Clone
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(() => ground.drop())

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const Row = Type.Object({
  aggregate_id: Type.String(),
  aggregate_version: Type.Integer(),
  schema_version: Type.Integer(),
  payload: Type.Unknown(),
  traceparent: Type.Union([Type.String(), Type.Null()]),
})

let caller: { tenant_id: string; id: string } | null = { tenant_id: newId(), id: 'caller' }

function open() {
  let committed = 0
  const db = openDb({
    url: ground.url,
    pool: 2,
    wait_ms: 5000,
    check_rows: true,
    application_name: 'outbox',
    outbox: openOutbox(declared, {
      request_id: () => null,
      caller: () => caller,
      origin: () => ({ traceparent, written_by: 'POST /v1/things' }),
    }),
    committed: () => committed++,
    waited: () => {},
    lost: () => {},
  })
  const rows = (id: string) =>
    db.many(
      Row,
      sql`select aggregate_id, aggregate_version, schema_version, payload, traceparent
        from kernel.outbox_events where aggregate_id = ${id} order by seq`,
    )
  return { db, rows, commits: () => committed }
}

test('many events of one commit keep their order, their data and their trace', async () => {
  const { db, rows, commits } = open()
  const id = newId()
  await db.tx(async tx => {
    for (let n = 1; n <= 300; n++) tx.emit(changed(id, n))
    tx.audit('b', id, { by: { tenant_id: null, id: 'a' } })
    tx.audit('c', id, { reason: 'r' })
  })
  const found = await rows(id)
  expect(found.map(row => row.aggregate_version)).toEqual(
    Array.from({ length: 300 }, (_, i) => i + 1),
  )
  expect(found[4]).toEqual({
    aggregate_id: id,
    aggregate_version: 5,
    schema_version: 1,
    payload: { n: 5 },
    traceparent,
  })
  expect(commits()).toBe(1)
  const Act = Type.Object({
    actor: Type.String(),
    action: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()]),
  })
  const acts = await db.many(
    Act,
    sql`select actor, action, reason from kernel.audit_events where target = ${id} order by id`,
  )
  expect(acts).toEqual([
    { actor: 'a', action: 'b', reason: null },
    { actor: 'caller', action: 'c', reason: 'r' },
  ])
  await db.close()
})

test('an undeclared type and data that do not fit fail the whole commit', async () => {
  const { db, rows, commits } = open()
  const id = newId()
  const wrong = [
    { ...changed(id, 1), type: 'thing.imagined' },
    { ...changed(id, 1), data: { n: 'one' } },
  ]
  for (const event of wrong) {
    const work = db.tx(async tx => {
      tx.emit(changed(id, 1))
      tx.emit(event)
    })
    await expect(work).rejects.toThrow(/thing\.(imagined is not declared|changed do not fit)/)
  }
  expect(await rows(id)).toEqual([])
  expect(commits()).toBe(0)
  await db.close()
})

test('an audit record without an actor fails the commit', async () => {
  const { db, rows } = open()
  const id = newId()
  const before = caller
  caller = null
  const work = db.tx(async tx => {
    tx.emit(changed(id, 1))
    tx.audit('b', id)
  })
  await expect(work).rejects.toThrow('the audit record of b has no actor')
  caller = before
  expect(await rows(id)).toEqual([])
  await db.close()
})
