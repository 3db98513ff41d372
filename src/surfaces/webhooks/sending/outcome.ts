/**
 * The result of an attempt: delivered, retry, never retry, or no result because the fault was ours.
 * Each failure has one stable code.
 */
import { isUtf8 } from 'node:buffer'
import { retryAfterSeconds, type SafeFetchFailure, type SafeResponse } from '#dodeca/kernel'

export type Verdict = 'delivered' | 'retry' | 'permanent' | 'gone' | 'blocked' | 'ours'

export type Outcome = {
  readonly verdict: Verdict
  readonly http_status: number | null
  readonly error_code: string | null
  readonly excerpt: string | null
  readonly timings: SafeResponse['timings'] | null
  readonly remote_ip: string | null
  /** The wait that the Retry-After header requests. */
  readonly wait_seconds: number | null
  /**
   * Whether the breaker counts the fault, because the endpoint or the network to it does not work.
   */
  readonly faulty: boolean
}

const excerpt_length = 1024
const wait_seconds_max = 86_400

export function ofResponse(response: SafeResponse): Outcome {
  const { status, headers, timings, address } = response
  const wait = status === 429 || status === 503 || isRedirect(status)
  const asked = wait ? retryAfterSeconds(headers) : null
  return {
    ...verdictOf(status),
    http_status: status,
    excerpt: excerptOf(response.body),
    timings,
    remote_ip: address,
    wait_seconds: asked === null ? null : Math.min(asked, wait_seconds_max),
  }
}

const isRedirect = (status: number) => status >= 300 && status < 400

function verdictOf(status: number): Pick<Outcome, 'verdict' | 'error_code' | 'faulty'> {
  if (status >= 200 && status < 300) {
    return { verdict: 'delivered', error_code: null, faulty: false }
  }
  if (status === 410) return { verdict: 'gone', error_code: 'gone', faulty: false }
  if (status === 429) return { verdict: 'retry', error_code: 'rate_limited', faulty: true }
  if (isRedirect(status)) {
    return { verdict: 'retry', error_code: 'redirect_not_followed', faulty: false }
  }
  if (status >= 500) {
    const permanent = status === 501 || status === 505 || status === 506
    return { verdict: permanent ? 'permanent' : 'retry', error_code: 'http_5xx', faulty: true }
  }
  return { verdict: status === 408 ? 'retry' : 'permanent', error_code: 'http_4xx', faulty: false }
}

/** The beginning of a response as text that can be stored and shown. */
export function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null
  // The cut may split a character of several bytes. The broken character is replaced like all
  // invalid UTF-8.
  const part = body.subarray(0, excerpt_length * 4)
  const text = isUtf8(part) ? part.toString() : new TextDecoder().decode(part)
  // oxlint-disable-next-line no-control-regex -- controls are what is taken out
  const clean = text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
  return clean.toWellFormed().slice(0, excerpt_length).toWellFormed() || null
}

/** Faults of this machine or its name server, not of the endpoint. */
const our_codes = ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM', 'ENETUNREACH']
const our_dns_codes = ['ECONNREFUSED', 'ECANCELLED', 'EDESTRUCTION', 'ENOTINITIALIZED']

export function ofFailure(failure: SafeFetchFailure): Outcome {
  const { timings, address } = failure
  return {
    ...failureOf(failure),
    http_status: null,
    excerpt: null,
    timings,
    remote_ip: address,
    wait_seconds: null,
  }
}

const retry = (error_code: string) => ({ verdict: 'retry', error_code, faulty: true }) as const
const blocked = (error_code: string) => ({ verdict: 'blocked', error_code, faulty: false }) as const
const ours = { verdict: 'ours', error_code: null, faulty: false } as const

function failureOf(failure: SafeFetchFailure): Pick<Outcome, 'verdict' | 'error_code' | 'faulty'> {
  switch (failure.reason) {
    case 'timeout':
      return retry(failure.phase === 'tls' ? 'tls_failed' : `${failure.phase ?? 'total'}_timeout`)
    case 'dns_failed':
      return our_dns_codes.includes(rootCode(failure)) ? ours : retry('dns_failed')
    case 'connect_failed':
      return our_codes.includes(rootCode(failure)) ? ours : retry('connect_refused')
    case 'tls_failed':
      return retry('tls_failed')
    case 'reset':
      return retry('reset')
    case 'invalid_response':
    case 'too_large':
      return retry('invalid_response')
    case 'too_many_redirects':
      return { verdict: 'retry', error_code: 'too_many_redirects', faulty: false }
    case 'blocked_redirect':
      return { verdict: 'retry', error_code: 'redirect_not_followed', faulty: false }
    case 'blocked_port':
      return blocked('blocked_port')
    case 'aborted':
    case 'invalid_request':
      return ours
    default:
      // The code is `blocked_address`, or the part that makes a URL invalid: scheme, name,
      // credentials, form.
      return blocked('blocked_address')
  }
}

function rootCode(failure: SafeFetchFailure): string {
  let code = ''
  for (let at: unknown = failure; at instanceof Error; at = at.cause) {
    code = (at as NodeJS.ErrnoException).code ?? code
  }
  return code
}
