/** The ended sessions cannot be read for long. */
import { Writable } from 'node:stream'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import type { Reader } from '#dodeca/kernel'
import { openDb } from '../../../kernel/database/db.ts'
import { no_database } from '../../../kernel/database/log-failure.ts'
import { openLog } from '../../../kernel/observability/log.ts'
import { openSigningKeys } from '../keys/signing-keys.ts'
import { openDenied } from '../sessions/revocation-list.ts'
import { settings } from '../settings.ts'

const world = await openProductWorld({})
const now = performance.now.bind(performance)
afterAll(() => world.close())
afterEach(() => vi.restoreAllMocks())

test('an outage that many requests meet is one line of the log', async () => {
  const lines: { msg: string }[] = []
  const to = new Writable({
    write: (line, _encoding, done) => {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const kernel = world.platform.kernelFor({ settings })
  const reserved = unreachable()
  const log = openLog({ level: 'info', readable: false, to })
  const denied = openDenied({ ...kernel, reserved, log }, openSigningKeys(kernel))
  for (let request = 0; request < 5; request++) await expect(denied.validate()).rejects.toThrow()
  await denied.stop()
  await reserved.close()
  expect(lines.map(({ msg }) => msg)).toEqual([no_database])
})

test('a process that stands still while it reads the list reads again, and refuses no caller', async () => {
  const kernel = world.platform.kernelFor({ settings })
  let still_ms = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + still_ms)
  const one: Reader['one'] = async (row, statement) => {
    const found = await kernel.reserved.one(row, statement)
    // Longer than a caller waits for the database, and only during the first read.
    still_ms = 60_000
    return found
  }
  const reserved = { ...kernel.reserved, one }
  const denied = openDenied({ ...kernel, reserved }, openSigningKeys(kernel))
  await denied.validate()
  expect(denied.isValid()).toBe(true)
  await denied.stop()
})

/** Nothing listens on the first port. */
function unreachable() {
  return openDb({
    url: 'postgres://127.0.0.1:1/none',
    pool: 1,
    wait_ms: 100,
    check_rows: true,
    application_name: 'unreachable',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
}
