/** Requests of a test, and waiting for what follows from them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { newId } from '#dodeca/kernel'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; whatever a test expects of it is asserted there. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
  readonly body: any
}

export type Ask = {
  token?: string
  key?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export async function call(
  base_url: string,
  method: string,
  path: string,
  { token, key, body, headers = {}, signal }: Ask = {},
): Promise<Answer> {
  const response = await fetch(base_url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  const text = await response.text()
  const json = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json && text ? JSON.parse(text) : null,
  }
}

/**
 * Runs work that does not belong to the transaction of the test around it, as that of another
 * request does not.
 */
export const beside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()

/**
 * Waits until a condition holds, looking again every few milliseconds; says what did not happen. The
 * limit is wide, because a busy machine is no failure.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limit_ms = 240_000,
): Promise<T> {
  const deadline = performance.now() + limit_ms
  for (;;) {
    const found = await beside(look)
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`did not happen: ${what}`)
    await wait(10)
  }
}

/** A key that has never been used. */
export function newKey(): string {
  return `test-${newId()}`
}
