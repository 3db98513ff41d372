/** The composition root: loads the surfaces of an application, and puts them together. */
import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '#dodeca/kernel'
import { namesOf, ownSurfaces, type App } from './app.ts'
import { compose, type Openable } from './runtime/compose-surfaces.ts'
import type { Composition } from './runtime/platform-parts.ts'
import type { PublicFolder } from './runtime/public-files.ts'
import { bodyFaults } from './runtime/own-bodies.ts'
import { pathFaults } from './runtime/reserved-names.ts'
import type { SurfaceName } from './runtime/surface-names.ts'

const surfaces: Readonly<Record<SurfaceName, (app: App) => Promise<Openable>>> = {
  identity: async () => (await import('./surfaces/identity/surface.ts')).identity,
  jobs: async () => (await import('./surfaces/jobs/surface.ts')).jobs,
  uploads: async () => (await import('./surfaces/uploads/surface.ts')).uploads,
  notifications: async () => (await import('./surfaces/notifications/surface.ts')).notifications,
  payments: async ({ providers }) =>
    (await import('./surfaces/payments/surface.ts')).paymentsWith(providers?.payments),
  commerce: async () => (await import('./surfaces/commerce/surface.ts')).commerce,
  links: async () => (await import('./surfaces/links/surface.ts')).links,
  social: async () => (await import('./surfaces/social/surface.ts')).social,
  chat: async () => (await import('./surfaces/chat/surface.ts')).chat,
  inference: async () => (await import('./surfaces/inference/surface.ts')).inference,
  retrieval: async () => (await import('./surfaces/retrieval/surface.ts')).retrieval,
  webhooks: async () => (await import('./surfaces/webhooks/surface.ts')).webhooks,
}

/** A surface that is off is not loaded. Relative paths of the application begin in `folder`. */
export async function composeApp(app: App, folder = process.cwd()): Promise<Composition> {
  const own = ownSurfaces(app)
  const loaded: Openable[] = []
  // The surfaces are loaded one after another. Node keeps the compiled code that it read from its
  // cache until a flush. Together they took 26 MB of it, and the process kept that memory for good.
  flushCompileCache()
  for (const name of namesOf(app)) {
    loaded.push(await surfaces[name](app))
    flushCompileCache()
  }
  const composed = compose(loaded, own.map(withOwnPaths))
  return app.public === undefined ? composed : { ...composed, public: publicOf(app.public, folder) }
}

function publicOf(given: NonNullable<App['public']>, folder: string): PublicFolder {
  const { dir, csp } = typeof given === 'string' || given instanceof URL ? { dir: given } : given
  return { dir: dir instanceof URL ? fileURLToPath(dir) : resolve(folder, dir), csp }
}

/** The paths of a surface are known once it is open. */
function withOwnPaths(surface: Openable): Openable {
  return {
    ...surface,
    open: (kernel, needs) => {
      const opened = surface.open(kernel, needs)
      const routes = opened.routes ?? []
      const paths = routes.map(({ path }) => path)
      const faults = [...pathFaults(surface.name, paths), ...routes.flatMap(bodyFaults)]
      if (faults.length > 0) throw new StartError(faults.join('\n'))
      return opened
    },
  }
}
