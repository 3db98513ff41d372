/** `dodeca doctor database` on the PostgreSQL of the tests. On three hosts: `test/chaos/database-failover`. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../test/product-world.ts'
import { commandsWith } from './in-process.ts'

const world = await openProductWorld({})
afterAll(() => world.close())

test('says what the server says of itself', async () => {
  const { checks } = await commandsWith(world.environment).json(['doctor', 'database'])
  const found = Object.fromEntries(
    checks.map((one: { says: string; state: string; found: string[] }) => [
      one.says,
      [one.state, ...one.found.slice(0, 1)],
    ]),
  )
  expect(found).toEqual({
    'PostgreSQL has a version that the platform supports': [
      'ok',
      expect.stringMatching(/^PostgreSQL \d+/),
    ],
    'The way to PostgreSQL is encrypted': ['ok', 'PostgreSQL is on this machine'],
    'A synchronous standby has each commit': ['warning', 'synchronous_standby_names is empty'],
    'The log is archived, so a moment can be restored': ['warning', 'archive_mode is off'],
    'PostgreSQL has free connections': [
      'ok',
      expect.stringMatching(/^\d+ of \d+ connections are in use$/),
    ],
    'Transaction ids are far from their end': ['ok', expect.stringContaining('million')],
    'Dead rows of the largest tables are removed': ['ok', expect.stringMatching(/\.\w+: \d+ MiB/)],
  })
  const all = await commandsWith(world.environment).json(['doctor', 'clock'])
  expect(all.checks).toHaveLength(1)
})
