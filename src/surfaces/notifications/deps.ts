/** What the use cases of notifications share. A use case names the members that it needs with `Pick<Deps, …>`. */
import type { Reader, Tx } from '../../kernel/database/db.ts'
import type { Kernel } from './settings.ts'
import type { Providers } from './providers/providers.ts'
import type { Templates } from './templates/find-template.ts'
import type { UnsubscribeLinks } from './suppressions/unsubscribe-links.ts'
import type { Vault } from './vault.ts'

export type Person = {
  readonly tenant_id: string
  /** The account; of an API key, the one that made it. */
  readonly id: string
  /** Null where no address is proven. */
  readonly address: string | null
  readonly locale: string | null
}

export type AccountMail = {
  readonly template: string
  readonly address: string
  readonly locale: string | null
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** The button's word, and the word in front of the bare code. */
  readonly action: string
  readonly code_label: string
  readonly token: string | null
  readonly link: string | null
}

/** What is asked of identity. */
export type People = {
  /** Active accounts of these tenants, with their proven addresses; others are left out. */
  recipients(
    reader: Reader,
    wanted: readonly { readonly tenant_id: string; readonly principal_id: string }[],
  ): Promise<(Person & { readonly principal_id: string })[]>
  accountExists(reader: Reader, tenant_id: string, account_id: string): Promise<boolean>
  /** Undefined once it is not to be sent any more; `shown` masks what only the mail may hold. */
  mail(mail_id: string, shown?: 'masked'): Promise<AccountMail | undefined>
}

/** The part of the jobs surface by which operators pause the sending. */
export type Jobs = {
  activities(names: readonly string[]): void
  /** False while the activity is paused; the caller's transaction holds a pause back until it ends. */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
}

export type Deps = {
  readonly jobs: Jobs
  readonly kernel: Kernel
  readonly people: People
  readonly vault: Vault
  readonly templates: Templates
  readonly providers: Providers
  readonly unsubscribe: UnsubscribeLinks
}
