/**
 * What the use cases of webhooks share. It is put together once in surface.ts; a use case names the
 * members that it needs with `Pick<Deps, …>`.
 */
import type { Tx } from '../../kernel/database/db.ts'
import type { SafeFetch } from '../../kernel/outgoing/safe-fetch.ts'
import type { Face as Identity } from '../identity/face.ts'
import type { Kernel } from './settings.ts'
import type { JudgeEndpoint } from './endpoint.ts'
import type { Secrets } from './secrets.ts'
import type { Sending } from './sending-settings.ts'
import type { EventTypes } from './types/event-types.ts'

/** How other code notifies the senders of this process that there is something to send. */
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
  /** False while the activity is paused; the caller's transaction delays a pause until it ends. */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
  /** Resolves when every claim of the activity that called it before has ended. */
  closeFence(tx: Tx, activity: string): Promise<void>
}

/** The grants of the owners of subscriptions at the time of sending. */
export type Rights = Pick<Identity, 'recentGrantsOf'>

export type Deps = {
  readonly kernel: Kernel
  readonly types: EventTypes
  readonly secrets: Secrets
  readonly sending: Sending
  readonly judgeEndpoint: JudgeEndpoint
  /** Can reach only what subscribers may name. */
  readonly reach: SafeFetch
  readonly sender: Poke
  readonly jobs: Jobs
  readonly rights: Rights
}
