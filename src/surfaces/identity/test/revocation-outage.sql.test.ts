/** The ended sessions cannot be read for long. */
import { Writable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { openDb } from '../../../kernel/database/db.ts'
import { no_database } from '../../../kernel/database/log-failure.ts'
import { openLog } from '../../../kernel/observability/log.ts'
import { openSigningKeys } from '../keys/signing-keys.ts'
import { openDenied } from '../sessions/revocation-list.ts'
import { settings } from '../settings.ts'

const world = await openProductWorld({})
afterAll(() => world.close())

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
