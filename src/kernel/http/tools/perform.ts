/**
 * Performs an operation from inside, as its caller would over HTTP: the same steps, with the grants
 * of now, the schemas, the key and the transaction. Only the connection is missing, and a recent
 * log-in: what requires one refuses.
 */
import type { IncomingMessage } from 'node:http'
import { isNarrow } from '../../access/scopes.ts'
import { completeDenial } from '../../access/permission-denied.ts'
import type { Principal } from '../../access/principal.ts'
import { Problem, renderProblem } from '../../errors/problem.ts'
import { newId } from '../../ids.ts'
import { currentTraceparent, traceOfRequest } from '../../observability/context.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { Headers } from '../contract/reply.ts'
import type { CompiledRoute } from '../server/compile-route.ts'
import type { Exchanged, Refused } from '../server/exchange.ts'
import { admitted, withinItsScope, type GuardDeps } from '../server/admit-caller.ts'
import { admit, handleRequest, type RequestDeps } from '../server/request-steps.ts'
import { logRequest, type RequestLogs } from '../server/log-request.ts'
import { refusalFor, refusedBy, type ProblemDeps } from '../server/send-reply.ts'
import { stillHolds } from '../server/still-holds.ts'
import { requestOf, type Arguments } from './arguments.ts'
import type { Operation, Operations } from './operations.ts'

export type Performing = {
  /** The operationId. */
  readonly operation: string
  readonly principal: Principal
  readonly arguments: Arguments
  /** The Idempotency-Key: with the same one, a write is made once. */
  readonly key?: string | undefined
  readonly signal: AbortSignal
  /** The address of the caller. */
  readonly ip: string
  /** The request for which it is performed, for its audit records and its log. */
  readonly request_id?: string | undefined
}

/** A reply as it would be sent. `refusal` is the problem that its body says. */
export type Performed = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | null
  readonly replayed: boolean
  readonly refusal: Problem | null
}

export type Perform = {
  perform(asked: Performing): Promise<Performed>
  /** Whether it may be performed now. Returns the refusal, and changes nothing. */
  check(asked: Performing): Promise<Performed | null>
  /** Why the caller could not perform it now, whatever its arguments. Null if it could. */
  refusal(asked: Pick<Performing, 'operation' | 'principal'>): Promise<Problem | null>
}

type Found = Omit<Performing, 'operation'> & { readonly operation: Operation }

export type PerformDeps = RequestDeps &
  Pick<ProblemDeps, 'strict'> &
  RequestLogs &
  Pick<GuardDeps, 'rates' | 'tenants' | 'deprecatedCalls' | 'stopping'> & {
    readonly metrics: Metrics
  }

export function openPerform(deps: PerformDeps, operations: Operations): Perform {
  const named = (name: string): Operation => {
    const operation = operations.get(name)
    if (!operation) throw new Error(`models do not reach the operation ${name}`)
    return operation
  }
  const find = (asked: Performing): Found => {
    const operation = named(asked.operation)
    // Few operations look at the signal, and making one costs as much as a small read.
    return Object.create(asked, { operation: { value: operation } }) as Found
  }
  return {
    perform: asked =>
      refusing(deps, find(asked), async call => {
        const { compiled } = call
        call.principal = admitted(deps, compiled, call)
        deps.deprecatedCalls.count(compiled, call)
        const answer = await handleRequest(deps, compiled, call)
        if (answer.kind === 'stream') throw new Error(`${compiled.operation} is a stream`)
        const { outcome, replayed } = answer.result
        const { status, headers, body } = outcome
        if (body !== null && typeof body !== 'string') {
          throw new Error(`${compiled.operation} does not return JSON`)
        }
        return { status, headers, body, replayed, refusal: null }
      }),
    check: asked =>
      refusing(deps, find(asked), async call => {
        const { compiled } = call
        const { principal } = asked
        deps.tenants.check(principal, call.method)
        call.principal = isNarrow(principal)
          ? withinItsScope(deps, compiled, call, principal)
          : principal
        await admit(deps, compiled, call)
        return null
      }),
    refusal: async ({ operation, principal }) => {
      const { compiled } = named(operation)
      const { route, permission } = compiled
      try {
        if (isNarrow(principal)) withinItsScope(deps, compiled, route, principal)
        await stillHolds(deps, principal, permission, route.method)
        return null
      } catch (error) {
        const known = (await completeDenial(deps, principal, error, route.method)) ?? error
        if (known instanceof Problem && known.status < 500) return known
        throw known
      }
    },
  }
}

async function refusing<T extends Performed | null>(
  deps: PerformDeps,
  asked: Found,
  act: (call: InnerRequest) => Promise<T>,
): Promise<T | Performed> {
  const { compiled } = asked.operation
  const { route } = compiled
  const began_ms = performance.now()
  let call: InnerRequest | undefined
  let status = 200
  try {
    call = new InnerRequest(asked, deps.stopping)
    const done = await act(call)
    status = done?.status ?? status
    return done
  } catch (error) {
    const known = await completeDenial(deps, asked.principal, error, route.method)
    const request_id = call?.id ?? asked.request_id ?? newId()
    const refusal = refusalFor(deps, compiled, request_id, known ?? error)
    status = refusal.status
    if (call) call.refused = refusedBy(refusal)
    const { public_url } = deps
    const body = renderProblem(refusal, { public_url, path: call?.path ?? route.path, request_id })
    const headers = (refusal.details.headers ?? {}) as Headers
    return { status, headers, body, replayed: false, refusal }
  } finally {
    const elapsed_ms = performance.now() - began_ms
    const labels = { method: route.method, route: route.path, status }
    deps.metrics.requests.observe(labels, elapsed_ms / 1000)
    if (call) logRequest(deps, call, status, elapsed_ms)
  }
}

const empty = Buffer.alloc(0)

/** A request without a connection. */
class InnerRequest implements Exchanged {
  readonly compiled: CompiledRoute
  readonly id: string
  readonly method: string
  readonly path: string
  readonly search = ''
  readonly ip: string
  readonly headers: IncomingMessage['headers']
  readonly params: Exchanged['params']
  readonly query: Exchanged['query']
  readonly body: unknown
  readonly stopping: AbortSignal
  readonly reply_headers: Exchanged['reply_headers'] = {}
  readonly response = null
  readonly opened = false
  readonly lasts = false
  readonly raw = empty
  readonly traceparent: string
  readonly began_ms = performance.now()
  principal: Principal | null
  refused: Refused | null = null
  private readonly asked: Pick<Performing, 'signal'>

  constructor(asked: Found, stopping: AbortSignal) {
    const { operation, principal, arguments: given, key, ip, request_id } = asked
    this.compiled = operation.compiled
    this.id = request_id ?? newId()
    this.method = operation.compiled.route.method
    this.ip = ip
    this.stopping = stopping
    this.asked = asked
    this.traceparent = currentTraceparent() ?? traceOfRequest(this.id)
    // No log-in of this person is recent: a tool that requires one refuses.
    this.principal = { ...principal, auth_time: 0 }
    const { params, query, headers, path, body } = requestOf(operation, given, key)
    this.params = params
    this.query = query
    this.headers = headers
    this.path = path
    this.body = body
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.asked.signal, this.stopping])
  }

  stream(): never {
    throw new Error('a call from inside has no body that streams')
  }

  digestOfStream(): Promise<null> {
    return Promise.resolve(null)
  }
}
