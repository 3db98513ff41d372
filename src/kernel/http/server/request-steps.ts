/**
 * The steps of one request after its body was read, in the order of the contract: key syntax (400),
 * permission (403), path and schema (404, 422), type-scoped permission (403), idempotency, one
 * transaction, handler, reply schema, commit, reply.
 */
import { allowsSome, allowsType, type PermissionCatalog } from '../../access/permissions.ts'
import { lacks } from '../../access/permission-denied.ts'
import type { Access } from '../../access/principal.ts'
import { workContext, type WorkContext } from '../../observability/context.ts'
import type { Db, Reader, Tx } from '../../database/db.ts'
import type { Fault } from '../../faults.ts'
import { newId } from '../../ids.ts'
import { after } from '../contract/after.ts'
import { wantsEvents, type CompiledRoute } from './compile-route.ts'
import { inspect } from '../input/content.ts'
import type { Cursors, Query } from '../contract/cursor.ts'
import type { Exchanged } from './exchange.ts'
import { refuseVersions } from './refuse-versions.ts'
import { storedKey, type Outcome } from '../../idempotency/records.ts'
import type { SseEvent } from '../streams/sse.ts'
import type { Keyring } from '../../keys.ts'
import { openKeyedStream, type OpenedStream } from '../../idempotency/keyed-stream.ts'
import type { Keyed, Recalled } from '../../idempotency/keyed.ts'
import { keyedStream, keyedWork, present, render } from './keyed-request.ts'
import type { Rendered } from '../contract/reply.ts'
import { Problem, problem } from '../../errors/problem.ts'
import { type AnyContext, consumesOf } from '../contract/route.ts'
import { grantsOf, isForMembers, stillHolds } from './still-holds.ts'
import { withinTransaction } from './within-transaction.ts'

export type RequestDeps = {
  readonly db: Db
  readonly access: Access
  readonly keyed: Keyed
  readonly permissions: PermissionCatalog
  readonly fault: Fault
  readonly cursors: Cursors
  readonly public_url: string
  readonly retention_hours: number
  readonly keys: Pick<Keyring, 'seal' | 'open'>
}

type Result = { readonly outcome: Rendered; readonly replayed: boolean }

export type Answer =
  | { readonly kind: 'outcome'; readonly result: Result }
  | ({ readonly kind: 'stream' } & OpenedStream<SseEvent>)

type Admitted = { readonly context: AnyContext }

/** Returns a promise only if it must wait for something. */
export function handleRequest(
  deps: RequestDeps,
  compiled: CompiledRoute,
  exchange: Exchanged,
): Answer | Promise<Answer> {
  const { keyed, operation, route } = compiled
  const given = keyOf(compiled, exchange)
  const key = keyed || route.idempotency === 'domain' ? given : null
  const { principal } = exchange
  // The recorded outcome is requested together with the grants. Both travel in one packet, so a
  // replay costs one round trip.
  const recalled =
    key && keyed && principal
      ? deps.keyed.recall({ principal_id: principal.id, operation, key: storedKey(key) })
      : undefined
  return after(admit(deps, compiled, exchange), admitted =>
    proceed(deps, compiled, exchange, { ...admitted, key, recalled }),
  )
}

type Asked = Admitted & {
  readonly key: string | null
  readonly recalled: Recalled | undefined
}

function proceed(
  deps: RequestDeps,
  compiled: CompiledRoute,
  exchange: Exchanged,
  asked: Asked,
): Answer | Promise<Answer> {
  const { context, key } = asked
  const work = new RequestWork(compiled.operation, exchange)
  if (wantsEvents(compiled, context, exchange.headers.accept)) {
    const open = () => openStream(deps, compiled, exchange, context, key)
    return workContext.run(work, open).then(opened => ({ kind: 'stream', ...opened }))
  }
  const result = workContext.run(work, () => execute(deps, compiled, exchange, asked))
  return after(result, found => ({ kind: 'outcome' as const, result: found }))
}

/** Most requests need neither the trace nor the ids. */
class RequestWork implements WorkContext {
  readonly name: string
  private readonly exchange: Exchanged

  constructor(name: string, exchange: Exchanged) {
    this.name = name
    this.exchange = exchange
  }

  get request_id(): string {
    return this.exchange.id
  }

  get traceparent(): string {
    return this.exchange.traceparent
  }

  get caller(): WorkContext['caller'] {
    return this.exchange.principal
  }

  get about(): readonly string[] {
    const { principal, params } = this.exchange
    return [principal?.tenant_id ?? '', ...Object.values(params)]
  }
}

/**
 * Checks permission, path, schema and type-scoped permission. The handler runs only after all four.
 */
export function admit(
  deps: RequestDeps,
  compiled: CompiledRoute,
  exchange: Exchanged,
): Admitted | Promise<Admitted> {
  const { permission, type_field } = compiled
  const { method, params, path, principal, opened } = exchange
  let held: Promise<ReadonlySet<string>> | undefined
  const grantsFrom = (reader: Reader) =>
    (held ??= principal ? grantsOf(deps, reader, principal, method) : Promise.resolve(new Set()))
  const grants = () => grantsFrom(deps.db)
  const check = () => {
    const { query, body } = checkRequest(compiled, exchange)
    const list = {
      path,
      tenant_id: principal?.tenant_id ?? '',
      query: query as Query,
      cursors: deps.cursors,
    }
    const context: AnyContext = {
      principal,
      params,
      query,
      body,
      request: exchange,
      if_match: exchange.headers['if-match'],
      grants,
      grantsFrom,
      stillHolds: async needed => {
        held = undefined // `grants` reads them again, too
        await stillHolds(deps, principal, needed, method)
      },
      list,
      key: null,
    }
    return { context }
  }
  if (permission === null || opened || isForMembers(deps, permission, principal)) {
    return compiled.route.asks_grants ? grants().then(check) : check()
  }
  return grants().then(mine => {
    if (!allowsSome(mine, permission)) throw lacks(permission)
    const admitted = check()
    if (type_field) {
      const { body } = admitted.context
      const type = (body as Record<string, string> | undefined)?.[type_field] ?? ''
      if (!allowsType(mine, permission, type)) throw lacks(`${permission}:${type}`)
    }
    return admitted
  })
}

function checkRequest(compiled: CompiledRoute, exchange: Exchanged) {
  const { params, query, body, headers } = exchange
  inspect(params, 'path')
  compiled.checkParams(params)
  inspect(query, 'query')
  refuseVersions(compiled.route, exchange)
  const given = consumesOf(compiled.route) === 'json' ? body : undefined
  compiled.route.inspectBody?.(given)
  // The key is stored, too.
  compiled.route.inspectBody?.(headers['idempotency-key'])
  return compiled.checkInput(query, given)
}

/** Also checked where it does not count, so that no caller relies on a malformed key. */
function keyOf(compiled: CompiledRoute, { headers, method }: Exchanged): string | null {
  if (method === 'GET' || method === 'HEAD') return null
  const header = headers['idempotency-key']
  if (header === undefined) {
    if (compiled.keyed === 'required' || compiled.route.idempotency === 'domain') {
      throw problem('idempotency_key_missing')
    }
    return null
  }
  if (typeof header !== 'string' || !/^[\x21-\x7e]{16,200}$/.test(header)) {
    throw problem('idempotency_key_invalid')
  }
  return header
}

async function openStream(
  deps: RequestDeps,
  compiled: CompiledRoute,
  exchange: Exchanged,
  context: AnyContext,
  key: string | null,
): Promise<OpenedStream<SseEvent>> {
  const { stream, watch, streaming, prepare } = compiled.route
  const open = stream ?? watch
  if (open) return { events: await open({ ...context, db: deps.db }), replayed: false }
  if (!streaming) throw new Error(`${compiled.operation} is not a stream`)
  if (key) return openKeyedStream(deps, keyedStream({ deps, compiled, exchange, context, key }))
  const operation_id = newId()
  const prepared = await prepare?.(context)
  await deps.db.tx(tx =>
    streaming.begin({ ...withinTransaction(tx, context), operation_id, prepared }),
  )
  const events = await streaming.open(operation_id, 'first', context.request.signal)
  return { events, replayed: false }
}

function execute(
  deps: RequestDeps,
  compiled: CompiledRoute,
  exchange: Exchanged,
  { context, key, recalled }: Asked,
): Result | Promise<Result> {
  const { route } = compiled
  if (key && compiled.keyed) {
    const result = deps.keyed.run(keyedWork({ deps, compiled, exchange, context, key }), recalled)
    return route.replayed ? result.then(one => replayed(compiled, one)) : result
  }
  if (route.operation) return unkeyedOperation(deps, compiled, context).then(fresh)
  const { handle } = route
  if (!handle) throw new Error(`${compiled.operation} has no handler`)
  // A read has no transaction. It is one statement, or several that do not need the same snapshot.
  if (route.transaction === 'own' || route.method === 'GET') {
    const answer = handle({ ...context, db: deps.db, tx: deps.db as unknown as Tx })
    return after(answer, one => fresh(present(compiled, one)))
  }
  return inOneTransaction(deps, compiled, context)
}

async function inOneTransaction(
  deps: RequestDeps,
  compiled: CompiledRoute,
  context: AnyContext,
): Promise<Result> {
  const { handle, prepare } = compiled.route
  if (!handle) throw new Error(`${compiled.operation} has no handler`)
  const prepared = await prepare?.(context)
  const outcome = await deps.db.tx(async tx => {
    const rendered = render(compiled, await handle({ ...withinTransaction(tx, context), prepared }))
    await deps.fault('kernel.before_commit')
    return rendered
  })
  await deps.fault('kernel.after_commit')
  return fresh(outcome)
}

async function replayed({ route }: CompiledRoute, result: Result): Promise<Result> {
  if (result.replayed && result.outcome.status < 400) await route.replayed?.()
  return result
}

function fresh(outcome: Rendered): Result {
  return { outcome, replayed: false }
}

async function unkeyedOperation(
  deps: RequestDeps,
  compiled: CompiledRoute,
  context: AnyContext,
): Promise<Outcome> {
  const { operation, prepare } = compiled.route
  if (!operation) throw new Error(`${compiled.operation} is not an outside operation`)
  const operation_id = newId()
  const prepared = await prepare?.(context)
  const early = await deps.db.tx(tx =>
    operation.begin({ ...withinTransaction(tx, context), operation_id, prepared }),
  )
  if (early) return render(compiled, early)
  await deps.fault('kernel.after_operation')
  const called = await operation.call(operation_id, 'first', context.request.signal, {
    ...context,
    prepared,
  })
  await deps.fault('kernel.after_call')
  const finished = await deps.db.tx(tx => operation.finish(tx, operation_id, called))
  if (finished instanceof Problem) throw finished
  return render(compiled, finished)
}
