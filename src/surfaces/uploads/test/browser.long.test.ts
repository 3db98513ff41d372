/** A browser of another origin: the page of the documents, and Uppy as an independent client. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  browserIsInstalled,
  openBrowserWorld,
  sendFromPage,
  type BrowserWorld,
} from './browser-world.ts'

const MiB = 1024 * 1024

describe.skipIf(!browserIsInstalled)('in a browser', () => {
  let at: BrowserWorld
  beforeAll(async () => {
    at = await openBrowserWorld()
  })
  afterAll(() => at.close())

  test('the page of the documents sends a large file with progress', async () => {
    const { state, steps, wanted } = await sendFromPage(at, 40 * MiB)
    expect(state).toBe(wanted)
    expect(steps).toBeGreaterThan(3)
  })

  test('Uppy sends parts, retries one that failed, and completes', async () => {
    const who = await at.world.member()
    const content = 'x'.repeat(9 * MiB)
    const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`
    const hash = new URLSearchParams({ api: at.world.base_url, token: who.token, checksum })
    const page = await at.openPage(`/uppy.html#${hash}`)
    await page.waitForFunction('window.ready === true')
    expect(await page.evaluate(`window.done('x'.repeat(${content.length}), 'from-uppy.bin')`)).toBe(
      1,
    )
    const list = await at.world.call('GET', '/v1/files', { token: who.token })
    expect(list.body.data).toMatchObject([{ filename: 'from-uppy.bin', checksum }])
    await page.close()
  })
})
