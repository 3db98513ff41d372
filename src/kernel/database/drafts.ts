/** What a transaction collects until its commit: events, audit records, and what follows. */
import type { Static, TSchema } from 'typebox'

export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

export type EventDraft = {
  /**
   * The caller makes the id if one of its rows stores the id. Otherwise the id is made when the
   * event is emitted.
   */
  readonly id?: string
  readonly type: string
  readonly tenant_id: string
  readonly aggregate_type: string
  readonly aggregate_id: string
  readonly aggregate_version: number
  readonly data: unknown
  /** Of a type that was declared over HTTP: the version by whose schema the data was checked. */
  readonly schema_version?: number
  /**
   * The trace of the cause, if it differs from the trace of the running work. For example, one
   * commit may end many jobs.
   */
  readonly traceparent?: string | null
  /** What wrote the event, if it has a trace of its own. For example `run report.build`. */
  readonly written_by?: string | null
}

/** What every event stores about the work that wrote it. */
export type Origin = { readonly traceparent: string | null; readonly written_by: string | null }

/** A buffered event already has its id, so that the code that emits it can use the id. */
export type BufferedEvent = EventDraft & { readonly id: string }

export type AuditFacts = {
  /** The default is the caller of the request. Work without a request names it. */
  readonly by?: { readonly tenant_id: string | null; readonly id: string } | undefined
  readonly reason?: string | null | undefined
}

export type AuditDraft = AuditFacts & { readonly action: string; readonly target: string }

/** The result of the function is ignored, except a promise. */
export type AfterCommit = (() => void) | (() => Promise<void>)

/** The outcome of a statement that is sent with COMMIT. */
export type AtCommit<S extends TSchema> = {
  readonly row: S
  /** Gets the rows that the statement returns, before `afterCommit` runs. */
  answered(rows: Static<S>[]): void
}
