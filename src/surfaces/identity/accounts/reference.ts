/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const accountsReference: Reference['members'] = {
  ...ofNoun('UserInfo', {
    locale: 'The language of the person.',
  }),
  ...ofNoun('Registered', {
    status: 'The account waits until its mail address is verified.',
    verification_required:
      'Whether a mailed link has to be opened before the address counts as verified.',
    expires_at: 'Until then the mailed link works.',
    id: 'The id of the registration, which verifies the address together with the mailed token.',
  }),
  ...ofNoun('RegisterAccountBody AccountWithRoles Me', {
    profile: 'Fields of the profile, as the `profile_schema` of the tenant allows them.',
  }),
  ...ofNoun('Account AccountWithRoles Me', {
    kind: '`anonymous` is a visitor who has not proven an address yet.',
    verified_at: 'When the person proved the mailbox; null until then.',
  }),
  ...ofNoun('Account AccountWithRoles', {
    email_normalized: 'The mail address in the form in which it is compared.',
    status: '`active`, `invited` until the invitation is accepted, `disabled` or `deleted`.',
  }),
  ...ofNoun('AccountWithRoles Me', {
    metadata: 'Data of your own about the account, which only administrators change.',
  }),
  ...ofNoun('AccountWithRoles', {
    role_ids: 'The roles of the account in this tenant.',
  }),
  ...ofNoun('InviteAccountBody InviteGuest', {
    role_ids: 'The roles that the person gets when the invitation is accepted.',
  }),
  ...ofNoun('MyInvitation OrganizationInvitation', {
    role_ids: 'The roles that the person gets on accepting.',
  }),
  ...ofNoun('UpdateAccountBody', {
    metadata: 'The new data of your own; null removes it.',
  }),
  ...ofNoun('AssignRoleBody RemoveRoleBody', {
    tenant_id: 'The tenant in which the role counts. Without it, the tenant of the caller.',
  }),
  ...ofNoun('Me', {
    status: 'The state of the account. Only an `active` one can log in.',
    email_normalized: 'The mail address as it is compared; null if the scope has no `email`.',
    principal_type: '`account` is a person, `service` an API key.',
    session: 'The session that asks; null for an API key.',
    'session.id': 'The id of the session.',
    'session.amr': 'How the person has proven who it is, such as `pwd` and `otp`.',
    'session.expires_at': 'When the session ends, whatever happens.',
    tenants: 'The tenants in which the account has a role.',
    'tenants.id': 'The id of the tenant.',
    roles: 'The roles in `active_tenant_id`.',
    withheld_permissions: 'What the roles would allow, but only with a second factor.',
    mfa: 'The second factors of the account.',
    'mfa.enabled': 'Whether the account has an active second factor.',
    'mfa.types': 'The kinds of its active second factors.',
  }),
  ...ofNoun('UpdateMeBody', {
    profile: 'The fields to change; a field with null is removed, and null removes all.',
  }),
  ...ofNoun(
    'RegisterAccountBody RequestEmailChangeBody RequestLoginCodeBody RequestPasswordResetBody LogInBody',
    {
      captcha: 'The solved challenge, where the platform asks for one.',
    },
  ),
  ...ofNoun('IdentityAccepted', {
    status: 'The request was taken. It says nothing about whether the address has an account.',
    id: 'The id of what was asked for. Use it together with the mailed code or token.',
    expires_at: 'Until then the mailed code or link works.',
  }),
  ...ofNoun('IdentityProgress', {
    id: 'The id of what was asked for.',
    status: 'How far it is.',
    created_at: 'When it was asked for.',
    expires_at: 'Until then it can be completed.',
  }),
  ...ofNoun('AddressVerified', {
    account_id: 'The account whose address is verified now.',
    status: 'The account can log in.',
    verified_at: 'When the mailbox was proven.',
    session: 'The first full session of an account that was anonymous. Others do not get one.',
  }),
  ...ofNoun('VerifyEmailBody', {
    token: 'The token of the mailed link.',
    registration_id: 'The id of the registration, in place of its password.',
  }),
  ...ofNoun('ResetPasswordBody', {
    token: 'The token of the mailed link.',
  }),
  ...ofNoun('Member', {
    account_id: 'The account of the member.',
    status: 'The state of the account.',
    guest:
      'Whether the account belongs to another organization, and is a member by its roles here.',
    role_ids: 'The roles of the member in this organization.',
  }),
}
