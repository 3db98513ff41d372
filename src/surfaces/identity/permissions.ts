/**
 * What may be done to accounts, and the built-in roles that hold it. No role includes another; what a
 * tenant's administrator may do leaves out refunds, keys and other people's sessions on purpose.
 */
import type { Permission } from '../../kernel/access/permissions.ts'

const admin = ['tenant_admin']

export const permissions: Readonly<Record<string, Permission>> = {
  'identity.accounts.read': {
    says: 'See the accounts of the tenant',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
  },
  'identity.accounts.disable': { says: 'Disable and enable accounts', roles: admin },
  'identity.accounts.delete': { says: 'Erase accounts', roles: admin },
  'identity.accounts.invite': { says: 'Invite people', roles: admin },
  'identity.sessions.read_any': {
    says: 'See where others are logged in',
    roles: ['session_administrator'],
  },
  'identity.sessions.revoke_any': { says: 'Log others out', roles: ['session_administrator'] },
  'identity.roles.read': { says: 'See roles', roles: ['tenant_admin', 'auditor'] },
  'identity.roles.assign': { says: 'Give and take roles', roles: admin },
  'identity.roles.define': { says: 'Define roles of the tenant', roles: admin },
  'identity.security_events.read': {
    says: 'Read the security events of others',
    roles: ['tenant_admin', 'auditor'],
  },
  'identity.signing_keys.rotate': {
    says: 'Rotate or revoke the keys that sign tokens',
    roles: ['key_administrator'],
    duty: 'keys',
  },
  'identity.api_keys.manage_any': { says: 'See and revoke API keys of others', roles: admin },
  'identity.tenants.manage': { says: 'Create and change tenants', roles: ['platform_operator'] },
  'identity.support.view': {
    says: 'See what support may see of an account',
    roles: ['support_viewer'],
    duty: 'support',
  },
}
