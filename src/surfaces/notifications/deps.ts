/**
 * The dependencies that the use cases of notifications share. A use case lists the dependencies
 * that it uses with `Pick<Deps, …>`.
 */
import type { Principal, Reader, Tx } from '#dodeca/kernel'
import type { Holder } from '../identity/face.ts'
import type { Categories } from './categories/find-category.ts'
import type { Kernel } from './settings.ts'
import type { MailSource } from './face.ts'
import type { MailKind } from './schemas.ts'
import type { Providers } from './providers/providers.ts'
import type { Templates } from './templates/find-template.ts'
import type { UnsubscribeLinks } from './suppressions/unsubscribe-links.ts'
import type { Vault } from './vault.ts'

export type Person = {
  readonly tenant_id: string
  /** The account; for an API key, the account that created it. */
  readonly id: string
  /** Null if no address is verified. */
  readonly address: string | null
  readonly locale: string | null
}

export type AccountMail = {
  readonly template: string
  readonly address: string
  readonly locale: string | null
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** The text of the button, and the text before the plain code. */
  readonly action: string
  readonly code_label: string
  readonly code: string | null
  readonly link: string | null
}

/** The functions that notifications needs from identity. */
export type People = {
  /**
   * Active accounts of these tenants with their verified addresses. Other accounts are left out.
   */
  recipients(
    reader: Reader,
    wanted: readonly { readonly tenant_id: string; readonly principal_id: string }[],
  ): Promise<(Person & { readonly principal_id: string })[]>
  /** The grants that accounts and API keys have now, in the order of the holders. */
  grantsOf(reader: Reader, holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** The same, at most half a second old. */
  recentGrantsOf(holders: readonly Holder[]): Promise<readonly ReadonlySet<string>[]>
  /** Throws if the account is of a platform operator and the caller is none. */
  requireRank(
    reader: Reader,
    change: {
      readonly account_id: string
      readonly principal: Principal
      readonly grants: ReadonlySet<string>
    },
  ): Promise<void>
  accountExists(reader: Reader, tenant_id: string, account_id: string): Promise<boolean>
  /** The account that created the API key. */
  ownerOf(reader: Reader, tenant_id: string, key_id: string): Promise<string | null>
  /** Filters the ids to active accounts that belong to the tenant now. */
  membersOf(
    reader: Reader,
    tenant_id: string,
    account_ids: readonly string[],
  ): Promise<ReadonlySet<string>>
  /**
   * Undefined if the mail should not be sent any more. `shown` masks the parts that only the mail
   * may contain.
   */
  mail(mail_id: string, shown?: 'masked'): Promise<AccountMail | undefined>
}

/** The port of the jobs surface through which operators pause sending. */
export type Jobs = {
  activities(names: readonly string[]): void
  /** False while the activity is paused. A pause waits until the caller's transaction ends. */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
}

export type Deps = {
  readonly jobs: Jobs
  readonly kernel: Kernel
  readonly people: People
  readonly vault: Vault
  readonly categories: Categories
  readonly templates: Templates
  readonly providers: Providers
  readonly unsubscribe: UnsubscribeLinks
  /** Plugged by the surfaces above. */
  readonly mails: Map<MailKind, MailSource>
}
