/**
 * The events of identity. They contain only ids and states, never an address, a name or a secret.
 */
import { Type } from 'typebox'
import { Id, nullable } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 100 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})

export const events = {
  'account.registered': declared({ account_id: Id, tenant_id: Id }),
  'account.verified': declared({ account_id: Id }),
  'account.changed': declared({ account_id: Id }),
  'account.converted': declared({ account_id: Id }),
  'account.status_changed': declared({ account_id: Id, from: Short, to: Short, reason: Short }),
  'account.deleted': declared({ account_id: Id }),
  'session.created': declared({
    session_id: Id,
    account_id: Id,
    aal: Short,
    amr: Type.Array(Short),
  }),
  'session.revoked': declared({ session_id: Id, account_id: Id, reason: Short }),
  'password.changed': declared({ account_id: Id, via: Short }),
  'mfa_method.activated': declared({ account_id: Id, method_id: Id, type: Short }),
  'mfa_method.removed': declared({ account_id: Id, method_id: Id, type: Short }),
  'role.assigned': declared({ account_id: Id, tenant_id: Id, role_id: Short, actor: Short }),
  'role.revoked': declared({ account_id: Id, tenant_id: Id, role_id: Short, actor: Short }),
  'refresh_token.reused': declared({ session_id: Id, account_id: Id }),
  'external_identity.linked': declared({ account_id: Id, external_identity_id: Id }),
  'external_identity.unlinked': declared({ account_id: Id, external_identity_id: Id }),
  'connection.created': declared({ connection_id: Id }),
  'connection.changed': declared({ connection_id: Id, state: Short }),
  'connection.deleted': declared({ connection_id: Id }),
  'client.created': declared({ client_id: Id, type: Short }),
  'client.changed': declared({ client_id: Id, type: Short }),
  'client.deleted': declared({ client_id: Id, type: Short }),
  'api_key.created': declared({ api_key_id: Id, account_id: nullable(Id) }),
  'api_key.revoked': declared({ api_key_id: Id, account_id: nullable(Id) }),
  'signing_key.rotated': declared({ kid: Short }),
  'tenant.created': declared({ tenant_id: Id }),
  'tenant.changed': declared({ tenant_id: Id, state: Short }),
  'invitation.created': declared({ invitation_id: Id, state: Short }),
  'invitation.changed': declared({ invitation_id: Id, state: Short }),
  'organization_domain.created': declared({ domain_id: Id, state: Short }),
  'organization_domain.changed': declared({ domain_id: Id, state: Short }),
  'organization_domain.deleted': declared({ domain_id: Id, state: Short }),
  'identity_mail.requested': {
    ...declared({ mail_id: Id, template: Short, account_id: nullable(Id) }),
    internal: true,
  },
} as const
