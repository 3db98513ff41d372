/**
 * What the use cases of webhooks share. surface.ts puts it together once. A use case names the
 * properties that it needs with `Pick<Deps, …>`.
 */
import type { Tx } from '../../kernel/database/db.ts'
import type { SafeFetch } from '../../kernel/outgoing/safe-fetch.ts'
import type { Face as Identity } from '../identity/face.ts'
import type { Kernel } from './settings.ts'
import type { JudgeEndpoint } from './endpoint.ts'
import type { Secrets } from './secrets.ts'
import type { Sending } from './sending-settings.ts'
import type { EventTypes } from './types/event-types.ts'

/** Tells the senders of this process that there is something to send. */
export type Poke = {
  /** Deliveries of these subscriptions are due. */
  poke(subscription_ids: readonly string[]): void
}

/** The part of the jobs surface that webhooks uses for long work and pauses. */
export type Jobs = {
  submit(
    tx: Tx,
    order: {
      readonly type: string
      readonly tenant_id: string
      readonly parameters: unknown
      /** Who may see it. */
      readonly principal_id: string
      /** The same for the replay and its job. */
      readonly id: string
    },
  ): Promise<unknown>
  /** Work with its own queue that can be paused like a type. */
  activities(names: readonly string[]): void
  /**
   * Returns false while the activity is paused. The caller's transaction delays a pause until it
   * ends.
   */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
  /** Resolves when every earlier claim of the activity has ended. */
  closeFence(tx: Tx, activity: string): Promise<void>
}

/** The grants that the owners of subscriptions have at the time of sending. */
export type Rights = Pick<Identity, 'recentGrantsOf'>

export type Deps = {
  readonly kernel: Kernel
  readonly types: EventTypes
  readonly secrets: Secrets
  readonly sending: Sending
  readonly judgeEndpoint: JudgeEndpoint
  /** It connects only to addresses that subscribers may use. */
  readonly reach: SafeFetch
  readonly sender: Poke
  readonly jobs: Jobs
  readonly rights: Rights
}
