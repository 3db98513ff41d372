/** The parts of identity, opened once and connected here. */
import { openLocalRate, openReservedWords, openTxtLookup } from '#dodeca/kernel'
import type { Surface } from '#dodeca/kernel'
import { adviceOnOperators } from './advice-on-operators.ts'
import { openAccess } from './access.ts'
import { personalAccount } from './me/export-me.ts'
import { seed } from './seed.ts'
import { checks } from './checks.ts'
import { idleQueue } from './anonymous/erase-idle.ts'
import { openClientDocuments } from './clients/client-documents.ts'
import type { Deps } from './deps.ts'
import { recheckQueue } from './domains/recheck-domains.ts'
import { sealedConnectionSecrets } from './connections/connection.ts'
import { openOidc } from './oidc/relying-party.ts'
import { sealedForms } from './oidc/stored-forms.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face, Inside } from './face.ts'
import { readPeople } from './accounts/read-people.ts'
import { openFace } from './open-face.ts'
import { openAccessTokens } from './keys/access-tokens.ts'
import { openDenied } from './sessions/revocation-list.ts'
import { openSigningKeys, sealedSigningKeys } from './keys/signing-keys.ts'
import { openPasswordHasher, sealedPasswords } from './passwords/hash.ts'
import { advanceSigningKeys, signing_keys_topic } from './keys/rotate-signing-key.ts'
import { resetQueue } from './mfa/resets/reset-queue.ts'
import { sealedTotpSecrets } from './mfa/methods/totp.ts'
import { permissions } from './permissions.ts'
import { reference } from './reference.ts'
import { retention } from './retention.ts'
import { routes } from './routes.ts'
import { settings } from './settings.ts'
import { tenancy } from './tenancy.ts'

export const identity: Surface<Inside, unknown, typeof settings> = {
  name: 'identity',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  closed_to_scopes: true,
  open: kernel => {
    const keys = openSigningKeys(kernel)
    const denied = openDenied(kernel, keys)
    const tokens = openAccessTokens(kernel, keys, denied)
    const parts = {
      kernel,
      permissions: kernel.declared.permissions,
      hasher: openPasswordHasher(kernel),
      keys,
      tokens,
      denied,
      pace: openLocalRate({
        many:
          kernel.settings['identity.refreshes_per_minute'] * kernel.settings['kernel.rate_factor'],
        per_ms: 60_000,
      }),
    }
    const deps: Deps = {
      ...parts,
      access: openAccess(parts),
      oidc: openOidc(kernel),
      documents: openClientDocuments({ kernel, permissions: kernel.declared.permissions }),
      lookUpTxt: openTxtLookup(kernel, kernel.settings['identity.dns_servers']),
      reserved: openReservedWords(kernel, reserved_names),
    }
    const face = openFace(deps)
    const { grantsOf, membersOf } = face
    return {
      face,
      faceFor: (): Face => ({ grantsOf, membersOf, recipients: readPeople }),
      routes: routes(deps),
      loops: [
        {
          name: signing_keys_topic,
          every_ms: 10_000,
          topics: [signing_keys_topic],
          run: () => advanceSigningKeys(deps),
        },
      ],
      queues: [resetQueue(deps), recheckQueue(deps), idleQueue(deps)],
      signs: [denied.sign],
      retention: retention(kernel.settings),
      sealed: [
        ...sealedPasswords,
        sealedSigningKeys,
        sealedTotpSecrets,
        sealedConnectionSecrets,
        sealedForms,
      ],
      personal: personalAccount(deps),
      checks: checks(deps),
      seed: () => seed(deps),
      advice: () => adviceOnOperators(deps),
      close: async () => {
        await denied.stop()
      },
    }
  },
}

/** Host names of a platform whose tenants are named by the host (IDENTITY_TENANT_FROM). */
const reserved_names = ['app', 'auth', 'mail', 'root', 'smtp', 'system', 'platform', 'www']
