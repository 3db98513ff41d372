/** Sends the verification of an address again. The page is the same for every address. */
import { markup } from '#dodeca/kernel'
import { resendVerification } from '../registrations/resend-verification.ts'
import { button, field, form, hidden, required } from './form.ts'
import type { Page } from './visit.ts'

export const sendAgainPage: Page = {
  path: '/account/send-again',
  summary: 'The page that sends the verification of an address again',
  show: visit => {
    const { words, query, form: given } = visit
    const email = { name: 'email', type: 'email', autocomplete: 'username' } as const
    return {
      title: words.send_again,
      body: form(
        visit,
        hidden({ tenant: given['tenant'] ?? query.tenant }),
        field(visit, { ...email, label: words.email, value: given['email'] }),
        button(words.send),
      ),
    }
  },
  submit: async ({ deps, words, request, form: given }) => {
    const { email } = required(given, 'email')
    const { tenant } = given
    await resendVerification(deps, { email, tenant: tenant || undefined }, request)
    return { title: words.mail_sent, body: markup`<p>${words.sent_again}</p>` }
  },
}
