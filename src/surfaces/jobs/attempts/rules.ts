/**
 * The rules of a job type that the engine needs, for built-in types and types registered over HTTP.
 */
import type { Backoff } from './backoff.ts'

export type TypeVersion = { readonly type: string; readonly schema_version: number }

export type TypeRules = TypeVersion & {
  readonly lease_seconds: number
  readonly timeout_seconds: number
  readonly backoff: Backoff
  /** The cap is exact over all processes. Null means that the type has no cap. */
  readonly tenant_max_running: number | null
}
