/** Which rows of identity belong to a tenant, where a column `tenant_id` does not say it. */
import type { Tenancy } from '#dodeca/kernel'

/** A key of an organization belongs to no account. */
const own_key = `(t.account_id is null and t.tenant_id = $1 or exists (
  select from identity.accounts a where a.id = t.account_id and a.tenant_id = $1))`

const own_account = `exists (
  select from identity.accounts a where a.id = t.account_id and a.tenant_id = $1)`

/** The audit record knows also those who lost the role long ago. */
const was_guest = `t.status <> 'deleted' and (
  exists (select from identity.role_assignments r
    where r.account_id = t.id and r.tenant_id <> $1)
  or exists (select from identity.sessions s
    where s.tenant_id = t.tenant_id and s.account_id = t.id and s.guest_of <> '{}')
  or t.id::text in (select split_part(e.target, '/', 1) from kernel.audit_events e
    where e.action = 'identity.roles.assign' and e.tenant_id <> $1))`

/**
 * An application, and an API, of another tenant are not known in the other cell. Applications with a
 * document are known everywhere.
 */
const knownThere = (session: string) => `
  ${session}.active_tenant_id = $1
  and (${session}.client_id is null or ${session}.client_id like 'https:%'
    or exists (select from identity.clients c
      where c.tenant_id = $1 and c.id::text = ${session}.client_id))
  and (${session}.audience is null or exists (select from identity.clients c
      where c.tenant_id = $1 and c.uri = ${session}.audience and c.type = 'api'))`

/** Of a session that does not go on, or has tokens elsewhere. None is valid for two hours. */
const has_tokens_left = `(t.guest_of <> '{}' or not (${knownThere('t')}))
  and t.expires_at > kernel.now()
  and coalesce(t.revoked_at, kernel.now()) > kernel.now() - interval '2 hours'`

export const tenancy: Tenancy = {
  'identity.settings': { cell: 'settings of the platform' },
  'identity.signing_keys': { cell: 'each cell signs with its own keys' },
  'identity.used_captchas': { cell: 'answers of nobody in particular, until they expire' },
  'identity.gone_sessions': { cell: 'sessions whose tenant is gone, until their tokens expire' },
  'identity.tenants': { rows: 't.id = $1' },
  'identity.accounts': { guests: was_guest },
  // Roles of guests from other tenants, and sessions in them, end: an account lives in one cell.
  'identity.role_assignments': { moves: own_account, falls: own_account },
  'identity.api_keys': { moves: own_key, falls: own_key },
  'identity.sessions': {
    moves: knownThere('t'),
    falls: 't.active_tenant_id = $1',
    // A session that moves with its tenant stays valid for that tenant, should it come back.
    ends: `
      insert into identity.gone_sessions (id, moved_tenant_id)
      select t.id, case when t.tenant_id = $1 and ${knownThere('t')} then t.tenant_id end
      from identity.sessions t
      where $1 in (t.tenant_id, t.active_tenant_id) and ${has_tokens_left}
      on conflict (id) do update
      set gone_at = excluded.gone_at, moved_tenant_id = excluded.moved_tenant_id`,
  },
}
