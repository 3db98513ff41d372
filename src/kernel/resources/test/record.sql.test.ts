/**
 * A record against a real table: what its statements store and refuse, and that races end with one
 * winner and no lost change.
 */
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { open, useDatabase } from '../../database/test/doors.ts'
import type { Db } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { nullable, oneOf, text } from '../../http/contract/shapes.ts'
import { newId } from '../../ids.ts'
import { defaulted, given, once, shown } from '../fields.ts'
import { record } from '../record.ts'

useDatabase()
beforeAll(async () => {
  const { db } = open()
  await db.run(sql`create schema crm`)
  await db.run(sql`
    create table crm.deals (
      tenant_id uuid not null, id uuid not null, owner_id uuid not null,
      name text not null, tags text[] not null, facts jsonb not null, note text,
      currency text not null, state text not null, hidden int not null default 7,
      version bigint not null default 1,
      created_at timestamptz not null default kernel.now(),
      updated_at timestamptz not null default kernel.now(),
      deleted_at timestamptz,
      primary key (tenant_id, id))`)
})

const deal = record('crm.deals', {
  noun: 'deal',
  tombstone: true,
  fields: {
    name: given(text(100)),
    tags: defaulted(Type.Array(text(20)), []),
    facts: defaulted(Type.Record(Type.String(), Type.Unknown()), {}),
    note: defaulted(nullable(text(100)), null),
    currency: once(text(3)),
    state: shown(oneOf('open', 'won', 'lost'), 'open'),
  },
})
const example = { name: 'Roof', currency: 'EUR' }
const scopeOf = () => ({ tenant_id: newId(), owner_id: newId() })
const code = (error: unknown) => (error as { code?: string }).code
const refusal = (work: Promise<unknown>) => work.then(() => 'done', code)

async function made(values = {}) {
  const { db } = open()
  const scope = scopeOf()
  const row = await db.tx(tx => deal.insert(tx, scope, { ...example, ...values }))
  return { db, scope, row }
}

test('the shapes follow from the fields', () => {
  expect(Object.keys(deal.view.properties)).toEqual([
    'id',
    'name',
    'tags',
    'facts',
    'note',
    'currency',
    'state',
    'version',
    'created_at',
    'updated_at',
  ])
  expect(deal.create.required).toEqual(['name', 'currency'])
  expect(Object.keys(deal.change.properties)).toEqual(['name', 'tags', 'facts', 'note'])
  expect(deal.change.required ?? []).toEqual([])
  expect([deal.view, deal.create, deal.change]).toMatchObject([
    { title: 'Deal' },
    { title: 'CreateDeal' },
    { title: 'ChangeDeal' },
  ])
})

describe('insert', () => {
  test('stores what is given, the defaults of the record and those of the table', async () => {
    const { db, scope, row } = await made({ tags: ['a', 'b'], facts: { size: 3 } })
    expect(row).toMatchObject({
      ...example,
      tags: ['a', 'b'],
      facts: { size: 3 },
      note: null,
      state: 'open',
      version: 1,
    })
    expect(await deal.required(db, scope, row.id)).toEqual(row)
    const Hidden = Type.Object({ hidden: Type.Integer() })
    const stored = sql`select hidden from crm.deals where id = ${row.id}`
    expect(await db.one(Hidden, stored)).toEqual({ hidden: 7 })
  })

  test('takes the id of its caller, and columns beside the fields', async () => {
    const { db, scope } = await made()
    const id = newId()
    const set = { hidden: sql`3 + 4 * 10` }
    const row = await db.tx(tx => deal.insert(tx, scope, example, { id, set }))
    expect(row.id).toBe(id)
    const Hidden = Type.Object({ hidden: Type.Integer() })
    const stored = sql`select hidden from crm.deals where id = ${id}`
    expect(await db.one(Hidden, stored)).toEqual({ hidden: 43 })
  })

  test('ignores what is no field, and misses what is required', async () => {
    const more: object = {
      hidden: 1,
      tenant_id: newId(),
      version: 9,
      ['__proto__']: { state: 'won' },
    }
    const { row } = await made(JSON.parse(JSON.stringify(more)) as object)
    expect(row).toMatchObject({ version: 1, state: 'open' })
    await expect(made({ name: undefined })).rejects.toThrow('name is required')
  })
})

describe('find', () => {
  test('sees no row of another tenant, of another owner, or that was removed', async () => {
    const { db, scope, row } = await made()
    const others = [
      { ...scope, tenant_id: newId() },
      { ...scope, owner_id: newId() },
    ]
    for (const other of others) {
      expect(await deal.find(db, other, row.id)).toBeUndefined()
      expect(await refusal(deal.required(db, other, row.id))).toBe('deal_not_found')
    }
    expect(await deal.find(db, { tenant_id: scope.tenant_id }, row.id)).toEqual(row)
    await db.tx(tx => deal.remove(tx, scope, row.id))
    expect(await deal.find(db, scope, row.id)).toBeUndefined()
  })
})

describe('update', () => {
  test('changes what is given and keeps the rest', async () => {
    const { db, scope, row } = await made({ note: 'first', tags: ['a'] })
    const changed = await db.tx(tx => deal.update(tx, scope, row.id, { note: null }))
    expect(changed).toEqual({ ...row, note: null, version: 2, updated_at: changed.updated_at })
  })

  test('of nothing changes nothing, but checks If-Match', async () => {
    const { db, scope, row } = await made()
    const change = (if_match?: string) =>
      db.tx(tx => deal.update(tx, scope, row.id, {}, { if_match }))
    expect(await change()).toEqual(row)
    expect(await change('"1"')).toEqual(row)
    expect(await refusal(change('"2"'))).toBe('precondition_failed')
  })

  test('from another state is refused, also when ten try at once', async () => {
    const { db, scope, row } = await made()
    const win = () =>
      db.tx(tx => deal.update(tx, scope, row.id, { state: 'won' }, { from: { state: 'open' } }))
    const answers = await Promise.all(Array.from({ length: 10 }, () => refusal(win())))
    const lost = answers.filter(one => one !== 'done')
    expect(lost).toEqual(Array(9).fill('invalid_transition'))
    expect((await deal.required(db, scope, row.id)).version).toBe(2)
  })

  test('of one version by two ends with one change', async () => {
    const { db, scope, row } = await made()
    const rename = (name: string) =>
      db.tx(tx => deal.update(tx, scope, row.id, { name }, { if_match: '"1"' }))
    const answers = await Promise.all([refusal(rename('A')), refusal(rename('B'))])
    expect(answers.toSorted()).toEqual(['done', 'precondition_failed'])
  })

  test('keeps what the change has written for which it waited', async () => {
    const { db, scope, row } = await made()
    const first = Promise.withResolvers<undefined>()
    const held = db.tx(async tx => {
      await deal.update(tx, scope, row.id, { name: 'Wall' })
      await first.promise
    })
    const second = db.tx(tx => deal.update(tx, scope, row.id, { note: 'seen' }))
    await eventually('the second change waits', () => waits(db))
    first.resolve(undefined)
    await held
    expect(await second).toMatchObject({ name: 'Wall', note: 'seen', version: 3 })
  })

  test('reaches no row of another tenant or owner', async () => {
    const { db, scope, row } = await made()
    for (const other of [
      { ...scope, tenant_id: newId() },
      { ...scope, owner_id: newId() },
    ]) {
      const change = db.tx(tx => deal.update(tx, other, row.id, { name: 'Mine' }))
      expect(await refusal(change)).toBe('deal_not_found')
    }
    expect(await deal.required(db, scope, row.id)).toEqual(row)
  })
})

describe('remove', () => {
  test('leaves a tombstone, so that a second one is no failure', async () => {
    const { db, scope, row } = await made()
    const remove = (if_match?: string) => db.tx(tx => deal.remove(tx, scope, row.id, { if_match }))
    expect(await refusal(remove('"9"'))).toBe('precondition_failed')
    expect(await remove('"1"')).toMatchObject({ id: row.id, version: 2 })
    expect(await remove('"1"')).toBeUndefined()
    expect(await refusal(db.tx(tx => deal.remove(tx, scope, newId())))).toBe('deal_not_found')
    const change = db.tx(tx => deal.update(tx, scope, row.id, { name: 'Late' }))
    expect(await refusal(change)).toBe('deal_not_found')
  })

  test('deletes the row of a record without tombstones', async () => {
    const { db, scope, row } = await made()
    const plain = record('crm.deals', { noun: 'deal', fields: deal.fields })
    expect(await db.tx(tx => plain.remove(tx, scope, row.id))).toEqual(row)
    expect(await refusal(db.tx(tx => plain.remove(tx, scope, row.id)))).toBe('deal_not_found')
  })
})

test('a locked row waits for the end of the transaction', async () => {
  const { db, scope, row } = await made()
  const done = Promise.withResolvers<undefined>()
  const held = db.tx(async tx => {
    expect(await deal.lock(tx, scope, row.id)).toEqual(row)
    await done.promise
  })
  const change = db.tx(tx => deal.update(tx, scope, row.id, { name: 'After' }))
  await eventually('the change waits', () => waits(db))
  done.resolve(undefined)
  await held
  expect((await change).version).toBe(2)
})

test('a column that a later migration adds stops no statement', async () => {
  const { db, scope, row } = await made()
  await db.run(sql`alter table crm.deals add column later int`)
  const changed = await db.tx(tx => deal.update(tx, scope, row.id, { name: 'Later' }))
  expect(changed.version).toBe(2)
  expect((await db.tx(tx => deal.insert(tx, scope, example))).name).toBe('Roof')
})

async function waits(db: Db): Promise<boolean> {
  const locked = sql`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return (await db.many(Type.Object({ pid: Type.Integer() }), locked)).length > 0
}
