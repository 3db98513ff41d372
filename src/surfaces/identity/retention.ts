/** Deletes expired rows. */
import { sql, type Retention, type Sql } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'

export function retention(settings: Kernel['settings']): readonly Retention[] {
  const event_days = settings['identity.security_events_retention_days']
  return [
    // Access tokens of the session have expired long before. A refresh token of a session that is gone
    // is refused like any other.
    rows('sessions', ['id'], sql`t.expires_at <= kernel.now() - interval '30 days'`),
    rows('gone_sessions', ['id'], sql`t.gone_at <= kernel.now() - interval '1 day'`),
    rows(
      'used_realtime_tokens',
      ['tenant_id', 'id'],
      sql`t.used_at <= kernel.now() - interval '1 hour'`,
    ),
    rows('used_captchas', ['hash'], sql`t.expires_at <= kernel.now() - interval '1 hour'`),
    rows('registrations', ['id'], sql`t.expires_at <= kernel.now() - interval '30 days'`),
    rows(
      'organization_domains',
      ['tenant_id', 'id'],
      sql`t.removed_at <= kernel.now() - interval '30 days'`,
    ),
    rows(
      'invitations',
      ['tenant_id', 'id'],
      sql`t.expires_at <= kernel.now() - interval '30 days'`,
    ),
    rows('email_changes', ['id'], sql`t.expires_at <= kernel.now() - interval '30 days'`),
    rows('one_time_challenges', ['id_hash'], sql`t.expires_at <= kernel.now() - interval '1 day'`),
    rows(
      'sign_in_forms',
      ['state_hash'],
      sql`t.created_at <= kernel.now() - interval '10 minutes'`,
      60,
    ),
    rows('connections', ['id'], sql`t.deleted_at <= kernel.now() - interval '30 days'`),
    rows('clients', ['id'], sql`t.deleted_at <= kernel.now() - interval '30 days'`),
    rows(
      'client_secrets',
      ['tenant_id', 'client_id', 'id'],
      sql`t.expires_at <= kernel.now() - interval '1 day'`,
    ),
    rows('requests', ['id'], sql`t.expires_at <= kernel.now() - interval '30 days'`),
    rows('factor_resets', ['tenant_id', 'id'], sql`t.ended_at <= kernel.now() - interval '1 year'`),
    rows('mails', ['id'], sql`t.created_at <= kernel.now() - interval '8 days'`),
    {
      statement: sql`select identity.keep_security_event_months(${event_days}::int)`,
      every_seconds: 6 * 3600,
    },
  ]
}

function rows(
  table: string,
  key: readonly string[],
  where: Sql,
  every_seconds?: number,
): Retention {
  const often = every_seconds === undefined ? {} : { every_seconds }
  return { table: `identity.${table}`, key, where, ...often }
}
