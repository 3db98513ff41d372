/**
 * The permissions on accounts, and the built-in roles that have them. No role includes another. A
 * tenant's administrator has no permission for refunds, keys and other people's sessions on
 * purpose.
 */
import type { Permission } from '#dodeca/kernel'

const admin = ['tenant_admin']

export const permissions: Readonly<Record<string, Permission>> = {
  'identity.accounts.read': {
    says: 'See the accounts of the tenant',
    roles: ['tenant_admin', 'support_viewer', 'auditor', 'session_administrator'],
  },
  'identity.accounts.disable': { says: 'Disable and enable accounts', roles: admin },
  'identity.accounts.update': {
    says: 'Change the metadata of accounts, which claims of tokens may be made of',
    roles: admin,
  },
  'identity.accounts.delete': { says: 'Erase accounts', roles: admin },
  'identity.accounts.invite': { says: 'Invite people', roles: admin },
  'identity.factors.reset': {
    says: 'Reset the second factors of a person who lost them, after a delay',
    roles: admin,
  },
  'identity.sessions.read_any': {
    says: 'See the sessions of other accounts',
    roles: ['session_administrator'],
  },
  'identity.sessions.revoke_any': {
    says: 'End the sessions of other accounts',
    roles: ['session_administrator'],
  },
  'identity.roles.read': { says: 'See roles', roles: ['tenant_admin', 'auditor'] },
  'identity.roles.assign': { says: 'Assign and remove roles', roles: admin },
  'identity.roles.define': { says: 'Define roles of the tenant', roles: admin },
  'identity.security_events.read': {
    says: 'Read the security events of other accounts',
    roles: ['tenant_admin', 'auditor'],
  },
  'identity.connections.read': {
    says: 'See the identity providers of the tenant',
    roles: ['tenant_admin', 'auditor'],
  },
  'identity.connections.write': {
    says: 'Create, change and delete identity providers of the tenant',
    roles: admin,
  },
  'identity.clients.read': {
    says: 'See the applications and APIs of the tenant',
    roles: ['tenant_admin', 'auditor'],
  },
  'identity.clients.write': {
    says: 'Create, change and delete applications and APIs of the tenant',
    roles: admin,
  },
  'identity.signing_keys.rotate': {
    says: 'Rotate or revoke the keys that sign tokens',
    roles: ['key_administrator'],
    duty: 'keys',
  },
  'identity.api_keys.manage_any': {
    says: 'See and revoke API keys of other accounts, and create keys of the organization',
    roles: admin,
  },
  'identity.organizations.write': { says: 'Create organizations', roles: ['member'] },
  'identity.organization.write': {
    says: 'Change and disable the organization, and prove its domains',
    roles: admin,
  },
  'identity.tenants.manage': { says: 'Create and change tenants', roles: ['platform_operator'] },
  'identity.support.view': {
    says: 'See the parts of an account that support may see',
    roles: ['support_viewer'],
    duty: 'support',
  },
}
