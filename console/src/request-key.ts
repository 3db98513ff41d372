/**
 * The key of a request whose outcome is not known. It is kept until the outcome is certain, also if
 * the dialog is closed or the page is loaded again. So the same request sent once more has the same
 * key, and the platform does it once.
 */

import { Problem } from '../../client/src/index.ts'

export type RequestKey = {
  readonly value: string
  /** The outcome is certain. The next request has a new key. */
  forget(): void
}

export function keyOf(request: unknown): RequestKey {
  const name = `request:${hashOf(JSON.stringify(request))}`
  const value = sessionStorage.getItem(name) ?? crypto.randomUUID()
  sessionStorage.setItem(name, value)
  return { value, forget: () => sessionStorage.removeItem(name) }
}

/**
 * FNV-1a, because a body may have a secret, which is not stored here. If two requests have one hash,
 * the platform refuses the second one.
 */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  return hash.toString(16)
}

/**
 * The request took no effect, or was not sent because a member is not JSON. Without a reply, or after
 * an error of the platform, it may have taken effect.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof SyntaxError) return true
  return error instanceof Problem && error.status < 500 && error.code !== 'idempotency_in_progress'
}
