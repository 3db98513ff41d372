/**
 * What the use cases of webhooks share. It is put together once in surface.ts; a use case names the
 * members that it needs with `Pick<Deps, …>`.
 */
import type { SafeFetch } from '../../kernel/outside/safe-fetch.ts'
import type { Kernel } from '../../kernel/surface.ts'
import type { JudgeEndpoint } from './endpoint.ts'
import type { Secrets } from './secrets.ts'
import type { Sending } from './settings.ts'
import type { EventTypes } from './types/event-types.ts'

/** How others tell the senders of this process that there is something to send. */
export type Poke = {
  /** Deliveries of these subscriptions are due. */
  poke(subscription_ids: readonly string[]): void
}

export type Deps = {
  readonly kernel: Kernel
  readonly types: EventTypes
  readonly secrets: Secrets
  readonly sending: Sending
  readonly judgeEndpoint: JudgeEndpoint
  /** Reaches what subscribers name, and nothing else. */
  readonly reach: SafeFetch
  readonly sender: Poke
}
