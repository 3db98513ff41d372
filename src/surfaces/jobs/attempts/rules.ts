/** What the engine must know of a job type, built in or registered over HTTP. */
import type { Backoff } from './ends/backoff.ts'

export type TypeVersion = { readonly type: string; readonly schema_version: number }

export type TypeRules = TypeVersion & {
  readonly lease_seconds: number
  readonly timeout_seconds: number
  readonly backoff: Backoff
  /** Exact, over all processes; null means that the type has no cap. */
  readonly tenant_max_running: number | null
}
