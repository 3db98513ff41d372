/**
 * Logs in with a mailed code. The code is typed here, or the mailed link is opened in this browser,
 * which keeps the id of the request in a cookie. To open the link changes nothing, and in another
 * browser it begins no session, so a scanner of mails gets nothing.
 */
import { isId, markup, type Markup } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { requestLoginCode } from '../login-codes/request-code.ts'
import { peek } from '../one-time.ts'
import { logIn } from '../sessions/log-in.ts'
import { answerIn, asksCaptcha, captchaField, scripted } from './captcha.ts'
import { readCookie, setCookie } from './cookies.ts'
import { button, field, form, hidden, required } from './form.ts'
import { entered } from './log-in.ts'
import { nextPath } from './next-path.ts'
import type { Page, Result, Visit } from './visit.ts'

export const code_path = '/account/code'
const path = code_path
const cookie = { name: 'account-code', path } as const
/** The ticket of a provider that may not speak for the address. */
const ticket_cookie = { name: 'account-ticket', path } as const

export const loginCodePage: Page = {
  path,
  summary: 'The page that logs in with a mailed code',
  show: visit => {
    const token = visit.form['token'] ?? visit.query.token
    if (token) return followed(visit, token)
    const { words, form: given } = visit
    if (!kept(visit))
      return { title: words.code_title, body: asksAddress(visit), ...scripted(visit) }
    // An error is shown by the form that was sent.
    const quiet = { ...visit, fault: null }
    const [code, address] = given['code'] === undefined ? [quiet, visit] : [visit, quiet]
    return {
      title: words.code_title,
      body: markup`${asksCode(code)}<h2>${words.another_code}</h2>${asksAddress(address)}`,
      ...scripted(visit),
    }
  },
  submit: async visit => {
    const { code, token } = visit.form
    if (token) return await enter(visit, { token })
    return code === undefined ? await send(visit) : await enter(visit, { code: typed(visit) })
  },
}

async function send(visit: Visit): Promise<Result> {
  const { deps, words, language, request, form: given } = visit
  const { email } = required(given, 'email')
  const { tenant, next } = given
  const body = { email, locale: language, ...(tenant ? { tenant } : {}), ...answerIn(given) }
  const { id } = await requestLoginCode(deps, body, request)
  return {
    title: words.mail_sent,
    cookies: keepCode(deps.kernel, id, { tenant, next }),
    body: markup`<p>${words.code_sent}</p>${asksCode(visit)}`,
  }
}

/** The reader follows the link in the mail from another site. */
export function keepCode(
  kernel: Visit['deps']['kernel'],
  id: string,
  more: {
    readonly tenant?: string | undefined
    readonly next: string | undefined
    readonly ticket?: string
  },
): string[] {
  const max_age = kernel.settings['identity.login_code_ttl_seconds']
  const { tenant, next, ticket: value = '' } = more
  const named = [id, tenant, encodeURIComponent(nextPath(next))].join('.')
  return [
    setCookie(kernel, { ...cookie, value: named, max_age }, 'Lax'),
    setCookie(kernel, { ...ticket_cookie, value, max_age: value ? max_age : 0 }, 'Lax'),
  ]
}

async function enter(visit: Visit, shown: { code: string } | { token: string }): Promise<Result> {
  const { deps, request } = visit
  const asked = kept(visit)
  if (!asked) throw problem('invalid_credentials')
  const oidc_ticket = ticketOf(visit)
  const login_code = { id: asked.id, ...shown }
  const body = {
    login_code,
    ...(oidc_ticket ? { oidc_ticket } : {}),
    ...answerIn(visit.form),
    delivery: 'cookie',
  } as const
  const gone = entered(deps, await logIn(deps, body, request), asked.next)
  const spent = [cookie, ticket_cookie].map(one =>
    setCookie(deps.kernel, { ...one, value: '', max_age: 0 }, 'Lax'),
  )
  return { ...gone, cookies: [...(gone.cookies ?? []), ...spent] }
}

function ticketOf({ deps, request }: Visit): string | null {
  return readCookie(deps.kernel, request.headers, ticket_cookie.name)
}

function typed({ form: given }: Visit): string {
  const code = required(given, 'code').code.replaceAll(/\s/g, '')
  if (!/^[0-9]{8}$/.test(code)) throw problem('invalid_credentials')
  return code
}

type Kept = { readonly id: string; readonly tenant: string; readonly next: string }

/** The request that this browser made, its tenant, and where its log-in leads. */
function kept({ deps, request }: Visit): Kept | undefined {
  const value = readCookie(deps.kernel, request.headers, cookie.name) ?? ''
  const [id = '', tenant = '', ...next] = value.split('.')
  const path_asked = new URLSearchParams(`next=${next.join('.')}`).get('next') ?? ''
  return isId(id) ? { id, tenant, next: path_asked } : undefined
}

async function followed(visit: Visit, token: string): Promise<Result> {
  const { deps, words } = visit
  const open = await peek(deps.kernel.db, ['login_code'], token)
  if (!open) {
    const again = markup`<p><a href="${path}">${words.with_code}</a></p>`
    return { title: words.dead_link, body: markup`<p>${words.dead_link_says}</p>${again}` }
  }
  if (open.ref !== kept(visit)?.id) {
    return { title: words.log_in, body: markup`<p>${words.other_browser}</p>` }
  }
  return {
    title: words.log_in,
    ...scripted(visit),
    body: form(visit, hidden({ token }), ...asksCaptcha(visit), button(words.log_in)),
  }
}

function asksCode(visit: Visit): Markup {
  const { words, fault } = visit
  const wrong = fault?.code === 'invalid_credentials'
  const shown = wrong ? { ...fault, field: 'code', says: words.login_code_wrong } : fault
  const code = { name: 'code', autocomplete: 'one-time-code' } as const
  const why = ticketOf(visit) && markup`<p>${words.provider_proof}</p>`
  return markup`${why}${form(
    { ...visit, fault: shown },
    field({ ...visit, fault: shown }, { ...code, label: words.code, hint: words.login_code_hint }),
    ...asksCaptcha(visit),
    button(words.log_in),
  )}`
}

function asksAddress(visit: Visit): Markup {
  const { words, query, form: given } = visit
  const before = kept(visit)
  const tenant = given['tenant'] ?? query.tenant ?? before?.tenant
  const next = given['next'] ?? query.next ?? before?.next
  const email = { name: 'email', type: 'email', autocomplete: 'username' } as const
  return markup`<p>${words.code_says}</p>
${form(
  visit,
  hidden({ tenant, next }),
  field(visit, { ...email, label: words.email, value: given['email'] }),
  captchaField(visit, 'login_code'),
  button(words.send),
)}`
}
