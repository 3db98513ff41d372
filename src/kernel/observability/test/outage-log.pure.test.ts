/** What every request meets is written once, and then as a number. */
import { Writable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { openLog } from '../log.ts'
import { logOutage } from '../outage-log.ts'

test('writes the first failure, and counts what follows', async () => {
  const lines: { msg: string; count?: number }[] = []
  const to = new Writable({
    write: (line, _encoding, done) => {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const log = openLog({ level: 'info', readable: false, to })
  for (let n = 0; n < 100; n++) logOutage(log, { request_id: String(n) }, 'no database', 20)
  logOutage(log, {}, 'no mail', 20)
  expect(lines.map(({ msg }) => msg)).toEqual(['no database', 'no mail'])
  await vi.waitFor(() => expect(lines).toHaveLength(3))
  expect(lines[2]).toMatchObject({ msg: 'no database: repeated', count: 99 })
})
