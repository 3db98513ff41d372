/**
 * A page: a function that shows it, and a function that handles its form. Both call the use cases
 * of the API, with the same limits. After an error the page is shown again, with the error beside
 * the field. The form of a logged-in visitor must contain the CSRF token of the session. Any other
 * form must not come from another site.
 */
import { Type } from 'typebox'
import { Problem, reply, route, type Look, type Route } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { hasFactor } from '../step-up.ts'
import { isEnrolment } from '../sessions/narrowed.ts'
import { slugMeant } from '../tenants/resolve-tenant.ts'
import { faultOf } from './fault.ts'
import { readForm } from './form.ts'
import { frame, pageHeadersFor } from './frame.ts'
import { languageCookie, languageOf, languages } from './language.ts'
import { PageQuery, type Form, type Gone, type Page, type Result, type Visit } from './visit.ts'
import { lookOf } from './theme.ts'
import { visitorOf } from './visitor.ts'

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
  const { path, summary, guarded, effects, submit } = page
  const show = route({
    ...common,
    // A guarded page may renew the session. A HEAD request should not do so.
    ...(guarded || effects ? {} : { head: true as const }),
    transaction: 'own',
    method: 'GET',
    path,
    summary,
    query: PageQuery,
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
  const own = sent ? null : ownAddress(deps, request.headers['host'])
  if (own) return gone([], { to: own + page.path + request.search })
  const language = languageOf(deps.kernel, request, query.lang)
  const cookies = [...languageCookie(deps.kernel, query.lang)]
  const bare = { deps, language, words: languages[language], path: page.path, ...given }
  let visit: Visit = { ...bare, form: sent ?? {}, session: null, csrf: null, fault: null }
  if (page.guarded) {
    const visitor = await visitorOf(deps, request, 'enrolment')
    cookies.push(...visitor.cookies)
    if (!visitor.session) {
      const done = visitor.narrow ? 'narrow' : undefined
      return gone(cookies, { to: logInPath(page.path + request.search, done) })
    }
    const { session } = visitor
    if (isEnrolment(session) && !page.enrols) return gone(cookies, { to: '/account/totp' })
    visit = { ...visit, session, csrf: deps.kernel.csrf.tokenOf(session.session_id) }
  }
  if (!sent) return await rendered(visit, cookies, 200, await page.show(visit))
  try {
    requireOwnForm(visit)
    const result = (await page.submit?.(visit)) ?? (await page.show(visit))
    return await rendered(visit, cookies, 200, result)
  } catch (error) {
    if (!(error instanceof Problem) || !Object.hasOwn(replies, error.status)) throw error
    if (error.code === 'step_up_required') {
      return gone(cookies, { to: await stepUpPath(visit) })
    }
    const failed = { ...visit, fault: faultOf(error, visit.words) }
    const { retry_after } = error.details
    const headers = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
    return await rendered(failed, cookies, error.status, await page.show(failed), headers)
  }
}

const numbers = /^(127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Where PUBLIC_URL is a machine's `localhost`, a page that was opened by the machine's number is
 * opened again by its name: cookies and passkeys of one are not those of the other.
 */
function ownAddress({ kernel }: Deps, host: string | string[] | undefined): string | null {
  const named = new URL(kernel.public_url).hostname === 'localhost'
  return named && numbers.test(String(host)) ? kernel.public_url : null
}

/** A person without a second factor logs in again. */
async function stepUpPath({ deps, path, session }: Visit): Promise<string> {
  const strong = session !== null && (await hasFactor(deps.kernel.db, session.id))
  const next = new URLSearchParams({ next: path })
  return strong ? `/account/confirm?${next.toString()}` : logInPath(path, 'again')
}

export function logInPath(next: string, done?: string): string {
  return `/account/login?${new URLSearchParams({ next, ...(done ? { done } : {}) })}`
}

function requireOwnForm({ deps, request, form, session }: Visit): void {
  const { csrf } = deps.kernel
  if (!session) return csrf.demandOwnPage(request.headers)
  csrf.demand({ ...request.headers, 'x-csrf-token': form['csrf'] ?? '' }, session.session_id)
}

/** The look of the organization in which the visitor is, or which the address names. */
function lookFor({ deps, session, query, form, request }: Visit): Promise<Look | null> {
  const { kernel } = deps
  if (session) return lookOf(kernel.db, { id: session.tenant_id })
  const slug = slugMeant(kernel, form['tenant'] ?? query.tenant, request.headers['host'])
  return lookOf(kernel.db, { slug })
}

async function rendered(
  visit: Visit,
  cookies: readonly string[],
  status: number,
  result: Result,
  headers: Readonly<Record<string, string>> = {},
) {
  if ('to' in result) return gone(cookies, result)
  const { title, body, script: scripted = false, cookies: more = [], leads_to } = result
  const { token, next, tenant } = { ...visit.query, ...visit.form }
  const query = Object.fromEntries(
    Object.entries({ token, next, tenant }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    ),
  )
  const { language, path, fault } = visit
  const place = { path, query: { ...query, ...result.query } }
  const failed = fault !== null || result.status !== undefined
  const look = await lookFor(visit)
  const html = frame({ language, title, failed, scripted, look, body, place })
  const own = pageHeadersFor({ scripted, look, leads_to })
  // Every status of an error is one of the declared replies.
  return reply((result.status ?? status) as 200, html, {
    ...own,
    ...headers,
    ...setting(cookies, more),
  })
}

function gone(cookies: readonly string[], { to, cookies: more = [] }: Gone) {
  return reply(303, null, { location: to, ...setting(cookies, more) })
}

function setting(...cookies: readonly (readonly string[])[]) {
  const all = cookies.flat()
  return all.length > 0 ? { 'set-cookie': all } : {}
}
