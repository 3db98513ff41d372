/** The product and the types that tests steer; for this process and for those that are killed. */
import type { Composition } from '../../../../runtime/composition.ts'
import type { Check, Opened } from '#dodeca/kernel'
import { composition } from '../../../../platform.ts'
import type { Face } from '../../face.ts'
import { toils } from './toils.ts'

export type Engined = { readonly face: Face; readonly checks: readonly Check[] }

export function engineComposition(onOpen: (engined: Engined) => void = () => {}): Composition {
  return {
    surfaces: composition.surfaces,
    open: kernelFor => {
      const all = composition.open(kernelFor)
      const { face, checks = [] } = all.opened['jobs'] as Opened<Face>
      face.offer(toils)
      onOpen({ face, checks })
      return all
    },
  }
}
