/**
 * What an application is made of. Its folder has a `dodeca.config.ts` that exports
 * `app({ surfaces: ['payments', crm] })`. Without this file the platform has its twelve surfaces.
 */
import { StartError } from '#dodeca/kernel'
import type { Environment } from './runtime/config.ts'
import type { Openable } from './runtime/compose-surfaces.ts'
import { nameFaults } from './runtime/reserved-names.ts'
import { surface_names, type SurfaceName } from './runtime/surface-names.ts'
import type { Face as Chat } from './surfaces/chat/face.ts'
import type { Face as Identity } from './surfaces/identity/face.ts'
import type { Face as Jobs } from './surfaces/jobs/face.ts'
import type { Face as Notifications } from './surfaces/notifications/face.ts'
import type { Face as Payments } from './surfaces/payments/face.ts'
import type { OwnPayments } from './surfaces/payments/provider/own-provider.ts'
import type { Face as Uploads } from './surfaces/uploads/face.ts'

/** Every other surface needs them. */
const always_on: readonly SurfaceName[] = ['identity', 'jobs', 'notifications']

export { surface_names }

declare module './kernel/faces.ts' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be filled elsewhere
  interface Faces {
    identity: Identity
    jobs: Jobs
    uploads: Uploads
    notifications: Notifications
    payments: Payments
    chat: Chat
  }
}

export type App = {
  /** Surfaces of the platform by name, and the application's own. Absent: all twelve. */
  readonly surfaces?: readonly (SurfaceName | Openable)[]
  /** Values of settings by the names of their variables. A variable of the environment wins. */
  readonly settings?: Environment
  /** Providers of the application, in the place of those of the platform. */
  readonly providers?: { readonly payments?: OwnPayments }
  /** The folder with the files of its front end, and their policy. */
  readonly public?: string | URL | { readonly dir: string | URL; readonly csp?: string }
}

export function app(given: App): App {
  return given
}

/** The surfaces of the platform that the application has. */
export function namesOf({ surfaces }: App): readonly SurfaceName[] {
  if (!surfaces) return surface_names
  const given = new Set<unknown>([...always_on, ...surfaces])
  return surface_names.filter(name => given.has(name))
}

/** The application's own surfaces. */
export function ownSurfaces({ surfaces = [] }: App): readonly Openable[] {
  const own: Openable[] = []
  for (const one of surfaces) {
    if (typeof one !== 'string') own.push(one)
    else if (!surface_names.includes(one)) {
      throw new StartError(
        `There is no surface ${one}. \`surfaces\` in dodeca.config.ts names ${surface_names.join(', ')}.`,
      )
    }
  }
  const faults = own.flatMap(nameFaults)
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  return own
}
