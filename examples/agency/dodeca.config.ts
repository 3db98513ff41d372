/** What the application is made of: surfaces of the platform by name, and its own. */
import { app } from 'dodeca'
import { agency } from './surfaces/agency/surface.ts'

export default app({
  surfaces: ['uploads', 'payments', 'chat', 'webhooks', agency],
  public: './public/',
})
