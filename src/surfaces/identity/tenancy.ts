/** Which rows of identity belong to a tenant, where a column `tenant_id` does not say it. */
import type { Tenancy } from '../../kernel/work/tenancy.ts'

const own_account = `exists (
  select from identity.accounts a where a.id = t.account_id and a.tenant_id = $1)`

export const tenancy: Tenancy = {
  'identity.settings': { cell: 'settings of the platform' },
  'identity.signing_keys': { cell: 'each cell signs with its own keys' },
  'identity.tenants': { rows: 't.id = $1' },
  // Roles of guests from other tenants, and sessions in them, end: an account lives in one cell.
  'identity.role_assignments': { moves: own_account, falls: own_account },
  'identity.sessions': { moves: 't.active_tenant_id = $1', falls: 't.active_tenant_id = $1' },
  'identity.refresh_tokens': {
    rows: `exists (
      select from identity.sessions s
      where s.id = t.session_id and s.tenant_id = $1 and s.active_tenant_id = $1)`,
    falls: `exists (
      select from identity.sessions s
      where s.id = t.session_id and $1 in (s.tenant_id, s.active_tenant_id))`,
  },
}
