/**
 * The messages between the parent and the members of a platform of several processes (JSON over
 * IPC).
 */
import type { StartFacts } from '../start-facts.ts'

/** The values of prom-client's `getMetricsAsJSON`. */
export type MetricList = readonly {
  readonly name: string
  readonly help: string
  readonly type: unknown
  readonly values: readonly unknown[]
  readonly aggregator?: string
}[]

export type ToParent =
  | { readonly what: 'ready'; readonly facts: StartFacts }
  | { readonly what: 'failed'; readonly message: string }
  /** Requests the metrics of all processes. */
  | { readonly what: 'gather'; readonly id: number }
  | { readonly what: 'metrics'; readonly id: number; readonly metrics: MetricList }

export type ToMember =
  | { readonly what: 'stop' }
  | { readonly what: 'collect'; readonly id: number }
  | { readonly what: 'gathered'; readonly id: number; readonly lists: readonly MetricList[] }

/** The place of a member: its number and its work. */
export type Place = {
  /** Starts at 1. Each log line and each metric of the member contains this number. */
  readonly number: number
  readonly roles: readonly ('api' | 'worker')[]
  readonly port: number
  /**
   * Whether the member listens. A worker beside api processes does not, because it has no routes
   * for requests.
   */
  readonly listens: boolean
}

/** The variable with which the parent passes a member its place, as JSON. */
export const place_variable = 'DODECA_PLACE'
