/**
 * What the use cases of links share. It is put together once in surface.ts; a use case names the members
 * that it needs with `Pick<Deps, …>`.
 */
import type { Tx } from '../../kernel/database/db.ts'
import type { BlockedPatterns } from './destinations/blocked-patterns.ts'
import type { Kernel } from './settings.ts'
import type { LookAlikes } from './destinations/look-alikes.ts'
import type { UrlReputation } from './destinations/reputation.ts'
import type { TxtLookup } from './domains/txt-lookup.ts'
import type { PlatformDomain } from './domains/platform.ts'
import type { Changes } from './cache/publish-change.ts'
import type { RedirectNode } from './cache/node.ts'
import type { ReservedWords } from './shortening/reserved-words.ts'

/** The part of the jobs surface that links hand their long work to. */
export type Jobs = {
  submit(
    tx: Tx,
    order: {
      readonly type: string
      readonly tenant_id: string
      readonly parameters: unknown
      /** Who may see it. */
      readonly principal_id: string
    },
  ): Promise<{ readonly id: string }>
}

export type Deps = {
  readonly kernel: Kernel
  readonly platform: PlatformDomain
  readonly reserved: ReservedWords
  readonly changes: Changes
  /** This process as the redirects see it. */
  readonly node: RedirectNode
  /** Random codes of the length asked for. */
  readonly newCode: (length: number) => string
  readonly lookAlikes: LookAlikes
  readonly patterns: BlockedPatterns
  /** Null where nobody is asked about destinations. */
  readonly reputation: UrlReputation | null
  readonly lookUpTxt: TxtLookup
  readonly jobs: Jobs
}
