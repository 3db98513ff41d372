/**
 * What other surfaces may call. `Face` is for all of them: who a principal is in a tenant, and what
 * its work may do now. `Inside` is for the platform: also addresses, sessions and tokens.
 * Only `mail` returns a token, at the time of sending.
 */
import type { Access, DemoTenant, Look, Principal, Reader } from '#dodeca/kernel'
import type { AccountLine } from './schemas.ts'
import type { CreateTenant } from './tenants/create-tenant.ts'
import type { Tenant } from './tenants/find-tenant.ts'

export type MailToSend = {
  readonly template: string
  readonly address: string
  readonly locale: string | null
  /** Null if the mail has no link. */
  readonly token: string | null
  /** What a person types instead of following the link: the token, or the digits of a login code. */
  readonly code: string | null
  /** The URL of the page on which a click sends the token. */
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
  /** Null if the account has no verified address. */
  readonly address: string | null
  readonly locale: string | null
}

/** The first administrator of a new deployment. */
export type FirstAdministrator = { readonly email: string; readonly password: string }
/**
 * An account or an API key, with the tenant in which it requested work. `session_id` is that of a
 * narrow session (`narrowSession`): its work has no more rights than it, and ends with it.
 */
export type Holder = {
  readonly tenant_id: string
  readonly principal_id: string
  readonly session_id?: string | null
  /** The work only reads, so that `<surface>.read` in the scope is enough. */
  readonly reads?: boolean
}

/** The account for which a realtime token was made. */
export type RealtimeHolder = {
  readonly account_id: string
  readonly session_id: string
  readonly tenant_id: string
  readonly device_id: string | null
}

/** `expires_at` is in seconds since the epoch. */
export type RealtimeToken = { readonly token: string; readonly expires_at: number }

/** Names an account by its id or address, and its tenant by the slug. */
export type Who = { readonly tenant: string; readonly account: string }

export type NewAccount = {
  readonly tenant: string
  readonly email: string
  readonly password: string
  readonly display_name: string | null
  readonly role_ids: readonly string[]
}

/** An authenticator app that is not activated yet. */
export type TotpEnrolment = {
  readonly otpauth_uri: string
  readonly secret: string
  /** The new recovery codes; null if the code is wrong. */
  activate(code: string): Promise<readonly string[] | null>
}

/** How much of each kind a command ended after a restore. */
export type EndedAgain = Record<
  'sessions' | 'tenants' | 'erased' | 'disabled' | 'roles' | 'api_keys' | 'recovery_codes',
  number
> & { signing_key: boolean }

/**
 * The actions of the machine's operator on tenants and accounts, on the command line. Permissions
 * are not checked. Every action is audited under the given actor.
 */
export type Administration = {
  createTenant(draft: CreateTenant, actor: string): Promise<Tenant>
  tenant(slug: string): Promise<Tenant | undefined>
  /** Oldest first. */
  tenants(limit: number): Promise<Tenant[]>
  disableTenant(slug: string, actor: string): Promise<Tenant>
  /**
   * Creates an active account with a verified address. Returns null if an account already has the
   * address.
   */
  createAccount(person: NewAccount, actor: string): Promise<AccountLine | null>
  /** The accounts of one tenant, or of all, newest first. */
  accounts(
    filter: { readonly tenant?: string | undefined; readonly status?: string | undefined },
    limit: number,
  ): Promise<AccountLine[]>
  /** Returns false if nothing had to be changed. */
  grant(who: Who, role_id: string, actor: string): Promise<boolean>
  revoke(who: Who, role_id: string, actor: string): Promise<boolean>
  /** The roles that can be given in a tenant, in their order. */
  roles(slug: string): Promise<string[]>
  disableAccount(who: Who, actor: string): Promise<AccountLine>
  /** Refuses if a factor is active, unless `replace` is set. */
  enrolTotp(who: Who, replace: boolean, actor: string): Promise<TotpEnrolment>
  /** A one-time token with which the password is set; it is not mailed. */
  resetToken(who: Who, actor: string): Promise<{ token: string; link: string; expires_at: string }>
  /** After a restore: ends log-ins, and what had ended in the damaged database `old`. */
  endRestored(old: Reader | null, actor: string): Promise<EndedAgain>
  rotateSigningKey(
    mode: 'graceful' | 'revoke',
    actor: string,
  ): Promise<{ kid: string; state: string }>
}

export type ActOn = {
  /** The account whose access changes. */
  readonly account_id: string
  readonly principal: Pick<Principal, 'id'>
  /** Of the caller. */
  readonly grants: ReadonlySet<string>
}

/** What a surface may know of a person to whom it writes. The address is not a part of it. */
export type Recipient = {
  /** As it was asked: the account, or an API key that it created. */
  readonly principal_id: string
  /** The account. */
  readonly id: string
  readonly display_name: string | null
  readonly locale: string | null
}

export type Face = {
  /**
   * Returns the grants that each holder has now, in the order of the holders. Work that continues
   * after the holder's request uses them. A holder has no grants if the account, the key, its owner
   * or the tenant is not active, or if its narrow session has ended.
   */
  grantsOf(reader: Reader, holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /**
   * Filters the ids to active accounts that now belong to the active tenant: it is their home
   * tenant, or they have a role in it.
   */
  membersOf(
    reader: Reader,
    tenant_id: string,
    account_ids: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** The active people of the tenant behind these accounts and API keys. Others are left out. */
  recipients(
    reader: Reader,
    tenant_id: string,
    principal_ids: readonly string[],
  ): Promise<Recipient[]>
}

export type Inside = Omit<Face, 'recipients'> & {
  readonly access: Access
  /** The same for callers that read grants very often. The result is at most half a second old. */
  recentGrantsOf(holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** For the command line only. */
  readonly administration: Administration
  /** The tenants of the demo that exist. */
  demoTenants(): Promise<readonly DemoTenant[]>
  /**
   * Returns undefined if the mail should not be sent any more. `masked` renders the mail without
   * its token.
   */
  mail(mail_id: string, shown?: 'masked'): Promise<MailToSend | undefined>
  /** Filters the principals to those whose accounts are active. An API key counts as its owner. */
  recipients(
    reader: Reader,
    wanted: readonly { readonly tenant_id: string; readonly principal_id: string }[],
  ): Promise<MailRecipient[]>
  address(account_id: string): Promise<{ address: string; locale: string | null } | undefined>
  /** Whether the tenant is not disabled. Asked for each signed URL. */
  isOpen(reader: Reader, tenant_id: string): Promise<boolean>
  /**
   * What the tenant calls itself. Null while it has no name of its own, or while no operator trusts
   * it: a stranger could take the name of another one.
   */
  nameOf(reader: Reader, tenant_id: string): Promise<string | null>
  /** How the pages of the tenant look. Null: like those of the platform. */
  lookOf(reader: Reader, tenant: { readonly id: string }): Promise<Look | null>
  /**
   * Whether a person may be led to this URL: it is on the platform, at an origin of KERNEL_CORS_ORIGINS,
   * or at that of an application which the tenant or the operator registered.
   */
  leadsHome(reader: Reader, tenant_id: string, url: string): Promise<boolean>
  /**
   * Call it before changing anything of another account that its access depends on. Throws if the
   * account is of a platform operator and the caller is none.
   */
  requireRank(reader: Reader, change: ActOn): Promise<void>
  /** Throws `step_up_required` unless the caller is a person with a fresh and strong log-in. */
  requireStepUp(reader: Reader, principal: Principal): Promise<void>
  accountExists(reader: Reader, tenant_id: string, account_id: string): Promise<boolean>
  /** The ids of all API keys that the account created, also of those that were revoked. */
  keysOf(
    reader: Reader,
    account: { readonly id: string; readonly tenant_id: string },
  ): Promise<readonly string[]>
  /** The account that created the API key, also one that was revoked. Null if no key has the id. */
  ownerOf(reader: Reader, tenant_id: string, key_id: string): Promise<string | null>
  /**
   * The caller's roles in the tenant of its token, including `member`. Null if the account, the key
   * or the session is no longer active.
   */
  rolesOf(
    reader: Reader,
    principal: Pick<Principal, 'id' | 'tenant_id' | 'kind' | 'session_id'>,
  ): Promise<readonly string[] | null>
  /** Finds the tenant by the host name of the request, for a caller that sends no credential. */
  publicTenant(
    reader: Reader,
    host: string | string[] | undefined,
  ): Promise<{ readonly id: string } | undefined>
  sessionAlive(session_id: string): Promise<boolean>
  /** Filters the ids to sessions that were revoked, have expired, or no longer exist. */
  endedSessions(reader: Reader, session_ids: readonly string[]): Promise<readonly string[]>
  /**
   * Makes a short-lived token for the realtime socket. It is not accepted as an access token, and
   * an access token is not accepted as a realtime token.
   */
  realtimeToken(
    session_id: string,
    account_id: string,
    tenant_id: string,
    device_id?: string,
  ): Promise<RealtimeToken>
  /**
   * Uses a realtime token, which works once, and returns its account. Throws `invalid_token` if the
   * token is wrong or was used, or if its session has ended.
   */
  useRealtime(token: string): Promise<RealtimeHolder>
  /** From memory while the list of ended sessions is current. Throws if it cannot be read. */
  hasEnded(session_id: string, tenant_id: string): boolean | Promise<boolean>
  /** Calls the function in this process after a session has ended anywhere. */
  onSessionEnded(listener: (session_id: string) => void): void
  /**
   * Runs before the first request. Prepares the signing key, the cost of hashing, the revocations
   * and the first administrator.
   */
  prepare(first: FirstAdministrator | null): Promise<void>
}
