/** A surface of several releases, in which one field is renamed without breaking a caller. */
import type { Surface } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { routes } from './routes.ts'
import type { LettersRelease } from './schemas.ts'

/** `migrations` holds the files that the release knows. */
export function letters(
  release: LettersRelease,
  migrations: URL,
): Surface<Face, Record<never, never>> {
  return {
    name: 'letters',
    settings: {},
    migrations,
    permissions: {
      'letters.letters.write': { says: 'Write a letter', roles: ['member'] },
      'letters.letters.read': { says: 'Read a letter', roles: ['member'] },
    },
    errors,
    events,
    open: () => ({ face: {}, routes: routes(release) }),
  }
}
