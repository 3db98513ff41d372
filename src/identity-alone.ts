/**
 * The platform of a command that needs only identity. The other surfaces are known by their
 * permissions, which roles may have, and by their migrations, which the database must have. They are
 * not loaded: that takes a second of processor time.
 */
import { namesOf, ownSurfaces, type App } from './app.ts'
import { compose } from './runtime/compose-surfaces.ts'
import type { Composition } from './runtime/platform-parts.ts'
import type { SurfaceName } from './runtime/surface-names.ts'
import type { Surface } from '#dodeca/kernel'
import { permissions as chat } from './surfaces/chat/permissions.ts'
import { permissions as commerce } from './surfaces/commerce/permissions.ts'
import { identity } from './surfaces/identity/surface.ts'
import { permissions as inference } from './surfaces/inference/permissions.ts'
import { permissions as jobs } from './surfaces/jobs/permissions.ts'
import { permissions as links } from './surfaces/links/permissions.ts'
import { permissions as notifications } from './surfaces/notifications/permissions.ts'
import { permissions as payments } from './surfaces/payments/permissions.ts'
import { permissions as retrieval } from './surfaces/retrieval/permissions.ts'
import { permissions as social } from './surfaces/social/permissions.ts'
import { permissions as uploads } from './surfaces/uploads/permissions.ts'
import { permissions as webhooks } from './surfaces/webhooks/permissions.ts'

const others: Readonly<Record<Exclude<SurfaceName, 'identity'>, Surface['permissions']>> = {
  jobs,
  uploads,
  notifications,
  payments,
  commerce,
  links,
  social,
  chat,
  inference,
  retrieval,
  webhooks,
}

export function composeIdentity(app: App): Composition {
  const known = namesOf(app)
    .filter(name => name !== 'identity')
    .map(name => ({
      name,
      permissions: others[name],
      migrations: new URL(`./surfaces/${name}/migrations/`, import.meta.url),
      settings: {},
      errors: {},
      events: {},
    }))
  return { ...compose([identity]), surfaces: [identity, ...known, ...ownSurfaces(app)] }
}
