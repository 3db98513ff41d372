/** Which errors mean that the database is away. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { isUnavailable } from '../failures.ts'

test('a missing socket means that the database is away, a missing file does not', async () => {
  const [refused] = (await once(connect('/no/such/socket'), 'error').catch((error: unknown) => [
    error,
  ])) as [unknown]
  expect(refused).toMatchObject({ code: 'ENOENT' })
  expect(isUnavailable(refused)).toBe(true)
  const missing = await readFile('/no/such/file').catch((error: unknown) => error)
  expect(missing).toMatchObject({ code: 'ENOENT' })
  expect(isUnavailable(missing)).toBe(false)
})
