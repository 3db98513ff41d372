/** A request for a page: its visitor and language, and the reply of the page. */
import { Type, type Static } from 'typebox'
import { closed, text, type Markup, type RequestFacts } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Session } from '../mfa/holder.ts'
import type { Fault } from './fault.ts'
import type { Words } from './words-en.ts'

/** The fields of the submitted form. */
export type Form = Readonly<Record<string, string>>

/** A request of an application is a part of the address to which a log-in leads. */
export const next_max = 2000

export const PageQuery = closed({
  token: Type.Optional(text(200)),
  next: Type.Optional(text(next_max)),
  tenant: Type.Optional(text(40)),
  done: Type.Optional(text(40)),
  lang: Type.Optional(text(10)),
  provider: Type.Optional(text(40)),
  ticket: Type.Optional(text(200)),
  state: Type.Optional(text(500)),
  error: Type.Optional(text(100)),
})
type PageQuery = Static<typeof PageQuery>

export type Visit = {
  readonly deps: Deps
  readonly words: Words
  readonly language: 'en' | 'de'
  readonly path: string
  readonly request: RequestFacts
  readonly query: PageQuery
  /** The sent form. Empty for a request that only shows the page. */
  readonly form: Form
  /** Present on pages for logged-in visitors, with the CSRF token. */
  readonly session: Session | null
  readonly csrf: string | null
  readonly fault: Fault | null
}

export type Shown = {
  title: string
  body: Markup
  /** True if the body has a form for a passkey, or one with a captcha. */
  script?: boolean
  cookies?: readonly string[]
  /** What the address of the page in another language has, beside the usual. */
  query?: Readonly<Record<string, string>>
  /** Where else its form may lead: an origin, or a scheme with its colon. */
  leads_to?: string
  /** Of a page that only tells an error. */
  status?: 422
}
export type Gone = { to: string; cookies?: readonly string[] }
export type Result = Shown | Gone

export type Page = {
  readonly path: `/account/${string}`
  readonly summary: string
  /** True for pages that require a logged-in visitor; other visitors log in first. */
  readonly guarded?: true
  /** True for guarded pages on which a person adds the second factor that a tenant requires. */
  readonly enrols?: true
  /** True if showing the page has an effect, so that HEAD does not. */
  readonly effects?: true
  show(visit: Visit): Promise<Result> | Result
  submit?(visit: Visit): Promise<Result> | Result
}

/** The session of a guarded page. */
export function sessionOf({ session }: Visit): Session {
  if (!session) throw new Error('the page is not guarded')
  return session
}

export function notice({ words, query }: Visit): string | null {
  const { done = '' } = query
  return Object.hasOwn(words.done, done) ? (words.done[done] ?? null) : null
}
