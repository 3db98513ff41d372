/**
 * Logs in with a password or a passkey in this browser, and leads to the other ways. An account with
 * a second factor continues on the page for it.
 */
import { markup, type Markup } from '#dodeca/kernel'
import type { LoggedIn } from '../sessions/begin-session.ts'
import { connectionOfDomain } from '../connections/owns-domain.ts'
import { logIn } from '../sessions/log-in.ts'
import { setCookies, type Delivered } from '../sessions/deliver-tokens.ts'
import type { Deps } from '../deps.ts'
import { Assertion } from '../mfa/schemas.ts'
import { passkeyOptions } from '../passkeys/challenge.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { waysOf, type LoginOptions } from '../sessions/login-options.ts'
import { findTenant, slugMeant } from '../tenants/resolve-tenant.ts'
import { answerIn, asksCaptcha } from './captcha.ts'
import { readCookie, setCookie } from './cookies.ts'
import { button, field, form, hidden, required } from './form.ts'
import { nextPath } from './next-path.ts'
import { logInPath } from './page.ts'
import { credentialIn, passkeyForm } from './passkey-form.ts'
import { notice, type Form, type Gone, type Page, type Visit } from './visit.ts'

export const login_cookie = 'account-login'
const device_cookie = 'account-device'

export const logInPage: Page = {
  path: '/account/login',
  summary: 'The page on which a person logs in',
  show: async visit => ({
    title: visit.words.log_in,
    script: true,
    body: await asked(visit),
  }),
  submit: async ({ deps, request, form: given }) => {
    if (given['action'] === 'passkey') return await withPasskey(deps, request, given)
    const { email, password } = required(given, 'email', 'password')
    const { tenant, next } = given
    const device_token = readCookie(deps.kernel, request.headers, device_cookie)
    const known = device_token === null ? {} : { device_token }
    const named = { ...(tenant ? { tenant } : {}), ...answerIn(given) }
    const body = { email, password, ...named, ...known }
    const result = await logIn(deps, { ...body, delivery: 'cookie' }, request)
    return entered(deps, result, next)
  },
}

async function withPasskey(deps: Deps, request: Seen, given: Form): Promise<Gone> {
  const { tenant, next } = given
  // The page was open for too long.
  if (!given['credential']) return { to: logInPath(nextPath(next), 'too_late') }
  const passkey = credentialIn(given, Assertion)
  const body = { passkey, delivery: 'cookie', ...(tenant ? { tenant } : {}) } as const
  return entered(deps, await logIn(deps, body, request), next)
}

/** Where a log-in leads: to the second factor, or to the page that was asked for. */
export function entered(
  deps: Pick<Deps, 'kernel'>,
  result: LoggedIn,
  next: string | undefined,
): Gone {
  if (result.kind === 'session') return begun(deps, result.delivered, next)
  const { login_token: value, expires_in: max_age } = result.required
  const cookie = { name: login_cookie, value, path: '/account/second-factor', max_age }
  return {
    to: `/account/second-factor?${new URLSearchParams({ next: nextPath(next) })}`,
    // A log-in at a provider comes here from another site.
    cookies: [setCookie(deps.kernel, cookie, 'Lax')],
  }
}

/** The device is remembered, so that wrong passwords from elsewhere do not delay its next login. */
export function begun(
  { kernel }: Pick<Deps, 'kernel'>,
  { body, headers }: Delivered,
  next: string | undefined,
): Gone {
  const max_age = kernel.settings['identity.device_ttl_seconds']
  const value = body.device_token ?? ''
  const device = { name: device_cookie, value, path: '/account/login', max_age }
  return { to: nextPath(next), cookies: [...setCookies(headers), setCookie(kernel, device)] }
}

async function asked(visit: Visit): Promise<Markup> {
  const { deps, words, query, form: given, request } = visit
  const { kernel } = deps
  const said = notice(visit)
  const tenant = given['tenant'] ?? query.tenant
  const next = given['next'] ?? query.next
  const here = tenant ? `?${new URLSearchParams({ tenant })}` : ''
  const further = { ...(tenant ? { tenant } : {}), ...(next ? { next } : {}) }
  const { host } = request.headers
  const login = (await findTenant(kernel.db, kernel, tenant, host))?.login ?? null
  const ways = await waysOf(kernel.db, deps, login, slugMeant(kernel, tenant, host))
  const has = (way: (typeof ways.methods)[number]) => ways.methods.includes(way)
  const links = providerLinks({ tenant, next }, visit, ways.connections)
  // The organization of the domain of a typed address. It says nothing about an account.
  const sso = given['email'] ? await connectionOfDomain(kernel.db, given['email']) : undefined
  const own = sso && providerLinks({ tenant: sso.tenant, next }, visit, [sso])
  // An administrator with a second factor may log in in any way.
  const others = markup`${
    ways.methods.length === 0 &&
    markup`${links}<details ${visit.fault && markup`open`}>
<summary>${words.as_administrator}</summary>
${passwordForm(visit, { tenant, next })}${passkeyButton(visit, { tenant, next })}</details>`
  }`
  return markup`${said !== null && markup`<p class="notice" role="status">${said}</p>`}${own}${others}
${has('password') && passwordForm(visit, { tenant, next })}
${has('passkey') && passkeyButton(visit, { tenant, next })}
${has('code') && codeLink(visit, { tenant, next })}${ways.methods.length > 0 && links}${has('password') && markup`<p><a href="/account/forgot${here}">${words.forgot}</a></p>`}
<p>${words.no_account} <a href="/account/register?${new URLSearchParams(further).toString()}">${words.register}</a></p>`
}

type Further = Readonly<Record<'tenant' | 'next', string | undefined>>

function passwordForm(visit: Visit, further: Further): Markup {
  const { words, form: given } = visit
  const email = { name: 'email', type: 'email', autocomplete: 'username' } as const
  const password = { name: 'password', type: 'password', autocomplete: 'current-password' } as const
  return form(
    withFault(visit),
    hidden(further),
    field(visit, { ...email, label: words.email, value: given['email'] }),
    field(visit, { ...password, label: words.password }),
    ...asksCaptcha(visit),
    button(words.log_in),
  )
}

function passkeyButton(visit: Visit, further: Further): Markup {
  return passkeyForm(visit, {
    options: passkeyOptions(visit.deps.kernel).public_key,
    fields: { action: 'passkey', ...further },
    label: visit.words.with_passkey,
    plain: true,
  })
}

/** A refused passkey is no wrong password. */
function withFault(visit: Visit): Visit {
  const { words, fault, form: given } = visit
  if (!fault || given['action'] !== 'passkey') return visit
  return { ...visit, fault: { ...fault, field: null, says: words.key_refused } }
}

function codeLink({ words }: Visit, further: Further): Markup {
  const to = `/account/code?${new URLSearchParams(present(further))}`
  return markup`<p><a class="button" href="${to}">${words.with_code}</a></p>
`
}

/** One link for each identity provider. */
function providerLinks(
  further: Further,
  { words }: Visit,
  offered: LoginOptions['connections'],
): Markup {
  const links = offered.map(({ provider, name }) => {
    const to = new URLSearchParams({ provider, ...present(further) })
    const label = words.with_provider.replace('{name}', name)
    return markup`<p><a class="button" href="/account/provider?${to.toString()}">${label}</a></p>\n`
  })
  return markup`${links}`
}

function present(values: Further): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
}
