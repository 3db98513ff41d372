/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { checkServers, faultsIn, openAddressRules, refusals, setting } from '#dodeca/kernel'
import type { Deployment, KernelOf, SettingTable } from '#dodeca/kernel'
import { parseEmail } from './accounts/email.ts'
import { scopeOfAnonymous } from './anonymous/scope.ts'
import { requireBreachedFile } from './passwords/breached.ts'
import { readProviders, readRedirectUris } from './oidc/providers.ts'
import { readPasskeyOrigins } from './passkeys/relying-party.ts'

// prettier-ignore
export const settings = {
  'identity.access_ttl_seconds': setting.count(300, 's', 'Life of an access token', 10, 3600),
  'identity.refresh_ttl_seconds': setting.count(14 * 86_400, 's', 'Longest pause between two refreshes of a session', 60),
  'identity.session_max_seconds': setting.count(30 * 86_400, 's', 'Longest life of a session', 60),
  'identity.grant_idle_seconds': setting.count(90 * 86_400, 's', 'Longest pause between two refreshes of an application that stays connected', 60),
  'identity.grant_max_seconds': setting.count(400 * 86_400, 's', 'Longest life of a session of an application', 60),
  'identity.grant_online_seconds': setting.count(86_400, 's', 'Longest life of a session of an application that does not stay connected', 60),
  'identity.grants_per_client': setting.count(10, 'sessions', 'Sessions that one account has given to one application; the oldest ends', 1, 1000),
  'identity.refresh_grace_seconds': setting.count(10, 's', 'How long a used refresh token still returns its successor', 0, 60),
  'identity.refresh_grace_replays': setting.count(30, 'replays', 'How often a used refresh token returns its successor', 0, 1000),
  'identity.verification_ttl_seconds': setting.count(86_400, 's', 'Life of a registration and of its mailed token', 60),
  'identity.reset_ttl_seconds': setting.count(1800, 's', 'Life of a mailed password reset token', 60),
  'identity.invitation_ttl_seconds': setting.count(7 * 86_400, 's', 'Life of a mailed invitation', 60),
  'identity.login_code_ttl_seconds': setting.count(600, 's', 'Life of a mailed login code', 60),
  'identity.mfa_challenge_ttl_seconds': setting.count(300, 's', 'Life of a second-factor challenge, and of the challenge of a log-in with a passkey', 10),
  'identity.mfa_method_ttl_seconds': setting.count(600, 's', 'Time to activate a new second factor', 10),
  'identity.factor_reset_delay_seconds': setting.count(86_400, 's', 'How long the owner of an account can stop that an administrator resets the second factors', 60),
  'identity.step_up_seconds': setting.count(600, 's', 'How recent an authentication must be for dangerous acts', 1),
  'identity.oidc_state_ttl_seconds': setting.count(600, 's', 'Time to log in at an identity provider', 10),
  'identity.oidc_ticket_ttl_seconds': setting.count(60, 's', 'Life of a ticket from an identity provider', 5),
  'identity.connections_most': setting.count(10, 'connections', 'Identity providers of a tenant', 1, 1000),
  'identity.clients_most': setting.count(100, 'clients', 'Applications and APIs of a tenant', 1, 10_000),
  'identity.client_documents': setting.flag(true, 'Whether applications may log people in that publish a document about themselves and are not registered'),
  'identity.sign_in_forms_per_network': setting.count(20, 'forms', 'Forms of identity providers from one network in 10 minutes', 1, 1_000_000),
  'identity.sign_in_forms_most': setting.count(5000, 'forms', 'Forms of identity providers that wait for their browsers', 1, 1_000_000),
  'identity.device_ttl_seconds': setting.count(180 * 86_400, 's', 'How long a device stays known after a login', 60),
  'identity.sessions_per_account': setting.count(100, 'sessions', 'Active sessions of an account; the oldest is revoked', 1, 10_000),
  'identity.api_keys_per_account': setting.count(20, 'keys', 'Active API keys of an account', 1, 10_000),
  'identity.api_keys_per_organization': setting.count(100, 'keys', 'Active API keys that belong to an organization', 1, 10_000),
  'identity.roles_per_tenant': setting.count(100, 'roles', 'Roles that a tenant defines for itself', 1, 10_000),
  'identity.mfa_methods_per_account': setting.count(10, 'factors', 'Second factors of an account', 1, 100),
  'identity.registrations_compared': setting.count(3, 'registrations', 'Registrations of one address whose password is compared when the address is verified', 1, 100),
  'identity.body_limit_bytes': setting.count(16 * 1024, 'bytes', 'Largest body of an identity request', 1024, 2 ** 20),
  'identity.hash_max_ms': setting.count(60, 'ms', 'Time that one password hash may take where the cost is chosen', 1, 5000),
  'identity.hash_queue': setting.count(64, 'hashes', 'Password hashes that wait in one process', 1, 10_000),
  'identity.hash_wait_ms': setting.count(2000, 'ms', 'Wait for a password hash before 503 overloaded', 10, 60_000),
  'identity.login_account_burst': setting.count(5, 'attempts', 'Wrong passwords for one account in a row', 1, 10_000),
  'identity.login_account_interval_seconds': setting.count(30, 's', 'Time in which one more attempt is granted for an account', 0.001, 86_400),
  'identity.login_device_burst': setting.count(10, 'attempts', 'Wrong passwords from one known device in a row', 1, 10_000),
  'identity.login_network_burst': setting.count(30, 'attempts', 'Wrong passwords from one network in a row', 1, 1_000_000),
  'identity.login_network_interval_seconds': setting.count(10, 's', 'Time in which one more attempt is granted for a network', 0.001, 86_400),
  'identity.mfa_attempts_per_hour': setting.count(20, 'attempts', 'Second-factor attempts of one account in an hour', 1, 100_000),
  'identity.registrations_per_hour': setting.count(10, 'registrations', 'Registrations from one network in an hour', 1, 1_000_000),
  'identity.mails_per_recipient_per_hour': setting.count(5, 'mails', 'Registrations, invitations, changes of address and login codes that mail one address in an hour, in one tenant', 1, 1_000_000),
  'identity.mails_per_recipient_of_all_tenants_per_hour': setting.count(20, 'mails', 'The same mails to one address in an hour, over all tenants', 1, 1_000_000),
  'identity.resets_per_hour': setting.count(20, 'requests', 'Password reset requests from one network in an hour', 1, 1_000_000),
  'identity.resets_per_email_per_hour': setting.count(3, 'requests', 'Password reset requests for one address in an hour', 1, 1_000_000),
  'identity.login_codes_per_hour': setting.count(5, 'requests', 'Login codes for one address in an hour, in one tenant', 1, 1_000_000),
  'identity.login_codes_network_per_hour': setting.count(100, 'requests', 'Login codes requested from one network in an hour', 1, 1_000_000),
  'identity.refreshes_per_minute': setting.count(60, 'refreshes', 'Refreshes of one session in a minute', 1, 1_000_000),
  'identity.security_events_retention_days': setting.count(400, 'days', 'How long security events are kept', 30, 4000),
  'identity.require_verified_email': setting.flag('production', 'An account exists only after its address was verified'),
  'identity.admin_requires_mfa': setting.flag('production', 'Administrative permissions count only with a second factor'),
  'identity.organizations': { ...setting.optional('Who creates organizations: members, or operators of the platform; unset: members in development, operators in production'), oneOf: ['members', 'operators'] },
  'identity.organizations_per_account': setting.count(10, 'organizations', 'Active organizations that an account made', 1, 10_000),
  'identity.invitations_per_hour': setting.count(100, 'invitations', 'Invitations of one organization in an hour', 1, 1_000_000),
  'identity.domains_most': setting.count(20, 'domains', 'Domains of an organization', 1, 10_000),
  'identity.domain_check_seconds': setting.count(86_400, 's', 'Time between two looks at the DNS record of a verified domain', 60),
  'identity.domain_misses': setting.count(3, 'looks', 'Looks in a row without the DNS record before a domain is lost', 1, 100),
  'identity.domain_verifications_per_minute': setting.count(6, 'attempts/min', 'Attempts to verify one domain in a minute', 1, 1_000_000),
  'identity.dns_servers': setting.list('DNS servers (address or address:port) for the records of domains; none: those of the system'),
  'identity.login_codes': setting.flag(true, 'Whether people may log in with a code that is mailed to them'),
  'identity.anonymous': setting.flag('development', 'Whether visitors get anonymous accounts, such as guests of a shop, in tenants that are open for registrations'),
  'identity.anonymous_scopes': { ...setting.list('What the session of an anonymous account may do, as words of a scope'), default: ['commerce.write', 'uploads.read'] },
  'identity.anonymous_per_hour': setting.count(300, 'accounts', 'Anonymous accounts for one network in an hour', 1, 1_000_000),
  'identity.anonymous_idle_days': setting.count(30, 'days', 'How long an anonymous account that nobody uses is kept', 1, 3650),
  'identity.captcha': { ...setting.text('What slows down robots: off, or work (the browser solves a task)', 'off'), oneOf: ['off', 'work'] },
  'identity.captcha_work': setting.count(100_000, 'hashes', 'Most hashes that a browser computes for one task; half of them on average', 1, 100_000_000),
  'identity.captcha_ttl_seconds': setting.count(600, 's', 'How long the answer to a captcha is accepted', 10, 3600),
  'identity.captcha_free_anonymous': setting.count(30, 'accounts', 'Anonymous accounts for one network in an hour before a captcha is required', 1, 1_000_000),
  'identity.rp_id': setting.optional('Domain for which passkeys and security keys are made, if it is not the host of PUBLIC_URL'),
  'identity.passkey_origins': setting.list('Origins of your own pages and apps that may use passkeys and security keys, beside that of PUBLIC_URL'),
  'identity.email_scope': { ...setting.text('Whether an address is one account on the platform (global) or in each tenant', 'global'), oneOf: ['global', 'tenant'] },
  'identity.tenant_from': { ...setting.text('What names the tenant of a login: the body, or the host name', 'body'), oneOf: ['body', 'host'] },
  'identity.issuer': setting.optional('Issuer of tokens, if it is not PUBLIC_URL'),
  'identity.link_base': setting.address('Base of the links in mails, if it is not PUBLIC_URL/account'),
  'identity.breached_passwords': setting.optional('File of stolen passwords that nobody may choose: SHA-1 in upper case hex, one a line, sorted'),
  'identity.redirect_uris': setting.list('Redirect URIs that a login at an identity provider may use, exactly'),
  'identity.oidc_providers': setting.secret('Identity providers as JSON, or the path of a file with it'),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Refuses values and combinations of settings that cannot work. */
export function settingFaults(
  given: Kernel['settings'],
  { profile, admin_email, public_url }: Deployment,
) {
  const from = { settings: given, profile }
  const rules = faultsIn([
    [
      admin_email !== null && parseEmail(admin_email) === null,
      'ADMIN_EMAIL is not a mail address. Give one, such as root@example.com.',
    ],
    [
      scopeOfAnonymous(given).join(' ').length > 1000 || scopeOfAnonymous(given).length > 20,
      'IDENTITY_ANONYMOUS_SCOPES has more than 18 words or 980 characters. Name fewer, such as commerce.write for all that a member may do in a shop.',
    ],
  ])
  const read = refusals({
    IDENTITY_OIDC_PROVIDERS: () => {
      for (const { allow } of readProviders(from)) openAddressRules({ ports: [], allow })
    },
    IDENTITY_REDIRECT_URIS: () => readRedirectUris(from),
    IDENTITY_BREACHED_PASSWORDS: () => {
      const file = given['identity.breached_passwords']
      if (file !== null) requireBreachedFile(file)
    },
    IDENTITY_DNS_SERVERS: () => checkServers(given['identity.dns_servers']),
    IDENTITY_PASSKEY_ORIGINS: () => readPasskeyOrigins({ public_url, settings: given }),
  })
  return [...rules, ...read]
}
