/** What a platform of several processes says between its parent and its members (JSON over IPC). */
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
  /** The metrics of all processes, please. */
  | { readonly what: 'gather'; readonly id: number }
  | { readonly what: 'metrics'; readonly id: number; readonly metrics: MetricList }

export type ToMember =
  | { readonly what: 'stop' }
  | { readonly what: 'collect'; readonly id: number }
  | { readonly what: 'gathered'; readonly id: number; readonly lists: readonly MetricList[] }

/** The place of a member: which process it is, and its work. */
export type Place = {
  /** From 1; it is in each line of its log and in each of its metrics. */
  readonly number: number
  readonly roles: readonly ('api' | 'worker')[]
  readonly port: number
  /** A worker beside api processes has no port: requests on it would reach no route. */
  readonly listens: boolean
}

/** The variable in which the parent tells a member its place, as JSON. */
export const place_variable = 'DODECA_PLACE'
