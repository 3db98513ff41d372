/** The result of a request for a code. It does not depend on the server that sends it. */
import Negotiator from 'negotiator'
import { problem } from '../errors.ts'
import { absentPage, type AbsentReason } from '../pages/absent.ts'

export type Answer = {
  readonly status: number
  /** Header names and values alternate. */
  readonly headers: readonly string[]
  readonly body: string | null
}

export function pageAnswer(
  status: number,
  page: { readonly html: string; readonly headers: Readonly<Record<string, string>> },
): Answer {
  return { status, headers: Object.entries(page.headers).flat(), body: page.html }
}

/** Makes a page for browsers and a problem document for other clients. */
export function absentAnswer(reason: AbsentReason, accept: string): Answer {
  if (prefersPages(accept)) return pageAnswer(404, absentPage(reason))
  throw reason === 'domain_not_found' ? problem(reason, { detail: elsewhere }) : problem(reason)
}

const elsewhere =
  'The platform answers under its own host names and under active custom domains only.'

export function prefersPages(accept: string): boolean {
  if (!accept.includes('text/html')) return false
  const wanted = new Negotiator({ headers: { accept } }).mediaType([
    'application/json',
    'text/html',
  ])
  return wanted === 'text/html'
}
