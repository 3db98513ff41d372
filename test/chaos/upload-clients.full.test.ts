/** Clients of uploads at full length: 10,000 requests that make no sense, and 1 GiB from a browser. */
import { describe, expect, test } from 'vitest'
import {
  browserIsInstalled,
  openBrowserWorld,
  sendFromPage,
} from '../../src/surfaces/uploads/test/browser-world.ts'
import { sendOddRequests } from '../../src/surfaces/uploads/test/odd-requests.ts'
import { openUploadWorld } from '../../src/surfaces/uploads/test/upload-world.ts'

const MiB = 1024 * 1024

test('whatever is sent, no answer is a 5xx', { timeout: 280_000 }, async () => {
  const world = await openUploadWorld()
  try {
    expect(await sendOddRequests(world, 10_000)).toEqual([])
  } finally {
    await world.close()
  }
})

describe.skipIf(!browserIsInstalled)('from a browser', () => {
  test('a file of 1 GiB arrives with progress', { timeout: 290_000 }, async () => {
    const at = await openBrowserWorld()
    try {
      const { state, steps, wanted } = await sendFromPage(at, 1024 * MiB)
      expect(state).toBe(wanted)
      expect(steps).toBeGreaterThan(10)
    } finally {
      await at.close()
    }
  })
})
