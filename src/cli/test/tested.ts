/** The test surfaces as the command gets them, with a read model beside them that can be rebuilt. */
import { testComposition } from '../../../test/composition.ts'
import type { Composition } from '../../runtime/platform-parts.ts'
import type { Opened } from '#dodeca/kernel'

const tested = testComposition('http://127.0.0.1:9')
const shelf: Opened = {
  face: null,
  routes: [],
  projections: [
    {
      name: 'book.shelf',
      freshness_ms: 1000,
      rebuild: async (progress, signal) => {
        for (const done of [1, 2, 3, 4]) {
          signal.throwIfAborted()
          progress(done, 4)
          await Promise.resolve()
        }
      },
    },
  ],
}
export const composition: Composition = {
  surfaces: tested.surfaces,
  open: kernelFor => {
    const { opened, access } = tested.open(kernelFor)
    return { opened: { ...opened, shelf }, access }
  },
}

export { testConfig as config } from '../../../test/composition.ts'
