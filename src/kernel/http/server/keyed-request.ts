/**
 * Prepares a keyed request for the idempotency store: its scope and fingerprint, the refusals that
 * count as outcomes, and its effect (inside one transaction, outside, or as a stream).
 */
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Db } from '../../database/db.ts'
import { fingerprint } from '../../idempotency/fingerprint.ts'
import { sealOf } from '../../idempotency/sealed-outcomes.ts'
import type { Keyring } from '../../keys.ts'
import type { SseEvent } from '../streams/sse.ts'
import type { KeyedStream } from '../../idempotency/keyed-stream.ts'
import type { KeyedWork } from '../../idempotency/keyed-work.ts'
import {
  storedKey,
  type KeyedScope,
  type Outcome,
  type RecordRules,
} from '../../idempotency/records.ts'
import type { CompiledRoute } from './compile-route.ts'
import { Problem, renderProblem } from '../../errors/problem.ts'
import type { Exchanged } from './exchange.ts'
import type { Rendered } from '../contract/reply.ts'
import type { AnyContext, Reply } from '../contract/route.ts'
import { withinTransaction } from './within-transaction.ts'

type KeyedDeps = {
  readonly db: Db
  readonly public_url: string
  readonly retention_hours: number
  readonly keys: Pick<Keyring, 'seal' | 'open'>
}

export type KeyedRequest = {
  readonly deps: KeyedDeps
  readonly compiled: CompiledRoute
  readonly exchange: Exchanged
  readonly context: AnyContext
  readonly key: string
}

export function keyedWork(asked: KeyedRequest): KeyedWork {
  const { deps, compiled } = asked
  const scope = scopeOf(asked)
  const context = {
    ...asked.context,
    key: { value: asked.key, fingerprint: scope.fingerprint },
  }
  const keyed = { ...asked, context }
  return {
    scope,
    ...(compiled.route.consumes === 'stream' ? { whole: () => wholeScope(asked, scope) } : {}),
    rules: rulesOf(keyed, scope),
    isRecordable: refusal => isRecordable(refusal, context),
    refuse: refusal => refusalOf(keyed, refusal),
    refuseAgain: refused => {
      const document = JSON.parse(refused.body ?? '{}') as object
      return {
        ...refused,
        body: JSON.stringify({ ...document, request_id: context.request.id }),
      }
    },
    again: async ({ status }, resource_ref) => {
      const { again } = compiled.route
      if (!again) throw new Error(`${compiled.operation} stores no body and cannot render it again`)
      const shown = await deps.db.tx(tx =>
        again({ ...withinTransaction(tx, context), resource_ref, status }),
      )
      return render(compiled, shown)
    },
    effect: effectOf(keyed),
  }
}

export function keyedStream(keyed: KeyedRequest): KeyedStream<SseEvent> {
  const { compiled } = keyed
  const { streaming, lease_seconds } = compiled.route
  if (!streaming || !lease_seconds) throw new Error(`${compiled.operation} is not a keyed stream`)
  const scope = scopeOf(keyed)
  const context = { ...keyed.context, key: { value: keyed.key, fingerprint: scope.fingerprint } }
  const preparation = preparationOf({ ...keyed, context })
  return {
    scope,
    rules: rulesOf(keyed, scope),
    lease_seconds,
    operation: streaming,
    prepare: preparation.prepare,
    begin: (tx, operation_id) =>
      streaming.begin({
        ...withinTransaction(tx, context),
        operation_id,
        prepared: preparation.take(),
      }),
    signal: context.request.signal,
  }
}

function scopeOf({ compiled, exchange, context, key }: KeyedRequest): KeyedScope {
  const { principal } = context
  if (!principal) throw new Error('a keyed operation needs a principal')
  return {
    principal_id: principal.id,
    tenant_id: principal.tenant_id,
    operation: compiled.operation,
    request_id: context.request.id,
    key: storedKey(key),
    fingerprint: fingerprint({
      tenant_id: principal.tenant_id,
      operation: compiled.operation,
      params: context.params,
      query: exchange.query,
      media_type: mediaType(exchange.headers['content-type']),
      body: exchange.body,
    }),
  }
}

/** With the fingerprint of a streamed body, which is known when the body was read. */
async function wholeScope({ exchange }: KeyedRequest, head: KeyedScope) {
  const digest = await exchange.digestOfStream()
  if (!digest) return null
  const print = hash('sha256', Buffer.concat([head.fingerprint, digest]), 'buffer')
  return { ...head, fingerprint: print }
}

function rulesOf({ deps, compiled }: KeyedRequest, scope: KeyedScope): RecordRules {
  const { record } = compiled.route
  return {
    retention_hours: deps.retention_hours,
    by_reference: record === 'reference',
    seal: record === 'sealed' ? sealOf(deps.keys, scope) : null,
  }
}

/**
 * A 404 of the path is checked again at each retry. A 404 of an object in the body is an outcome. A
 * refusal that says to try again is none, so that the same key gets on later.
 */
function isRecordable(refusal: Problem, context: AnyContext): boolean {
  if (refusal.retryable || refusal.code.startsWith('idempotency_')) return false
  if (refusal.status === 404) return Object.keys(context.params).length === 0
  return refusal.status === 409 || refusal.status === 422
}

function refusalOf({ deps, compiled, context }: KeyedRequest, refusal: Problem): Outcome {
  return {
    status: refusal.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...refusal.details.headers,
    },
    body: renderProblem(refusal, {
      public_url: deps.public_url,
      path: context.request.path,
      request_id: context.request.id,
      problemAs: compiled.route.problemAs,
    }),
  }
}

function effectOf(keyed: KeyedRequest): KeyedWork['effect'] {
  const { compiled, context } = keyed
  const { operation, handle, lease_seconds } = compiled.route
  const { prepare, take } = preparationOf(keyed)
  if (operation && lease_seconds) {
    return {
      lease_seconds,
      prepare,
      begin: async (tx, operation_id) => {
        const prepared = take()
        const early = await operation.begin({
          ...withinTransaction(tx, context),
          operation_id,
          prepared,
        })
        return early && render(compiled, early)
      },
      // The caller may disconnect, but the operation still completes.
      call: (operation_id, attempt, lost) =>
        operation.call(operation_id, attempt, AbortSignal.any([context.request.stopping, lost]), {
          ...context,
          prepared: take(),
        }),
      finish: async (tx, operation_id, called) => {
        const finished = await operation.finish(tx, operation_id, called)
        return finished instanceof Problem ? refusalOf(keyed, finished) : render(compiled, finished)
      },
    }
  }
  if (!handle) throw new Error(`${compiled.operation} has no handler`)
  return {
    prepare,
    run: async tx =>
      render(compiled, await handle({ ...withinTransaction(tx, context), prepared: take() })),
  }
}

function preparationOf({ compiled, context }: KeyedRequest) {
  let prepared: unknown
  let refusal: Problem | undefined
  return {
    prepare: async () => {
      try {
        prepared = await compiled.route.prepare?.(context)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        // This reply is an outcome, like the reply of a handler. An outcome that is already
        // recorded for the key takes precedence.
        refusal = error
      }
    },
    take: () => {
      if (refusal) throw refusal
      return prepared
    },
  }
}

export function present(compiled: CompiledRoute, reply: Reply): Rendered {
  const { status, body, headers } = reply
  const raw = body instanceof Readable || body instanceof Uint8Array
  if (!raw) return render(compiled, reply)
  return { status, headers, body }
}

export function render(compiled: CompiledRoute, { status, body, headers }: Reply): Outcome {
  const text = compiled.serialize(status, body)
  const lower: Record<string, string | readonly string[]> = {}
  if (text !== null) lower['content-type'] = `${compiled.media_types[0]}; charset=utf-8`
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value
  return { status, headers: lower, body: text }
}

export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
