/**
 * The context of the running work: the request id for audit records and logs, and the trace that
 * events and outgoing calls continue. No decision depends on the context.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export type WorkContext = {
  readonly request_id: string | null
  readonly traceparent: string | null
  /** The route of a request, or the name of other work. Null for a transaction of several requests. */
  readonly name: string | null
  /** The caller of a request, for audit records. */
  readonly caller?: { readonly tenant_id: string; readonly id: string } | null | undefined
  /** The tenant and the ids that the work is about, for fault points. */
  readonly about?: readonly string[]
}

export const workContext = new AsyncLocalStorage<WorkContext>()

export function currentTraceparent(): string | null {
  return workContext.getStore()?.traceparent ?? null
}

export function currentWork(): string | null {
  return workContext.getStore()?.name ?? null
}

export function currentAbout(): readonly string[] {
  return workContext.getStore()?.about ?? []
}

export function currentCaller(): WorkContext['caller'] {
  return workContext.getStore()?.caller
}

export function currentRequestId(): string | null {
  return workContext.getStore()?.request_id ?? null
}

/** W3C trace context: version 00, and neither id is all zeros. */
export function parseTraceparent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header)
  return match && !/^0+$/.test(match[1] ?? '') && !/^0+$/.test(match[2] ?? '') ? header : null
}

/** The trace of a request without a trace of its caller: its trace id is the request id. */
export function traceOfRequest(request_id: string): string {
  const hex = request_id.replaceAll('-', '')
  return `00-${hex}-${hex.slice(16)}-00`
}
