/** Requests a mail that resets a password. The page is the same for every address. */
import { markup } from '#dodeca/kernel'
import { requestReset } from '../passwords/request-reset.ts'
import { answerIn, captchaField, scripted } from './captcha.ts'
import { button, field, form, hidden, required } from './form.ts'
import type { Page } from './visit.ts'

export const forgotPage: Page = {
  path: '/account/forgot',
  summary: 'The page that sends a mail to reset a password',
  show: visit => {
    const { words, query, form: given } = visit
    const email = { name: 'email', type: 'email', autocomplete: 'username' } as const
    return {
      title: words.forgot_title,
      ...scripted(visit),
      body: markup`<p>${words.forgot_says}</p>
${form(
  visit,
  hidden({ tenant: given['tenant'] ?? query.tenant }),
  field(visit, { ...email, label: words.email, value: given['email'] }),
  captchaField(visit, 'password_reset'),
  button(words.send),
)}`,
    }
  },
  submit: async ({ deps, words, request, form: given }) => {
    const { email } = required(given, 'email')
    const { tenant } = given
    const body = { email, ...(tenant ? { tenant } : {}), ...answerIn(given) }
    await requestReset(deps, body, request)
    return { title: words.mail_sent, body: markup`<p>${words.forgot_sent}</p>` }
  },
}
