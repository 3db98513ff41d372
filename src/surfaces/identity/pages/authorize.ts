/**
 * The page to which an application sends a person to log in here, and which asks whether the
 * application may use the account. The parameters of the request travel through the log-in in the
 * address, and through the page in its form.
 */
import { markup, Problem, type Markup } from '#dodeca/kernel'
import type { Session } from '../mfa/holder.ts'
import {
  readAuthorization,
  type Asked,
  type OAuthCode,
  type Read,
  type Way,
} from '../oauth/authorization-request.ts'
import {
  isPowerful,
  issueCode,
  mayPass,
  organizationsFor,
  placeOf,
  type Organization,
} from '../oauth/consent.ts'
import { hasFactor, requireStepUp } from '../step-up.ts'
import { button, form, hidden } from './form.ts'
import { logInPath } from './page.ts'
import type { Gone, Page, Result, Visit } from './visit.ts'
import { visitorOf } from './visitor.ts'

const path = '/account/authorize'
/** Between a log-in and its return to this page. */
const fresh_seconds = 60

type Request = Extract<Read, { kind: 'asked' }>
type Person = { readonly session: Session; readonly organizations: readonly Organization[] }

export const authorizePage: Page = {
  path,
  summary: 'The page that asks a person whether an application may use the account',
  // It may renew the session, and issue a code.
  effects: true,
  show: async given => {
    const { deps, request, form: sent } = given
    const asking = Object.keys(sent).length === 0 ? request.search : new URLSearchParams(sent)
    const read = await readAuthorization(deps, new URLSearchParams(asking))
    if (read.kind === 'unknown') return unknown(given, read.why)
    if (read.kind === 'refused') return { to: read.back({ error: read.error }) }
    const { session, cookies } = await visitorOf(deps, request)
    const visit = {
      ...given,
      session,
      csrf: session && deps.kernel.csrf.tokenOf(session.session_id),
    }
    return { ...(await answer(visit, read)), ...(cookies.length > 0 ? { cookies } : {}) }
  },
  submit: async given => {
    const { deps, request, form: sent } = given
    const read = await readAuthorization(deps, new URLSearchParams(sent))
    if (read.kind === 'unknown') return unknown(given, read.why)
    if (read.kind === 'refused') return { to: read.back({ error: read.error }) }
    const { session, cookies } = await visitorOf(deps, request)
    if (!session) return { to: logInPath(here(read)) }
    const headers = { ...request.headers, 'x-csrf-token': sent['csrf'] ?? '' }
    deps.kernel.csrf.demand(headers, session.session_id)
    return { ...(await decide(given, read, session)), ...(cookies.length > 0 ? { cookies } : {}) }
  },
}

/** Leads on without a word if nothing is to be asked; else shows the page. */
async function answer(visit: Visit, read: Request): Promise<Result> {
  const { deps, session } = visit
  const { asked, back } = read
  const quiet = asked.prompt.has('none')
  const stop = (error: OAuthCode, to: string): Gone => ({ to: quiet ? back({ error }) : to })
  if (!session || isTooOld(visit, asked, session)) {
    return stop('login_required', logInPath(afterLogIn(read)))
  }
  const proof = await proofAsked(visit, asked, session, here(read))
  if (proof !== null) return stop('interaction_required', proof)
  const organizations = await organizationsFor(deps.kernel.db, asked, session)
  const [first] = organizations
  if (!first) return { to: back({ error: 'access_denied' }) }
  if (mayPass(deps.permissions, asked, first)) return await allow(visit, read, session, first.id)
  if (quiet) return { to: back({ error: 'consent_required' }) }
  return consentPage(visit, read, { session, organizations })
}

/** Also of a person who is to log in again, or as somebody else. */
function isTooOld({ deps }: Visit, { prompt, max_age }: Asked, { auth_time }: Session): boolean {
  if (prompt.has('login') || prompt.has('select_account')) return true
  return max_age !== null && deps.kernel.clock.nowSeconds() - auth_time > max_age
}

/** Where the person gives a second factor or logs in again; null if the session is enough. */
async function proofAsked(
  { deps }: Visit,
  asked: Asked,
  session: Session,
  next: string,
): Promise<string | null> {
  const { db } = deps.kernel
  const confirm = `/account/confirm?${new URLSearchParams({ next })}`
  const strong = asked.acr_values.includes('aal2') && session.aal !== 'aal2'
  if (strong && (await hasFactor(db, session.id))) return confirm
  if (!isPowerful(deps.permissions, asked)) return null
  try {
    await requireStepUp(db, deps.kernel, session)
    return null
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'step_up_required') throw error
    return (await hasFactor(db, session.id)) ? confirm : logInPath(next, 'again')
  }
}

function here({ given }: Way): string {
  return `${path}?${new URLSearchParams(given)}`
}

/** The address of this request after a log-in, which must then be a new one. */
function afterLogIn({ given, asked: { max_age, prompt } }: Request): string {
  const again = prompt.has('login') || prompt.has('select_account')
  const query = new URLSearchParams(given)
  query.set('max_age', String(again ? fresh_seconds : Math.max(max_age ?? 0, fresh_seconds)))
  const left = [...prompt].filter(one => one !== 'login' && one !== 'select_account')
  query.set('prompt', left.join(' '))
  return `${path}?${query}`
}

async function decide(visit: Visit, read: Request, session: Session): Promise<Gone> {
  const { deps, form: sent } = visit
  const { asked, back } = read
  if (sent['action'] !== 'allow') return { to: back({ error: 'access_denied' }) }
  const proof = await proofAsked(visit, asked, session, here(read))
  if (proof !== null) return { to: proof }
  const organizations = await organizationsFor(deps.kernel.db, asked, session)
  const chosen = organizations.find(one => one.id === sent['organization'])
  if (!chosen) return { to: back({ error: 'access_denied' }) }
  return await allow(visit, read, session, chosen.id)
}

async function allow(
  { deps }: Visit,
  { asked, back }: Request,
  session: Session,
  organization_id: string,
): Promise<Gone> {
  const code = await deps.kernel.db.tx(tx => issueCode(tx, asked, session, organization_id))
  return { to: back({ code }) }
}

function consentPage(visit: Visit, { asked, given }: Request, person: Person): Result {
  const { words, fault } = visit
  const { client, redirect_uri } = asked
  const [first] = person.organizations
  const email = first?.email ?? null
  const place = placeOf(redirect_uri)
  const fill = (text: string, name: string, value: string) => text.replace(`{${name}}`, () => value)
  const named = (text: string) => fill(text, 'name', client.name)
  return {
    title: named(words.allow_title),
    query: given,
    leads_to: place.kind === 'site' ? new URL(redirect_uri).origin : schemeOf(redirect_uri),
    body: markup`${fault && markup`<p class="alert" role="alert">${fault.says}</p>`}
<p>${named(words.allow_says)} ${client.document && fill(words.allow_document, 'host', new URL(client.client_id).host)}</p>
${client.uri !== null && markup`<p class="soft">${fill(words.allow_page, 'page', client.uri)}</p>`}
${place.kind === 'site' && markup`<p>${fill(words.allow_site, 'host', place.name)}</p>`}
${place.kind === 'device' && markup`<p class="alert">${fill(words.allow_device, 'name', place.name)}</p>`}
<p>${words.allow_list}</p><ul>${sentences(visit, asked).map(one => markup`<li>${one}</li>`)}</ul>
${form(
  { ...visit, fault: null },
  hidden(given),
  organizationField(visit, person.organizations),
  button(words.allow, { action: 'allow' }),
  button(words.do_not_allow, { action: 'refuse', plain: true }),
)}
${email !== null && markup`<p class="soft">${fill(words.allow_as, 'email', email)}</p>`}`,
  }
}

function organizationField({ words, form: sent }: Visit, all: readonly Organization[]): Markup {
  const [first] = all
  if (all.length === 1 && first) {
    return markup`<p>${words.allow_where}: <strong>${first.name}</strong></p>${hidden({ organization: first.id })}`
  }
  const chosen = sent['organization'] ?? first?.id
  const options = all.map(
    ({ id, name }) =>
      markup`<option value="${id}" ${id === chosen && markup`selected`}>${name}</option>`,
  )
  return markup`<div class="field"><label for="organization">${words.allow_where}</label>
<select id="organization" name="organization">${options}</select></div>`
}

/** One for each word: of this page, or as the API or the permission says it. */
function sentences({ deps, words }: Visit, { scope, resource }: Asked): string[] {
  return scope.map(word => {
    const own = resource.scopes?.find(({ name }) => name === word)?.says
    const [base = '', type] = word.split(':')
    const permission = deps.permissions.get(base)?.says
    const [surface = '', reach] = word.split('.')
    const what = words.surfaces[surface] ?? surface
    const whole = (reach === 'write' ? words.may_write : words.may_read).replace('{what}', what)
    const typed = type === undefined || type === '*' ? '' : ` (${type})`
    return own ?? words.scopes[word] ?? (permission ? permission + typed : whole)
  })
}

function schemeOf(redirect_uri: string): string {
  const { origin, protocol } = new URL(redirect_uri)
  return protocol === 'http:' ? origin : protocol
}

function unknown({ words }: Visit, why: Extract<Read, { kind: 'unknown' }>['why']): Result {
  const says = {
    client: words.unknown_client,
    redirect: words.unknown_redirect,
    request: words.unknown_request,
  }[why]
  return {
    title: words.no_request,
    status: 422,
    body: markup`<p class="alert" role="alert">${says}</p>`,
  }
}
