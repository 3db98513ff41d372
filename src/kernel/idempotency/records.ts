/**
 * The outcome of a keyed operation commits together with its effect, so no crash can separate them.
 * The primary key (principal, operation, key) alone prevents a second effect. The advisory lock and
 * the in-process map only avoid transactions that would lose the race.
 */
import { hash } from 'node:crypto'
import { type Static, Type, type TSchema } from 'typebox'
import type { Reader } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'

/** The primary key. */
export type KeyedName = {
  readonly principal_id: string
  readonly operation: string
  /** The hash of the key: a caller may have written anything into it. */
  readonly key: string
}

export function storedKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

export function nameOf({ principal_id, operation, key }: KeyedName): string {
  return `${principal_id}\n${operation}\n${key}`
}

export type KeyedScope = KeyedName & {
  readonly tenant_id: string
  readonly fingerprint: Buffer
  /** The first request with this key. */
  readonly request_id: string
}

/** A response as it is recorded and sent. The body has its final bytes. */
export type Outcome = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | null
}

const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

export const IdempotencyRecord = Type.Object({
  locked: nullable(Type.Boolean()),
  state: nullable(Type.String()),
  fingerprint: Type.Unknown(),
  operation_id: nullable(Type.String()),
  leased: nullable(Type.Boolean()),
  status: nullable(Type.Integer()),
  headers: Type.Unknown(),
  body: Type.Unknown(),
  sealed_body: Type.Unknown(),
  resource_ref: nullable(Type.String()),
})
export type IdempotencyRecord = Static<typeof IdempotencyRecord>

const columns = sql`
  r.state, r.fingerprint, r.operation_id, r.leased_until > now() as leased,
  r.status, r.headers, r.body, r.sealed_body, r.resource_ref`

/** Reads a record without the lock of its scope. This is enough for an outcome that is known. */
export function recall(reader: Reader, scope: KeyedName): Promise<IdempotencyRecord | undefined> {
  return reader.maybe(
    IdempotencyRecord,
    sql`
      select false as locked, ${columns}
      from kernel.idempotency_records r
      where r.principal_id = ${scope.principal_id} and r.operation = ${scope.operation}
        and r.key = ${scope.key}`,
  )
}

/** Takes the scope's lock if it is free and reads its record, in one statement. */
export function lookUp(reader: Reader, scope: KeyedName): Promise<IdempotencyRecord> {
  return reader.one(
    IdempotencyRecord,
    sql`
      select pg_try_advisory_xact_lock(${lockOf(scope)}) as locked, ${columns}
      from (values (true)) as always (one)
      left join kernel.idempotency_records r
        on r.principal_id = ${scope.principal_id}
        and r.operation = ${scope.operation}
        and r.key = ${scope.key}`,
  )
}

export function recordOutcome(scope: KeyedScope, outcome: Outcome, rules: RecordRules): Sql {
  return sql`
    insert into kernel.idempotency_records (
      principal_id, operation, key, tenant_id, fingerprint, request_id, transaction_id, state,
      status, headers, body, sealed_body, resource_ref, completed_at, expires_at)
    values (
      ${scope.principal_id}, ${scope.operation}, ${scope.key}, ${scope.tenant_id},
      ${scope.fingerprint}, ${scope.request_id}, pg_current_xact_id()::text::bigint,
      'completed', ${outcome.status}, ${keptHeaders(outcome)},
      ${keptBody(outcome, rules)}, ${sealedBody(outcome, rules)}, ${resourceRef(outcome)}, now(),
      now() + make_interval(hours => ${rules.retention_hours}))`
}

/** For effects outside PostgreSQL: binds the key to one operation before the call. */
export function recordStart(
  scope: KeyedScope,
  operation: { id: string; lease_token: string; lease_seconds: number },
  rules: RecordRules,
): Sql {
  return sql`
    insert into kernel.idempotency_records (
      principal_id, operation, key, tenant_id, fingerprint, request_id, state,
      operation_id, lease_token, leased_until, expires_at)
    values (
      ${scope.principal_id}, ${scope.operation}, ${scope.key}, ${scope.tenant_id},
      ${scope.fingerprint}, ${scope.request_id}, 'in_progress', ${operation.id},
      ${operation.lease_token},
      now() + make_interval(secs => ${operation.lease_seconds}),
      now() + make_interval(hours => ${rules.retention_hours}))`
}

/** Lets one retry take over an operation whose process has died. */
export function takeOver(
  scope: KeyedScope,
  lease: { lease_token: string; lease_seconds: number },
): Sql {
  return sql`
    update kernel.idempotency_records
    set lease_token = ${lease.lease_token},
      leased_until = now() + make_interval(secs => ${lease.lease_seconds})
    where principal_id = ${scope.principal_id} and operation = ${scope.operation}
      and key = ${scope.key} and state = 'in_progress' and leased_until <= now()`
}

/** Only the holder of the lease may store the outcome of the operation. */
export function recordFinish(
  scope: KeyedScope,
  lease_token: string,
  outcome: Outcome,
  rules: RecordRules,
): Sql {
  return sql`
    update kernel.idempotency_records
    set state = 'completed', fingerprint = ${scope.fingerprint}, status = ${outcome.status}, headers = ${keptHeaders(outcome)},
      body = ${keptBody(outcome, rules)}, sealed_body = ${sealedBody(outcome, rules)},
      resource_ref = ${resourceRef(outcome)},
      completed_at = now(), transaction_id = pg_current_xact_id()::text::bigint,
      lease_token = null, leased_until = null
    where principal_id = ${scope.principal_id} and operation = ${scope.operation}
      and key = ${scope.key} and lease_token = ${lease_token}`
}

/**
 * Zero rows mean that another attempt has the operation, or that its outcome is already recorded.
 */
export function renewLease(
  scope: KeyedScope,
  lease: { lease_token: string; lease_seconds: number },
): Sql {
  return sql`
    update kernel.idempotency_records
    set leased_until = now() + make_interval(secs => ${lease.lease_seconds})
    where principal_id = ${scope.principal_id} and operation = ${scope.operation}
      and key = ${scope.key} and lease_token = ${lease.lease_token}`
}

/**
 * Ends the lease early after an error, so that the next retry need not wait until the lease ends.
 */
export function endLease(scope: KeyedScope, lease_token: string): Sql {
  return sql`
    update kernel.idempotency_records set leased_until = now()
    where principal_id = ${scope.principal_id} and operation = ${scope.operation}
      and key = ${scope.key} and lease_token = ${lease_token}`
}

/** Encrypts the body of one record, and opens it again. */
export type Seal = { close(body: Buffer): Buffer; open(sealed: Buffer): Buffer }

export type RecordRules = {
  readonly retention_hours: number
  /** The body changes or has a signed URL: only the reference to the resource is stored. */
  readonly by_reference: boolean
  /** The body has a secret that is shown once, so it is stored sealed. */
  readonly seal: Seal | null
}

export function recorded(record: IdempotencyRecord, { seal }: Pick<RecordRules, 'seal'>): Outcome {
  const sealed = record.sealed_body as Buffer | null
  const body = sealed && seal ? seal.open(sealed) : (record.body as Buffer | null)
  return {
    status: record.status ?? 200,
    headers: (record.headers ?? {}) as Record<string, string>,
    body: body === null ? null : body.toString('utf8'),
  }
}

export function sameRequest(record: IdempotencyRecord, scope: KeyedScope): boolean {
  return scope.fingerprint.equals(record.fingerprint as Buffer)
}

const kept = ['content-type', 'location', 'etag', 'link']

function keptHeaders(outcome: Outcome): Record<string, unknown> {
  return Object.fromEntries(Object.entries(outcome.headers).filter(([name]) => kept.includes(name)))
}

/** A refusal has no resource to render again, so its body is stored by every route. */
function keptBody({ status, body }: Outcome, { by_reference, seal }: RecordRules): Buffer | null {
  const rendered_again = by_reference && status < 400
  return body === null || rendered_again || seal ? null : Buffer.from(body)
}

function sealedBody({ body }: Outcome, { seal }: RecordRules): Buffer | null {
  return body === null || !seal ? null : seal.close(Buffer.from(body))
}

function resourceRef(outcome: Outcome): string | null {
  const location = outcome.headers['location']
  return typeof location === 'string' ? location : null
}

/** A hash of the scope with 64 bits. A collision causes only a wait, never a wrong outcome. */
function lockOf(scope: KeyedName): string {
  return hash('sha256', nameOf(scope), 'buffer').readBigInt64BE().toString()
}
