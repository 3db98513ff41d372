/** The loggable parts of a provider's error: its codes, and a hash in place of its message. */
import { hash } from 'node:crypto'
import type { Buffer } from 'node:buffer'
import { codeOf, errorIn, nameOf } from './failures.ts'
import type { RefusalFacts } from './provider.ts'

export function refusalFacts(
  status: number,
  body: Buffer,
  request_id: string | undefined,
): RefusalFacts {
  const error = errorIn(body)
  const { type, param } = error ?? {}
  const is_id = request_id !== undefined && /^[\w.-]{1,100}$/.test(request_id)
  return {
    status,
    provider_code: named(codeOf(error)),
    type: named(type),
    parameter: named(param),
    request_id: is_id ? request_id : null,
    message_sha256: hash('sha256', body).slice(0, 16),
    bytes: body.length,
  }
}

function named(value: unknown): string | null {
  const name = nameOf(value)
  return name === 'unnamed' ? null : name
}
