/** The parts of identity, opened once and connected here. */
import { openLocalRate, openReservedWords, openTxtLookup, sql } from '#dodeca/kernel'
import type { PermissionCatalog, Retention, Surface } from '#dodeca/kernel'
import { adviceOnOperators } from './advice-on-operators.ts'
import { openAccess } from './access.ts'
import { personalAccount } from './me/export-me.ts'
import { seed } from './seed.ts'
import { checks } from './checks.ts'
import type { Deps } from './deps.ts'
import { recheckQueue } from './domains/recheck-domains.ts'
import { sealedConnectionSecrets } from './connections/connection.ts'
import { openOidc } from './oidc/relying-party.ts'
import { sealedForms } from './oidc/stored-forms.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
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
import { routes } from './routes.ts'
import { settings, type Kernel } from './settings.ts'
import { tenancy } from './tenancy.ts'

export type Needs = {
  /**
   * The permissions of all surfaces, because roles and API keys may have any permission of the
   * platform.
   */
  readonly permissions: PermissionCatalog
}

export const identity: Surface<Face, Needs, typeof settings> = {
  name: 'identity',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  closed_to_scopes: true,
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
      lookUpTxt: openTxtLookup(kernel, kernel.settings['identity.dns_servers']),
      reserved: openReservedWords(kernel, reserved_names),
    }
    return {
      face: openFace(deps),
      routes: routes(deps),
      loops: [
        {
          name: signing_keys_topic,
          every_ms: 10_000,
          topics: [signing_keys_topic],
          run: () => advanceSigningKeys(deps),
        },
      ],
      queues: [resetQueue(deps), recheckQueue(deps)],
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

/** Deletes expired rows. A used refresh token whose row is deleted is recognized by its tag. */
function retention(settings: Kernel['settings']): readonly Retention[] {
  const prune_seconds = settings['identity.refresh_prune_seconds']
  const event_days = settings['identity.security_events_retention_days']
  return [
    {
      table: 'identity.refresh_tokens',
      key: ['id_hash'],
      where: sql`t.used_at < clock_timestamp() - make_interval(secs => ${prune_seconds})`,
      every_seconds: 60,
    },
    {
      // Access tokens of the session have expired long before. Its refresh tokens are deleted with
      // it: a token of a session that is gone is refused like any other.
      table: 'identity.sessions',
      key: ['id'],
      where: sql`t.expires_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.gone_sessions',
      key: ['id'],
      where: sql`t.gone_at <= kernel.now() - interval '1 day'`,
    },
    {
      table: 'identity.used_realtime_tokens',
      key: ['tenant_id', 'id'],
      where: sql`t.used_at <= kernel.now() - interval '1 hour'`,
    },
    {
      table: 'identity.registrations',
      key: ['id'],
      where: sql`t.expires_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.organization_domains',
      key: ['tenant_id', 'id'],
      where: sql`t.removed_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.invitations',
      key: ['tenant_id', 'id'],
      where: sql`t.expires_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.email_changes',
      key: ['id'],
      where: sql`t.expires_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.one_time_challenges',
      key: ['id_hash'],
      where: sql`t.expires_at <= kernel.now() - interval '1 day'`,
    },
    {
      table: 'identity.sign_in_forms',
      key: ['state_hash'],
      where: sql`t.created_at <= kernel.now() - interval '10 minutes'`,
      every_seconds: 60,
    },
    {
      table: 'identity.connections',
      key: ['id'],
      where: sql`t.deleted_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.requests',
      key: ['id'],
      where: sql`t.expires_at <= kernel.now() - interval '30 days'`,
    },
    {
      table: 'identity.factor_resets',
      key: ['tenant_id', 'id'],
      where: sql`t.ended_at <= kernel.now() - interval '1 year'`,
    },
    {
      table: 'identity.mails',
      key: ['id'],
      where: sql`t.created_at <= kernel.now() - interval '8 days'`,
    },
    {
      statement: sql`select identity.keep_security_event_months(${event_days}::int)`,
      every_seconds: 6 * 3600,
    },
  ]
}
