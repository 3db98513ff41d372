/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const organizationsReference: Reference['members'] = {
  ...ofNoun('Organization CreatedOrganization TenantDetails Tenant', {
    name: 'The name that people see.',
    signup: 'Whether anybody may register, or only who is invited.',
    state: 'No one can log in to a `disabled` one.',
    trusted: 'False for an organization that a member made, until an operator trusts it.',
  }),
  ...ofNoun('Organization TenantDetails', {
    login: 'How people may log in; null if the settings of the platform hold.',
    profile_schema: 'The JSON Schema of profiles; null if there are no fields.',
    claims: 'Which fields of profiles are in tokens.',
    'claims.name': 'The name of the claim in the token.',
    'claims.from': 'A JSON Pointer to the field of the profile.',
    'claims.in': 'The tokens that have it.',
    theme: 'The colours and the logo of the pages; null for those of the platform.',
  }),
  ...ofNoun('ChangeOrganization UpdateTenantBody CreateTenantBody', {
    name: 'The name that people see.',
    signup: 'Whether anybody may register, or only who is invited.',
    state: 'No one can log in to a `disabled` one.',
    trusted: 'Whether an operator trusts it.',
    login: 'What is allowed at a log-in; null returns to the settings of the platform.',
    'login.password': 'Whether people may log in with a password.',
    'login.code': 'Whether people may log in with a mailed code.',
    'login.passkey': 'Whether people may log in with a passkey.',
    'login.providers': 'Whether people may log in at providers such as Google.',
    'login.require_sso': 'Whether only connections of the organization itself are accepted.',
    'login.require_mfa': 'Whether every session needs a second factor.',
    'login.session_max_seconds': 'How long a session lasts at most.',
    profile_schema: 'The JSON Schema of profiles; null removes it.',
    claims: 'Which fields of profiles are put into tokens; null for none.',
    'claims.name': 'The name of the claim in the token.',
    'claims.from': 'A JSON Pointer to the field of the profile.',
    'claims.in': 'The tokens that get it.',
    theme: 'The colours and the logo of the pages; null for those of the platform.',
  }),
  ...ofNoun('CreateOrganization', {
    name: 'The name of the new organization, as people see it.',
  }),
  ...ofNoun('LoginPolicy', {
    password: 'Whether people may log in with a password.',
    code: 'Whether people may log in with a mailed code.',
    passkey: 'Whether people may log in with a passkey.',
    providers: 'Whether people may log in at providers such as Google.',
    require_sso: 'Whether only connections of the organization itself are accepted.',
    require_mfa: 'Whether every session needs a second factor.',
    session_max_seconds: 'How long a session lasts at most.',
  }),
  ...ofNoun('Theme', {
    accent: 'The colour of buttons and links.',
    background: 'The colour behind the page.',
  }),
  ...ofNoun('OrganizationDomain', {
    domain: 'The domain of mail addresses.',
    state: 'Whether the DNS record was found.',
    record_name: 'The name of the TXT record to add.',
    record_value: 'The value of the TXT record to add.',
    checked_at: 'When the record was last looked for.',
  }),
  ...ofNoun('ClaimOrganizationDomain', {
    domain: 'The domain of mail addresses that the organization owns.',
  }),
  ...ofNoun('OrganizationInvitation', {
    state: 'Whether it is open, or how it ended.',
    expires_at: 'Until then it can be accepted.',
    invited_by: 'The account that invited.',
  }),
  ...ofNoun('MyInvitation', {
    name: 'The organization that invites.',
    state: 'Whether it is open, or how it ended.',
    expires_at: 'Until then it can be accepted.',
    tenant_id: 'The organization that invites.',
  }),
  ...ofNoun('MyOrganization', {
    name: 'The name of the organization.',
    home: 'Whether the account belongs to it. In all others it is a guest.',
    role_ids: 'The roles of the account there.',
  }),
  ...ofNoun('Role', {
    name: 'The name that people see.',
    built_in: 'Whether it is of the platform. Such a role cannot be changed.',
    created_at: 'When it was defined; null for a built-in one.',
  }),
  ...ofNoun('CreateRoleBody', {
    name: 'The name that people see.',
  }),
}
