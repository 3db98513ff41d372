/** An application that is tested with the kit alone, as a product team tests its own. */
import { app } from '../../src/index.ts'
import { leads } from '../surfaces/leads/surface.ts'

export default app({
  surfaces: [leads],
  settings: { LEADS_LEADS_MOST: '50' },
  public: new URL('./public/', import.meta.url),
})
