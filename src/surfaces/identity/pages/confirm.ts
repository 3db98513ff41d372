/** Steps up the session with a code: before factors change, and for administrative work. */
import { markup } from '#dodeca/kernel'
import { activeMethods } from '../mfa/methods/find-methods.ts'
import { setCookies } from '../sessions/deliver-tokens.ts'
import { checkCode, codeFields } from './check-code.ts'
import { button, form, hidden } from './form.ts'
import { nextPath } from './next-path.ts'
import { sessionOf, type Page } from './visit.ts'

export const confirmPage: Page = {
  path: '/account/confirm',
  summary: 'The page that asks for a code before a dangerous act',
  guarded: true,
  show: async visit => {
    const { deps, words, query } = visit
    const methods = await activeMethods(deps.kernel.db, sessionOf(visit).id)
    if (methods.length === 0) return { to: '/account/totp' }
    const next = hidden({ next: visit.form['next'] ?? query.next })
    return {
      title: words.step_up,
      body: markup`<p>${words.step_up_says}</p>
${form(visit, next, codeFields(visit, methods), button(words.confirm))}`,
    }
  },
  submit: async visit => {
    const { deps, form: given } = visit
    const principal = sessionOf(visit)
    const holder = { kind: 'session', principal } as const
    const verified = await checkCode(deps, holder, principal.id, visit)
    if (verified.kind !== 'stepped_up') throw new Error('a session was not stepped up')
    const to = given['next'] ? nextPath(given['next']) : '/account/?done=confirmed'
    return { to, cookies: setCookies(verified.stronger.headers) }
  },
}
