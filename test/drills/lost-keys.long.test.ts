/**
 * The keys are lost: the platform does not start, so that nothing is sealed under new keys beside what
 * the old ones sealed; with the keys of a backup it goes on where it was.
 */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { databaseStopped, newInstallation, tellerOf } from '../../src/cli/test/installation.ts'
import { call } from '../world.ts'

const place = newInstallation()
afterAll(() => place.close())

test('without its keys the platform does not start; with those of a backup it goes on', async () => {
  const data = place.data('data')
  const first = await place.platform(data)
  const token = await tellerOf(data)
  const body = { name: 'savings', balance_minor: 100 }
  const made = await call(first.url, 'POST', '/v1/book/accounts', { token, body })
  expect(made.status).toBe(201)
  const backup = place.data('backup')
  expect((await place.begin(data, ['backup', 'create', backup]).outcome).code).toBe(0)
  await first.kill('SIGTERM')
  await databaseStopped(data)

  await rename(join(data, 'keys.json'), join(data, 'keys.lost'))
  await expect(place.platform(data)).rejects.toThrow(
    /is not the one that this database has been used with/,
  )
  await databaseStopped(data)

  const restored = place.data('restored')
  const restoring = await place.begin(restored, ['backup', 'restore', backup]).outcome
  expect(restoring.code, restoring.err).toBe(0)
  await rm(join(data, 'keys.json'), { force: true })
  await rename(join(restored, 'keys.json'), join(data, 'keys.json'))
  const again = await place.platform(data)
  const path = `/v1/book/accounts/${made.body.id}`
  const read = await call(again.url, 'GET', path, { token })
  expect([read.status, read.body?.balance_minor]).toEqual([200, 100])
  expect((await place.run(data, ['doctor'])).code).toBe(0)
  await again.kill('SIGTERM')
})
