/** A start that fails says why, also if what had begun cannot be undone. */
import { expect, test } from 'vitest'
import { testComposition, testConfig } from '../../../test/composition.ts'
import { openWorld } from '../../../test/world.ts'
import type { Composition } from '../platform-parts.ts'
import { start } from '../start.ts'

test('its reason is the error, and not the one of the stop', async () => {
  const world = await openWorld({})
  const { VENDOR_URL: vendor_url = '', ...environment } = world.environment
  const usual = testComposition(vendor_url)
  const failing: Composition = {
    ...usual,
    open: kernelFor => {
      const { opened, ...rest } = usual.open(kernelFor)
      const close = () => Promise.reject(new Error('nothing can be closed'))
      return {
        ...rest,
        opened: { ...opened, last: { face: null, routes: [], close } },
        prepare: () => Promise.reject(new Error('nothing can be prepared')),
      }
    },
  }
  await expect(start(testConfig({}, environment), () => {}, failing)).rejects.toThrow('prepared')
  await world.close()
})
