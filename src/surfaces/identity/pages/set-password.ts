/**
 * The pages of mailed links that set a password, after a reset or an invitation. Opening a page
 * changes nothing. If a password is refused, the token stays valid.
 */
import { markup } from '#dodeca/kernel'
import { peek } from '../one-time.ts'
import { resetPassword } from '../passwords/reset-password.ts'
import { button, field, form, hidden } from './form.ts'
import type { Page } from './visit.ts'

export const resetPage = settingPage('reset', 'The page of a mailed link that resets a password')
export const invitePage = settingPage('invite', 'The page of a mailed invitation')

function settingPage(kind: 'reset' | 'invite', summary: string): Page {
  return {
    path: `/account/${kind}`,
    summary,
    show: async visit => {
      const { deps, words, query } = visit
      const token = visit.form['token'] ?? query.token ?? ''
      if (!(await peek(deps.kernel.db, ['password_reset', 'invite'], token))) {
        return {
          title: words.dead_link,
          body: markup`<p>${words.dead_link_says}</p>
<p><a href="/account/forgot">${words.forgot_title}</a></p>`,
        }
      }
      const password = { name: 'password', type: 'password', autocomplete: 'new-password' } as const
      const about = { label: words.new_password, hint: words.password_hint }
      return {
        title: words[kind],
        body: markup`${kind === 'invite' && markup`<p>${words.invite_says}</p>`}
${form(visit, hidden({ token }), field(visit, { ...password, ...about }), button(words.set_password))}`,
      }
    },
    submit: async ({ deps, request, form: { token = '', password = '' } }) => {
      await resetPassword(deps, { token, new_password: password }, request)
      return { to: '/account/login?done=password' }
    },
  }
}
