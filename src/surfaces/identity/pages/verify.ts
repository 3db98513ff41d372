/**
 * The pages of mailed links that verify a mailbox: of a registration, or of a new address. Opening
 * a page changes nothing, because mail scanners follow links. A registration is completed by the
 * browser that began it, or with its password. A new address is confirmed by the owner of the
 * account.
 */
import { isId, markup } from '#dodeca/kernel'
import { proveEmailChange } from '../email-changes/prove-email-change.ts'
import { refuseEmailChange } from '../email-changes/refuse-email-change.ts'
import { peek } from '../one-time.ts'
import { verifyAddress } from '../registrations/verify-address.ts'
import { readCookie, setCookie } from './cookies.ts'
import { button, field, form, hidden } from './form.ts'
import { nextPath } from './next-path.ts'
import { logInPath } from './page.ts'
import { setCookies } from '../sessions/deliver-tokens.ts'
import type { Page, Visit } from './visit.ts'
import { registration_cookie } from './register.ts'
import { visitorOf } from './visitor.ts'

const path = '/account/verify'

export const verifyPage: Page = {
  path,
  summary: 'The page of a mailed link that proves an address',
  show: async visit => {
    const { deps, words, query } = visit
    const token = visit.form['token'] ?? query.token ?? ''
    const { db } = deps.kernel
    if (await peek(db, ['email_change'], token)) return askForChange(visit, token)
    if (await peek(db, ['email_verification'], token)) return askForRegistration(visit, token)
    return {
      title: words.dead_link,
      body: markup`<p>${words.dead_link_says}</p>
<p><a href="/account/send-again">${words.send_again}</a></p>`,
    }
  },
  submit: async visit => {
    const { deps, words, request } = visit
    const { token = '', password, action } = visit.form
    if (action === 'refuse') {
      await refuseEmailChange(deps, token)
      return { title: words.refused, body: markup`<p>${words.refused_says}</p>` }
    }
    if (action === 'change') return await change(visit, token)
    const { id, next } = registrationOf(visit)
    const registration_id = password ? undefined : id
    await verifyAddress(deps, { token, registration_id, password }, request)
    const cookie = { name: registration_cookie, value: '', path, max_age: 0 }
    return {
      to: logInPath(next, 'verified'),
      cookies: [setCookie(deps.kernel, cookie, 'Lax')],
    }
  },
}

function registrationOf({ deps, request }: Visit): { id: string | undefined; next: string } {
  const kept = readCookie(deps.kernel, request.headers, registration_cookie) ?? ''
  const [id = '', ...asked] = kept.split('.')
  const next = new URLSearchParams(`next=${asked.join('.')}`).get('next') ?? ''
  return { id: isId(id) ? id : undefined, next: nextPath(next) }
}

async function change(visit: Visit, token: string) {
  const { deps, request } = visit
  const { session, cookies } = await visitorOf(deps, request, 'anonymous')
  if (!session) return { to: logInPath(`${path}?${new URLSearchParams({ token })}`), cookies }
  const { begun } = await proveEmailChange(deps, session, { token, delivery: 'cookie' }, request)
  return { to: '/account/?done=changed', cookies: begun ? setCookies(begun.headers) : cookies }
}

function askForChange(visit: Visit, token: string) {
  const { words } = visit
  return {
    title: words.change,
    body: markup`<p>${words.change_says}</p>
${form(visit, hidden({ token }), button(words.confirm, { action: 'change' }), markup` `, button(words.refuse, { action: 'refuse', plain: true }))}`,
  }
}

/** The token is still open after the failure, so the other proof was wrong. */
function askForRegistration(visit: Visit, token: string) {
  const { words, fault } = visit
  const wrong = fault?.code === 'one_time_token_invalid'
  const asks = wrong || registrationOf(visit).id === undefined
  const failed = { ...visit, fault: { code: '', field: 'password', says: words.verify_wrong } }
  const password = { name: 'password', type: 'password', autocomplete: 'current-password' } as const
  return {
    title: words.verify,
    body: markup`${!asks && markup`<p>${words.verify_says}</p>`}
${form(
  wrong ? failed : visit,
  hidden({ token }),
  markup`${asks && field(wrong ? failed : visit, { ...password, label: words.verify_password })}`,
  button(words.confirm),
)}`,
  }
}
