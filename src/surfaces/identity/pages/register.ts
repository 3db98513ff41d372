/**
 * Registers an account. The mailed link completes the registration in this browser, which stores
 * its id, and the page to which the visitor wants to go.
 */
import { markup } from '#dodeca/kernel'
import { register } from '../registrations/register.ts'
import { answerIn, captchaField, scripted } from './captcha.ts'
import { setCookie } from './cookies.ts'
import { button, field, form, hidden } from './form.ts'
import { nextPath } from './next-path.ts'
import { logInPath } from './page.ts'
import type { Page, Visit } from './visit.ts'

export const registration_cookie = 'account-registration'

export const registerPage: Page = {
  path: '/account/register',
  summary: 'The page on which an account is registered',
  show: visit => ({ title: visit.words.register, body: asked(visit), ...scripted(visit) }),
  submit: async visit => {
    const { deps, words, language, request } = visit
    const { email = '', password = '', tenant, next } = visit.form
    const named = { ...(tenant ? { tenant } : {}), ...answerIn(visit.form) }
    const body = { email, password, locale: language, ...named }
    const { id, verification_required } = await register(deps, body, request)
    const max_age = deps.kernel.settings['identity.verification_ttl_seconds']
    const value = `${id}.${encodeURIComponent(nextPath(next))}`
    const cookie = { name: registration_cookie, value, path: '/account/verify', max_age }
    const again = { ...visit, path: '/account/send-again' }
    return {
      title: words.mail_sent,
      // The visitor follows the link in the mail from another site.
      cookies: [setCookie(deps.kernel, cookie, 'Lax')],
      body: markup`<p>${words.registered}</p>
${!verification_required && markup`<p>${words.registered_at_once} <a href="${logInPath(nextPath(next))}">${words.log_in}</a></p>`}
${form(again, hidden({ email, tenant }), button(words.send_again, { plain: true }))}`,
    }
  },
}

function asked(visit: Visit) {
  const { words, query, form: given } = visit
  const label = { email: words.email, password: words.password }
  const email = { name: 'email', type: 'email', autocomplete: 'username' } as const
  const password = { name: 'password', type: 'password', autocomplete: 'new-password' } as const
  return markup`${form(
    visit,
    hidden({ tenant: given['tenant'] ?? query.tenant, next: given['next'] ?? query.next }),
    field(visit, { ...email, label: label.email, value: given['email'] }),
    field(visit, { ...password, label: label.password, hint: words.password_hint }),
    captchaField(visit, 'registration'),
    button(words.register),
  )}
<p>${words.have_account} <a href="/account/login">${words.log_in}</a></p>`
}
