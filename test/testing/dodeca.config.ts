/** An application that is tested with the kit alone, as a product team tests its own. */
import { app } from '../../src/app.ts'
import { leads } from '../surfaces/leads/surface.ts'

export default app({ surfaces: [leads], settings: { LEADS_LEADS_MOST: '50' } })
