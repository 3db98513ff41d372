/**
 * A page: what it shows, and what its form does. Both call the use cases of the API, with its
 * limits; a refusal shows the page again, with what was wrong beside the field. A form of a
 * logged-in visitor must carry the CSRF token of the session, and any other must not come from
 * another site.
 */
import { Type, type Static } from 'typebox'
import { Problem } from '../../../kernel/errors/problem.ts'
import type { Markup } from '../../../kernel/http/markup.ts'
import { reply, route, type RequestFacts, type Route } from '../../../kernel/http/route.ts'
import { closed, text } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import type { Session } from '../mfa/holder.ts'
import { faultOf, type Fault } from './fault.ts'
import { readForm, type Form } from './form.ts'
import { frame, page_headers } from './frame.ts'
import { languageCookie, languageOf, languages } from './language.ts'
import { visitorOf } from './visitor.ts'
import type { Words } from './words-en.ts'

const Query = closed({
  token: Type.Optional(text(200)),
  next: Type.Optional(text(1000)),
  tenant: Type.Optional(text(40)),
  done: Type.Optional(text(40)),
  lang: Type.Optional(text(10)),
})
type Query = Static<typeof Query>

export type Visit = {
  readonly deps: Deps
  readonly words: Words
  readonly language: 'en' | 'de'
  readonly path: string
  readonly request: RequestFacts
  readonly query: Query
  /** Empty where the page is only shown. */
  readonly form: Form
  /** Of a page for logged-in visitors, with its CSRF token. */
  readonly session: Session | null
  readonly csrf: string | null
  readonly fault: Fault | null
}

export type Shown = { title: string; body: Markup; cookies?: readonly string[] }
export type Gone = { to: string; cookies?: readonly string[] }
type Result = Shown | Gone

export type Page = {
  readonly path: `/account/${string}`
  readonly summary: string
  /** For logged-in visitors; others log in first. */
  readonly guarded?: true
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

const replies = {
  200: Type.String(),
  303: null,
  401: Type.String(),
  403: Type.String(),
  404: Type.String(),
  409: Type.String(),
  422: Type.String(),
  429: Type.String(),
  503: Type.String(),
} as const

const common = {
  permission: 'public',
  hidden: true,
  added: true,
  produces: ['text/html'],
  replies,
} as const

export function pageRoutes(deps: Deps, page: Page): Route[] {
  const { path, summary, guarded, submit } = page
  const show = route({
    ...common,
    // A guarded one may renew the session, which a request for the head should not.
    ...(guarded ? {} : { head: true as const }),
    transaction: 'own',
    method: 'GET',
    path,
    summary,
    query: Query,
    handle: ({ request, query }) => answer(deps, page, { request, query }, null),
  })
  if (!submit) return [show]
  const sent = route({
    ...common,
    transaction: 'own',
    method: 'POST',
    path,
    summary,
    consumes: 'raw',
    handle: ({ request }) => answer(deps, page, { request, query: {} }, readForm(request.raw)),
  })
  return [show, sent]
}

type Given = Pick<Visit, 'request' | 'query'>

async function answer(deps: Deps, page: Page, given: Given, sent: Form | null) {
  const { request, query } = given
  const language = languageOf(deps.kernel, request, query.lang)
  const cookies = [...languageCookie(deps.kernel, query.lang)]
  const bare = { deps, language, words: languages[language], path: page.path, ...given }
  let visit: Visit = { ...bare, form: sent ?? {}, session: null, csrf: null, fault: null }
  if (page.guarded) {
    const visitor = await visitorOf(deps, request)
    if (!visitor.session) return gone(cookies, { to: logInPath(page.path + request.search) })
    cookies.push(...visitor.cookies)
    const { session } = visitor
    visit = { ...visit, session, csrf: deps.kernel.csrf.tokenOf(session.session_id) }
  }
  if (!sent) return told(visit, cookies, 200, await page.show(visit))
  try {
    requireOwnForm(visit)
    return told(visit, cookies, 200, (await page.submit?.(visit)) ?? (await page.show(visit)))
  } catch (error) {
    if (!(error instanceof Problem) || !Object.hasOwn(replies, error.status)) throw error
    if (error.code === 'step_up_required') {
      return gone(cookies, { to: `/account/confirm?${new URLSearchParams({ next: page.path })}` })
    }
    const failed = { ...visit, fault: faultOf(error, visit.words) }
    const { retry_after } = error.details
    const headers = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
    return told(failed, cookies, error.status, await page.show(failed), headers)
  }
}

export function logInPath(next: string): string {
  return `/account/login?${new URLSearchParams({ next })}`
}

function requireOwnForm({ deps, request, form, session }: Visit): void {
  const { csrf } = deps.kernel
  if (!session) return csrf.demandOwnPage(request.headers)
  csrf.demand({ ...request.headers, 'x-csrf-token': form['csrf'] ?? '' }, session.session_id)
}

function told(
  visit: Visit,
  cookies: readonly string[],
  status: number,
  result: Result,
  headers: Readonly<Record<string, string>> = {},
) {
  if ('to' in result) return gone(cookies, result)
  const { title, body, cookies: more = [] } = result
  const { token, next, tenant } = { ...visit.query, ...visit.form }
  const query = Object.fromEntries(
    Object.entries({ token, next, tenant }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    ),
  )
  const { language, path, fault } = visit
  const html = frame({ language, title, failed: fault !== null, body, place: { path, query } })
  // Every status of a refusal is one of the replies.
  return reply(status as 200, html, { ...page_headers, ...headers, ...setting(cookies, more) })
}

function gone(cookies: readonly string[], { to, cookies: more = [] }: Gone) {
  return reply(303, null, { location: to, ...setting(cookies, more) })
}

function setting(...cookies: readonly (readonly string[])[]) {
  const all = cookies.flat()
  return all.length > 0 ? { 'set-cookie': all } : {}
}
