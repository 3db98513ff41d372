/** What the application is made of: surfaces of the platform by name, and its own. */
import { app, surface_names } from 'dodeca'
import { hello } from './surfaces/hello/surface.ts'

export default app({ surfaces: [...surface_names, hello] })
