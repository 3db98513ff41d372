/**
 * The dependencies that the use cases of links share. surface.ts creates them once. A use case
 * lists the properties that it needs with `Pick<Deps, …>`.
 */
import type { Reader, ReservedWords, Tx, TxtLookup } from '#dodeca/kernel'
import type { BlockedPatterns } from './destinations/blocked-patterns.ts'
import type { Kernel } from './settings.ts'
import type { LookAlikes } from './destinations/look-alikes.ts'
import type { UrlReputation } from './destinations/reputation.ts'
import type { PlatformDomain } from './domains/platform.ts'
import type { Changes } from './cache/publish-change.ts'
import type { RedirectNode } from './cache/node.ts'

/** The part of the jobs surface that links uses for its long work. */
export type Jobs = {
  submit(
    tx: Tx,
    order: {
      readonly type: string
      readonly tenant_id: string
      readonly parameters: unknown
      /** The principal that may see the job. */
      readonly principal_id: string
      readonly session_id?: string | null
    },
  ): Promise<{ readonly id: string }>
}

/** The part of the identity surface that links uses. */
export type People = {
  /** The ids of all API keys that the account created in the tenant, also of those that were revoked. */
  keysOf(
    reader: Reader,
    account: { readonly id: string; readonly tenant_id: string },
  ): Promise<readonly string[]>
}

export type Deps = {
  readonly kernel: Kernel
  readonly platform: PlatformDomain
  readonly reserved: ReservedWords
  readonly changes: Changes
  /** The state of this process for redirects. */
  readonly node: RedirectNode
  /** Makes random codes of the given length. */
  readonly newCode: (length: number) => string
  readonly lookAlikes: LookAlikes
  readonly patterns: BlockedPatterns
  /** Null if no external engine checks destinations. */
  readonly reputation: UrlReputation | null
  readonly lookUpTxt: TxtLookup
  readonly jobs: Jobs
  readonly people: People
}
