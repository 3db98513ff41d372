/**
 * `dodeca doctor enumeration` from the question to its report. What the report finds depends on the
 * machine, so it is not asserted here; compare.test.ts says what it means.
 */
import { afterAll, expect, test } from 'vitest'
import pg from 'pg'
import { cloneDatabase } from '../../../test/world.ts'
import { programOf } from '../../../test/process.ts'
import { newInstallation } from './installation.ts'

const place = newInstallation()
const clone = await cloneDatabase('product_template')
afterAll(async () => {
  await place.close()
  await clone.drop()
})

test('the time of answers is compared on a database of its own, which is gone afterwards', async () => {
  const env = {
    DATABASE_URL: clone.url,
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true',
    IDENTITY_HASH_MAX_MS: '1',
    IDENTITY_HASH_WAIT_MS: '30000',
  }
  const args = ['doctor', 'enumeration', '--json']
  const { code, out, err } = await place.begin(place.data('asked'), args, {
    entry: programOf('src/cli.ts'),
    env,
  }).outcome
  expect(err).toBe('')
  const report = JSON.parse(out) as { ok: boolean; checks: { check: string; found: string[] }[] }
  expect(code).toBe(report.ok ? 0 : 1)
  expect(report.checks.map(one => one.check)).toEqual(['enumeration'])
  const found = report.checks[0]?.found ?? []
  const asked = found.map(one => /^([a-z ]+): (?:NOT )?alike; median \d/.exec(one)?.[1])
  expect(asked).toEqual(['login', 'password reset', 'login code', 'register'])
  for (const one of found) expect(one).toMatch(/D 0\.\d{3}, p [01]\.\d{3} .* 200 pairs$/)
  expect(await left()).toEqual({ databases: 0, accounts: 0 })
}, 300_000)

async function left(): Promise<{ databases: number; accounts: number }> {
  const client = new pg.Client({ connectionString: clone.url })
  await client.connect()
  const { rows } = await client.query<{ databases: number; accounts: number }>(`
    select (select count(*)::int from pg_database where datname like 'dodeca\\_enumeration\\_%')
        as databases,
      (select count(*)::int from identity.accounts) as accounts`)
  await client.end()
  return rows[0] as { databases: number; accounts: number }
}
