/**
 * The clock of a machine jumps while the database's does not: work goes on, no lease ends early or late,
 * and doctor names the difference. libfaketime moves the clock of one process.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newInstallation, query, tellerOf } from '../../src/cli/test/installation.ts'
import { eventually } from '../world.ts'
import { startTransfers } from './transfers.ts'

const library = ['x86_64', 'aarch64']
  .map(machine => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find(file => existsSync(file))

describe.skipIf(library === undefined)('a clock that jumps', () => {
  const place = newInstallation()
  afterAll(() => place.close())

  test('two hours ahead and back: every transfer is made once and heard once', async () => {
    const data = place.data('data')
    // The database has the time of this machine.
    const holder = await place.platform(data, { ROLES: 'worker' })
    const token = await tellerOf(data)
    const file = join(place.folder, 'time')
    const set = (offset: string) => writeFile(file, `${offset}\n`)
    await set('+0')
    const moved = {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    const platform = await place.platform(data, { ROLES: 'api,worker', ...moved })
    const transfers = await startTransfers(platform.url, token)
    await transfers.more(50)
    for (const offset of ['+2h', '-2h', '+0']) {
      await set(offset)
      await transfers.more(50)
      if (offset === '+0') continue
      const doctor = await place.begin(data, ['doctor'], { env: moved }).outcome
      expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/clock/i)])
    }
    await transfers.stop()
    expect([...transfers.refused]).toEqual([])
    const [row] = await query<{ n: number; stored: number }>(
      data,
      `select count(*)::int as stored, count(distinct id)::int as n from book.transfers
      where id = any($1::uuid[])`,
      [transfers.confirmed],
    )
    const all = transfers.confirmed.length
    expect(row).toEqual({ n: all, stored: all })
    await eventually('every change is heard once and in order', async () => {
      const [{ behind } = { behind: -1 }] = await query<{ behind: number }>(
        data,
        `select count(*)::int as behind from book.accounts a
        left join book.heard h on h.tenant_id = a.tenant_id and h.account_id = a.id
        where a.version > 1 and (h.last_version is distinct from a.version
          or h.events is distinct from a.version - 1)`,
      )
      return behind === 0
    })
    await platform.kill('SIGTERM')
    await holder.kill('SIGTERM')
  }, 240_000)
})
