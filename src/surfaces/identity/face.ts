/**
 * What the platform may ask of identity: who a credential stands for and what they hold, whether an
 * account or session lives, and where a mail goes. A token leaves only through `mail`, when it is sent.
 */
import type { Access } from '../../kernel/access/principal.ts'
import type { Reader } from '../../kernel/database/db.ts'
import type { AccountLine } from './schemas.ts'
import type { CreateTenant } from './tenants/create-tenant.ts'
import type { Tenant } from './tenants/find-tenant.ts'

export type MailToSend = {
  readonly template: string
  readonly address: string
  readonly locale: string | null
  /** Null where the mail only tells something. */
  readonly token: string | null
  /** Where the token is entered by a click. */
  readonly link: string | null
  /** The words, in the language of the mail. */
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly action: string
  readonly code_label: string
}

/** Where an account is written to. */
export type MailRecipient = {
  readonly tenant_id: string
  /** Who was asked for: the account, or an API key that it made. */
  readonly principal_id: string
  readonly id: string
  /** Null where no address is proven. */
  readonly address: string | null
  readonly locale: string | null
}

/** Who a new deployment is administered by. */
export type FirstAdministrator = { readonly email: string; readonly password: string }
/** An account or an API key, in the tenant for which it ordered something. */
export type Holder = { readonly tenant_id: string; readonly principal_id: string }

/** An account by its id or address, and its tenant by the slug. */
export type Who = { readonly tenant: string; readonly account: string }

export type NewAccount = {
  readonly tenant: string
  readonly email: string
  readonly password: string
  readonly display_name: string | null
  readonly role_ids: readonly string[]
}

/**
 * What the operator of the platform's machine may do to tenants and accounts, by the command line. No
 * permission is asked for; every act is audited under the given actor.
 */
export type Administration = {
  createTenant(draft: CreateTenant, actor: string): Promise<Tenant>
  /** Oldest first. */
  tenants(limit: number): Promise<Tenant[]>
  disableTenant(slug: string, actor: string): Promise<Tenant>
  /** Active and with a proven address; null where the address has an account already. */
  createAccount(person: NewAccount, actor: string): Promise<AccountLine | null>
  /** Of one tenant, or of all; newest first. */
  accounts(
    filter: { readonly tenant?: string | undefined; readonly status?: string | undefined },
    limit: number,
  ): Promise<AccountLine[]>
  /** False where nothing had to be changed. */
  grant(who: Who, role_id: string, actor: string): Promise<boolean>
  revoke(who: Who, role_id: string, actor: string): Promise<boolean>
  disableAccount(who: Who, actor: string): Promise<AccountLine>
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
   * What each of them holds now, for work that goes on without their request; nothing where the account,
   * the key, the person behind it or the tenant is not active. In the order of the holders.
   */
  grantsOf(reader: Reader, holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** The same for work that would ask very often: at most half a second old. */
  recentGrantsOf(holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** For the command line only. */
  readonly administration: Administration
  /** Undefined once the mail is not to be sent any more; `masked` shows it without its token. */
  mail(mail_id: string, shown?: 'masked'): Promise<MailToSend | undefined>
  /** Those of these principals whose accounts are active; an API key stands for its maker. */
  recipients(
    reader: Reader,
    wanted: readonly { readonly tenant_id: string; readonly principal_id: string }[],
  ): Promise<MailRecipient[]>
  address(account_id: string): Promise<{ address: string; locale: string | null } | undefined>
  accountExists(reader: Reader, tenant_id: string, account_id: string): Promise<boolean>
  /** The tenant that a caller without a credential means, by the host that they asked. */
  publicTenant(
    reader: Reader,
    host: string | string[] | undefined,
  ): Promise<{ readonly id: string } | undefined>
  sessionAlive(session_id: string): Promise<boolean>
  /** A short-lived token for the realtime socket; it is no access token, nor the other way round. */
  realtimeToken(session_id: string, account_id: string, tenant_id: string): Promise<string>
  /** Before the first request: signing key, cost of hashing, revocations, first administrator. */
  prepare(first: FirstAdministrator | null): Promise<void>
}
