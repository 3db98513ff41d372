/**
 * The `dodeca` command over the test surfaces, in a process of its own: the same code as the real one,
 * with a read model beside them that can be rebuilt.
 */
import { testComposition, testConfig } from '../../../test/composition.ts'
import { dodeca } from '../../cli.ts'
import type { Composition } from '../../runtime/composition.ts'
import type { Opened } from '../../kernel/surface.ts'

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
const composition: Composition = {
  surfaces: tested.surfaces,
  open: kernelFor => {
    const { opened, access } = tested.open(kernelFor)
    return { opened: { ...opened, shelf }, access }
  },
}

process.exitCode = await dodeca(
  process.argv.slice(2),
  () => Promise.resolve(composition),
  testConfig,
)
