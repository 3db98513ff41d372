/** Identity as the kernel sees it: its parts are opened once and wired together here. */
import type { PermissionCatalog } from '../../kernel/access/permissions.ts'
import type { Surface } from '../../kernel/surface.ts'
import { openAccess } from './access.ts'
import { personalAccount } from './accounts/personal.ts'
import { seed } from './administration/seed.ts'
import { checks } from './checks.ts'
import type { Deps } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { openFace } from './open-face.ts'
import { openAccessTokens } from './keys/access-tokens.ts'
import { openDenied } from './sessions/revocation-list.ts'
import { openSigningKeys } from './keys/signing-keys.ts'
import { loops } from './loops.ts'
import { openMailSender } from './mails/sender.ts'
import { openPasswordHasher } from './passwords/hash.ts'
import { permissions } from './permissions.ts'
import { routes } from './routes.ts'
import { openPace } from './sessions/pace.ts'
import { openThrottle } from './throttle.ts'
import { settingFaults, settings } from './settings.ts'

export type Needs = {
  /** Of all surfaces: roles and API keys may hold any permission of the platform. */
  readonly permissions: PermissionCatalog
}

export const identity: Surface<Face, Needs, typeof settings> = {
  name: 'identity',
  settings,
  settingFaults,
  migrations: new URL('./migrations/', import.meta.url),
  permissions,
  errors,
  events,
  open: (kernel, needs) => {
    const keys = openSigningKeys(kernel)
    const denied = openDenied(kernel, keys)
    const tokens = openAccessTokens(kernel, keys, denied)
    const parts = {
      kernel,
      permissions: needs.permissions,
      hasher: openPasswordHasher(kernel),
      keys,
      tokens,
      denied,
      throttle: openThrottle(kernel),
      pace: openPace(
        kernel.settings['identity.refreshes_per_minute'] * kernel.settings['kernel.rate_factor'],
        () => kernel.metrics.rateLimited.inc({ class: 'auth' }),
      ),
    }
    const deps: Deps = { ...parts, access: openAccess(parts) }
    const mails = openMailSender(kernel)
    return {
      face: openFace(deps),
      routes: routes(deps),
      consumers: [
        {
          // The mail itself is sent after the commit, by whoever claims its row.
          name: 'identity.mail',
          events: ['identity_mail.requested'],
          run: async tx => tx.afterCommit(mails.kick),
        },
      ],
      loops: [...loops(deps), { name: 'identity.mails', every_ms: 5000, run: mails.run }],
      personal: personalAccount(deps),
      checks: checks(deps),
      seed: () => seed(deps),
      close: async () => {
        await mails.close()
        await denied.stop()
      },
    }
  },
}
