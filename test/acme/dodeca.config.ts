/** An application with a payment provider of its own. */
import { app } from 'dodeca'
import { acme } from './provider.ts'

export default app({ surfaces: ['payments'], providers: { payments: acme } })
