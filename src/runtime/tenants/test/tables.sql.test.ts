/** Every table belongs to the tenants or to the cell, and none is forgotten by a move. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { directClient, type DirectClient } from '../../../kernel/database/direct.ts'
import { composition } from '../../../platform.ts'
import { migrationSources } from '../../start.ts'
import { tenancyOf, tenantTables } from '../tables.ts'

let database: Clone
let client: DirectClient
beforeAll(async () => {
  database = await cloneDatabase('product_template')
  client = directClient(database.url, 'test')
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const schemas = migrationSources(composition).map(({ schema }) => schema)
const tenancy = tenancyOf(composition)
const unknown_id = '019c8f3a-5b20-7d41-9e6b-2f1c40d7a961'

test('every table of the product has a tenant, or a reason why not', async () => {
  const tables = await tenantTables(client, schemas, tenancy)
  const cell = Object.entries(tenancy).filter(([, one]) => 'cell' in one)
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition`,
    [schemas],
  )
  expect(tables.length + cell.length).toBe(rows[0]?.n)
})

test('a table comes after those that it refers to', async () => {
  const names = (await tenantTables(client, schemas, tenancy)).map(({ name }) => name)
  for (const [first, second] of [
    ['identity.tenants', 'identity.accounts'],
    ['identity.accounts', 'identity.sessions'],
    ['payments.ledger_accounts', 'payments.ledger_entries'],
  ] as const) {
    expect(names.indexOf(first), second).toBeLessThan(names.indexOf(second))
    expect(names).toContain(first)
  }
})

test('the conditions of all tables are valid SQL', async () => {
  for (const table of await tenantTables(client, schemas, tenancy)) {
    const { name, rows, exported, deleted, guests, ends } = table
    const conditions = [rows, exported, deleted, guests && `(${rows}) and (${guests})`]
    if (ends !== null) await client.query(ends, [unknown_id])
    for (const where of conditions) {
      if (where === null) continue
      const asked = client.query(`select from ${name} t where ${where} limit 1`, [unknown_id])
      await expect(asked, name).resolves.toMatchObject({ rowCount: 0 })
    }
  }
})

test('a new table without a tenant is noticed, and so is a declaration without a table', async () => {
  await client.query('create table links.forgotten (id uuid primary key)')
  const more = { ...tenancy, 'links.gone': { cell: 'it was dropped' } }
  await expect(tenantTables(client, schemas, more)).rejects.toThrow(
    /links\.gone is declared, but there is no such table.*links\.forgotten has no tenant_id/,
  )
  await client.query('drop table links.forgotten')
})
