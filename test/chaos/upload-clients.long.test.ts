/** Clients of uploads at full length: 10,000 requests that make no sense, and 1 GiB from a browser. */
import { describe, inject, test } from 'vitest'
import {
  browserIsInstalled,
  openBrowserWorld,
  sendFromPage,
} from '../../src/surfaces/uploads/test/browser-world.ts'
import { sendOddRequests } from '../../src/surfaces/uploads/test/odd-requests.ts'
import { openUploadWorld } from '../../src/surfaces/uploads/test/upload-world.ts'

const MiB = 1024 * 1024
const full = inject('chaos') === 'full'

test('whatever is sent, no answer is a 5xx', { timeout: 280_000 }, async () => {
  const world = await openUploadWorld()
  try {
    await sendOddRequests(world, full ? 10_000 : 2000)
  } finally {
    await world.close()
  }
})

describe.skipIf(!browserIsInstalled)('from a browser', () => {
  test('a file of 1 GiB arrives with progress', { timeout: 290_000 }, async () => {
    const at = await openBrowserWorld()
    try {
      await sendFromPage(at, (full ? 1024 : 128) * MiB)
    } finally {
      await at.close()
    }
  })
})
