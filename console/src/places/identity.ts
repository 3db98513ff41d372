/** The place of identity: people, sessions, roles and keys. */
import { resource, type Action, type Place } from '../resource.ts'
import { plain, type Row } from '../operation.ts'
import { may, me } from '../session.ts'

/** Those operations act on the organization in which the person works. */
const isHere = ({ id }: Row) => id === me().active_tenant_id

const nameIn = (row: Row) => plain(row['display_name'] ?? row['email'] ?? row['account_id'])

const give: Action = {
  by: 'assignRole',
  says: ({ row, path: { role_id = '' } }) => ({
    en: `Role ${role_id} given to ${nameIn(row)}`,
    de: `${nameIn(row)} hat jetzt die Rolle ${role_id}`,
  }),
}

const take: Action = {
  by: 'removeRole',
  says: ({ row, path: { role_id = '' } }) => ({
    en: `Role ${role_id} taken from ${nameIn(row)}`,
    de: `${nameIn(row)} hat die Rolle ${role_id} nicht mehr`,
  }),
}

export const identity: Place = {
  name: 'identity',
  title: { en: 'Identity', de: 'Identität' },
  resources: [
    resource({
      name: 'accounts',
      title: { en: 'Accounts', de: 'Konten' },
      list: 'listAccounts',
      read: 'getAccount',
      create: 'inviteAccount',
      columns: ['email', 'kind', 'status', 'display_name', 'verified_at', 'created_at', 'id'],
      events: ['account.', 'role.', 'session.'],
      person: true,
      actions: [
        give,
        take,
        'updateAccount',
        'requestFactorReset',
        { by: 'endAccountSessions', hurts: true, needs: 'identity.sessions.revoke_any' },
        {
          by: 'eraseAccount',
          hurts: true,
          when: ({ id }) => id === me().id || may('identity.accounts.delete'),
        },
      ],
      related: [
        {
          title: { en: 'Sessions', de: 'Sitzungen' },
          list: 'listAccountSessions',
          columns: ['client_metadata', 'last_seen_at', 'created_at', 'revoked_at'],
        },
        {
          title: { en: 'Resets of second factors', de: 'Zurücksetzen der zweiten Faktoren' },
          list: 'listFactorResets',
          columns: ['state', 'reason', 'effective_at', 'requested_by', 'ended_at'],
        },
        {
          title: { en: 'API keys', de: 'API-Schlüssel' },
          list: 'listApiKeys',
          filter: 'account_id',
          columns: ['name', 'state', 'prefix', 'last_used_at'],
          opens: 'identity/api-keys',
        },
        {
          title: { en: 'Security events', de: 'Sicherheitsereignisse' },
          list: 'listSecurityEvents',
          filter: 'account_id',
          columns: ['action', 'actor', 'occurred_at'],
        },
      ],
    }),
    resource({
      name: 'organizations',
      title: { en: 'My organizations', de: 'Meine Organisationen' },
      list: 'listOrganizations',
      create: 'createOrganization',
      columns: ['name', 'slug', 'home', 'role_ids', 'created_at'],
      events: ['tenant.', 'role.'],
      actions: [
        { by: 'updateOrganization', when: isHere },
        { by: 'disableOrganization', hurts: true, when: isHere },
      ],
    }),
    resource({
      name: 'members',
      title: { en: 'Members', de: 'Mitglieder' },
      list: 'listMembers',
      key: ['account_id'],
      columns: ['email', 'display_name', 'guest', 'role_ids', 'status', 'account_id'],
      events: ['role.', 'invitation.'],
      actions: [
        give,
        take,
        {
          by: 'removeMember',
          hurts: true,
          when: ({ guest, account_id }) =>
            guest === true && (account_id === me().id || may('identity.roles.assign')),
        },
      ],
    }),
    resource({
      name: 'invitations',
      title: { en: 'Invitations', de: 'Einladungen' },
      list: 'listOrganizationInvitations',
      read: 'getOrganizationInvitation',
      create: 'inviteGuest',
      columns: ['email', 'state', 'role_ids', 'expires_at', 'created_at'],
      events: ['invitation.'],
      actions: [{ by: 'withdrawInvitation', hurts: true, in: ['pending'] }],
    }),
    resource({
      name: 'domains',
      title: { en: 'Domains', de: 'Domains' },
      list: 'listOrganizationDomains',
      create: 'claimOrganizationDomain',
      columns: ['domain', 'state', 'record_name', 'record_value', 'checked_at'],
      events: ['organization_domain.'],
      actions: [
        { by: 'verifyOrganizationDomain', in: ['pending', 'lost'] },
        { by: 'removeOrganizationDomain', hurts: true },
      ],
    }),
    resource({
      name: 'connections',
      title: { en: 'Connections', de: 'Anbieter' },
      list: 'listConnections',
      read: 'getConnection',
      create: 'createConnection',
      columns: ['name', 'kind', 'preset', 'state', 'issuer', 'created_at'],
      events: ['connection.'],
      actions: ['changeConnection', { by: 'deleteConnection', hurts: true }],
    }),
    resource({
      name: 'clients',
      title: { en: 'Clients', de: 'Anwendungen' },
      list: 'listClients',
      read: 'getClient',
      create: 'createClient',
      columns: ['name', 'type', 'redirect_uris', 'uri', 'first_party', 'created_at', 'id'],
      events: ['client.'],
      actions: ['changeClient', 'createClientSecret', { by: 'deleteClient', hurts: true }],
    }),
    resource({
      name: 'my-invitations',
      title: { en: 'Invitations to me', de: 'Einladungen an mich' },
      list: 'listMyInvitations',
      columns: ['name', 'slug', 'role_ids', 'expires_at'],
      actions: ['acceptInvitation', 'declineInvitation'],
    }),
    resource({
      name: 'sessions',
      title: { en: 'My sessions', de: 'Meine Sitzungen' },
      list: 'listSessions',
      columns: ['client_metadata', 'current', 'last_seen_at', 'created_at', 'revoked_at'],
      events: ['session.'],
      actions: [{ by: 'endSession', hurts: true }],
    }),
    resource({
      name: 'roles',
      title: { en: 'Roles', de: 'Rollen' },
      list: 'listRoles',
      create: 'createRole',
      key: ['role_id'],
      columns: ['role_id', 'name', 'built_in', 'permissions'],
    }),
    resource({
      name: 'api-keys',
      title: { en: 'API keys', de: 'API-Schlüssel' },
      list: 'listApiKeys',
      create: 'createApiKey',
      columns: ['name', 'state', 'prefix', 'last_used_at', 'expires_at', 'created_at'],
      events: ['api_key.'],
      actions: [{ by: 'revokeApiKey', hurts: true }],
    }),
    resource({
      name: 'security-events',
      title: { en: 'Security events', de: 'Sicherheitsereignisse' },
      list: 'listSecurityEvents',
      columns: ['action', 'actor', 'account_id', 'safe_context', 'occurred_at'],
      events: ['account.', 'session.', 'role.', 'password.', 'mfa_method.'],
    }),
    resource({
      name: 'tenants',
      title: { en: 'Tenants', de: 'Mandanten' },
      list: 'listTenants',
      create: 'createTenant',
      columns: ['slug', 'name', 'state', 'signup', 'trusted', 'created_at', 'id'],
      events: ['tenant.'],
      actions: ['updateTenant'],
    }),
  ],
}
