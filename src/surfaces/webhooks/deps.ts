/**
 * The dependencies that the use cases of webhooks share. surface.ts creates them once. A use case
 * lists the properties that it needs with `Pick<Deps, …>`.
 */
import type { SafeFetch, Tx } from '#dodeca/kernel'
import type { Inside as Identity } from '../identity/face.ts'
import type { Kernel } from './settings.ts'
import type { JudgeEndpoint } from './endpoint.ts'
import type { Secrets } from './sealed-secrets.ts'
import type { Sending } from './sending-settings.ts'
import type { EventTypes } from './types/event-types.ts'

/** Wakes the senders of all processes. */
export const sender_topic = 'webhooks.sender'

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
      /** The principal that may see the job. */
      readonly principal_id: string
      readonly session_id: string | null
      /** The id of the job. A replay and its job have the same id. */
      readonly id: string
    },
  ): Promise<unknown>
  /** Declares activities: work with its own queue, which can be paused like a job type. */
  activities(names: readonly string[]): void
  /**
   * Returns false while the activity is paused. A pause that is requested later waits until the
   * caller's transaction ends.
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
  /** Sends requests only to addresses that subscribers may use. */
  readonly reach: SafeFetch
  readonly sender: Poke
  readonly jobs: Jobs
  readonly rights: Rights
}
