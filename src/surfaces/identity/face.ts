/**
 * What the platform may ask of identity: who a credential stands for and what they hold, whether an
 * account or session lives, and where a mail goes. A token leaves only through `mail`, when it is sent.
 * What other surfaces have to tell the owner of something goes out as a mail of ours.
 */
import type { Access } from '../../kernel/access/principal.ts'
import type { Reader, Tx } from '../../kernel/database/db.ts'
import type { Administration } from './administration/port.ts'

/** Plain words for the owner of something; they are kept with the mail, so they hold no secret. */
export type Notice = {
  /** `<surface>.<what>`; the mail carries it as a header, by which its reader may sort. */
  readonly category: string
  /** One line. */
  readonly subject: string
  /** Paragraphs. */
  readonly says: readonly string[]
}

export type MailToSend = {
  readonly template: string
  readonly address: string
  readonly locale: string | null
  /** Null for a notice. */
  readonly token: string | null
  /** Where the token is entered by a click. */
  readonly link: string | null
  /** Another surface's words, where the template is `notice`. */
  readonly notice: Notice | null
}

/** Who a new deployment is administered by. */
export type FirstAdministrator = { readonly email: string; readonly password: string }
/** An account or an API key, in the tenant for which it ordered something. */
export type Holder = { readonly tenant_id: string; readonly principal_id: string }

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
  /** Undefined once the mail is not to be sent any more. */
  mail(mail_id: string): Promise<MailToSend | undefined>
  address(account_id: string): Promise<{ address: string; locale: string | null } | undefined>
  accountExists(reader: Reader, tenant_id: string, account_id: string): Promise<boolean>
  /**
   * Asks for one mail in the caller's commit; none where the account is not there, is disabled or has
   * proven no address. An API key stands for the account that made it.
   */
  tellAccount(
    tx: Tx,
    to: { readonly tenant_id: string; readonly principal_id: string },
    notice: Notice,
  ): Promise<void>
  sessionAlive(session_id: string): Promise<boolean>
  /** A short-lived token for the realtime socket; it is no access token, nor the other way round. */
  realtimeToken(session_id: string, account_id: string, tenant_id: string): Promise<string>
  /** Before the first request: signing key, cost of hashing, revocations, first administrator. */
  prepare(first: FirstAdministrator | null): Promise<void>
}
