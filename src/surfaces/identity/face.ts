/**
 * What other surfaces and the platform may call: who a credential belongs to and what they hold,
 * whether an account or session is active, and where a mail goes. A token leaves only through
 * `mail`, when it is sent.
 */
import type { Access, Principal } from '../../kernel/access/principal.ts'
import type { Reader } from '../../kernel/database/db.ts'
import type { AccountLine } from './schemas.ts'
import type { CreateTenant } from './tenants/create-tenant.ts'
import type { Tenant } from './tenants/find-tenant.ts'

export type MailToSend = {
  readonly template: string
  readonly address: string
  readonly locale: string | null
  /** Null if the mail only informs. */
  readonly token: string | null
  /** The page on which the token is entered by a click. */
  readonly link: string | null
  /** The texts, in the language of the mail. */
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly action: string
  readonly code_label: string
}

/** The mail address of an account. */
export type MailRecipient = {
  readonly tenant_id: string
  /** The principal in the request: the account, or an API key that it created. */
  readonly principal_id: string
  readonly id: string
  /** Null if no address is verified. */
  readonly address: string | null
  readonly locale: string | null
}

/** The first administrator of a new deployment. */
export type FirstAdministrator = { readonly email: string; readonly password: string }
/** An account or an API key, in the tenant for which it ordered work. */
export type Holder = { readonly tenant_id: string; readonly principal_id: string }

/** Whom a realtime token was made for. */
export type RealtimeHolder = {
  readonly account_id: string
  readonly session_id: string
  readonly tenant_id: string
  readonly device_id: string | null
  /** Seconds since the epoch. */
  readonly expires_at: number
}

/** An account by its id or address, and its tenant by the slug. */
export type Who = { readonly tenant: string; readonly account: string }

export type NewAccount = {
  readonly tenant: string
  readonly email: string
  readonly password: string
  readonly display_name: string | null
  readonly role_ids: readonly string[]
}

/** An authenticator app that waits for its first code. */
export type TotpEnrolment = {
  readonly otpauth_uri: string
  readonly secret: string
  /** The new recovery codes; null if the code is wrong. */
  activate(code: string): Promise<readonly string[] | null>
}

/**
 * What the operator of the machine may do to tenants and accounts on the command line. No
 * permission is checked; every act is audited under the given actor.
 */
export type Administration = {
  createTenant(draft: CreateTenant, actor: string): Promise<Tenant>
  /** Oldest first. */
  tenants(limit: number): Promise<Tenant[]>
  disableTenant(slug: string, actor: string): Promise<Tenant>
  /** Active and with a verified address; null if the address has an account already. */
  createAccount(person: NewAccount, actor: string): Promise<AccountLine | null>
  /** Of one tenant, or of all; newest first. */
  accounts(
    filter: { readonly tenant?: string | undefined; readonly status?: string | undefined },
    limit: number,
  ): Promise<AccountLine[]>
  /** False if nothing had to be changed. */
  grant(who: Who, role_id: string, actor: string): Promise<boolean>
  revoke(who: Who, role_id: string, actor: string): Promise<boolean>
  /** The roles that can be given in a tenant, in their order. */
  roles(slug: string): Promise<string[]>
  disableAccount(who: Who, actor: string): Promise<AccountLine>
  /** Refused where one is active, unless it is replaced. */
  enrolTotp(who: Who, replace: boolean, actor: string): Promise<TotpEnrolment>
  /** A one-time token with which the password is set; it is not mailed. */
  resetToken(who: Who, actor: string): Promise<{ token: string; link: string; expires_at: string }>
  rotateSigningKey(
    mode: 'graceful' | 'revoke',
    actor: string,
  ): Promise<{ kid: string; state: string }>
}

export type Face = {
  readonly access: Access
  /**
   * What each of them holds now, for work that continues without their request; nothing if the
   * account, the key, its owner or the tenant is not active. In the order of the holders.
   */
  grantsOf(reader: Reader, holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** The same for work that asks very often: at most half a second old. */
  recentGrantsOf(holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** For the command line only. */
  readonly administration: Administration
  /** Undefined if the mail should not be sent any more; `masked` shows it without its token. */
  mail(mail_id: string, shown?: 'masked'): Promise<MailToSend | undefined>
  /** Those of these principals whose accounts are active; an API key counts as its owner. */
  recipients(
    reader: Reader,
    wanted: readonly { readonly tenant_id: string; readonly principal_id: string }[],
  ): Promise<MailRecipient[]>
  address(account_id: string): Promise<{ address: string; locale: string | null } | undefined>
  accountExists(reader: Reader, tenant_id: string, account_id: string): Promise<boolean>
  /** Those of these ids that are active accounts and belong to the active tenant now: at home in it, or with a role in it. */
  membersOf(
    reader: Reader,
    tenant_id: string,
    account_ids: readonly string[],
  ): Promise<ReadonlySet<string>>
  /**
   * The caller's roles in the tenant of its token, `member` among them; null where the account, the key
   * or the session is not active any more.
   */
  rolesOf(
    reader: Reader,
    principal: Pick<Principal, 'id' | 'tenant_id' | 'kind' | 'session_id'>,
  ): Promise<readonly string[] | null>
  /** The tenant that a caller without a credential means, by the host that they asked. */
  publicTenant(
    reader: Reader,
    host: string | string[] | undefined,
  ): Promise<{ readonly id: string } | undefined>
  sessionAlive(session_id: string): Promise<boolean>
  /**
   * A short-lived token for the realtime socket. It is not accepted as an access token, nor the
   * other way round.
   */
  realtimeToken(
    session_id: string,
    account_id: string,
    tenant_id: string,
    device_id?: string,
  ): Promise<string>
  /** Whom a realtime token is for, or `invalid_token`, also where its session has ended. */
  verifyRealtime(token: string): Promise<RealtimeHolder>
  /** Calls the function in this process when it learns that a session has ended. */
  onSessionEnded(listener: (session_id: string) => void): void
  /** Before the first request: signing key, cost of hashing, revocations, first administrator. */
  prepare(first: FirstAdministrator | null): Promise<void>
}
