/** Steps up the session with a second factor: before factors change, and for administrative work. */
import { markup } from '#dodeca/kernel'
import { activeMethods } from '../mfa/methods/find-methods.ts'
import { setCookies } from '../sessions/deliver-tokens.ts'
import { checkFactor, codeFields, keyForms } from './check-code.ts'
import { button, form, hidden } from './form.ts'
import { nextPath } from './next-path.ts'
import { sessionOf, type Page } from './visit.ts'

export const confirmPage: Page = {
  path: '/account/confirm',
  summary: 'The page that asks for a code before a dangerous act',
  guarded: true,
  enrols: true,
  show: async visit => {
    const { deps, words, query } = visit
    const methods = await activeMethods(deps.kernel.db, sessionOf(visit).id)
    const next = visit.form['next'] ?? query.next
    if (methods.length === 0) return { to: '/account/totp' }
    const holder = { kind: 'session', principal: sessionOf(visit) } as const
    const keys = await keyForms(visit, holder, methods, next)
    return {
      title: words.step_up,
      script: keys !== null,
      body: markup`<p>${words.step_up_says}</p>${keys}
${form(visit, hidden({ next }), codeFields(visit, methods), button(words.confirm))}`,
    }
  },
  submit: async visit => {
    const { deps, form: given } = visit
    const principal = sessionOf(visit)
    const holder = { kind: 'session', principal } as const
    const verified = await checkFactor(deps, holder, principal.id, visit)
    const { headers } = verified.kind === 'session' ? verified.delivered : verified.stronger
    const to = given['next'] ? nextPath(given['next']) : '/account/?done=confirmed'
    return { to, cookies: setCookies(headers) }
  },
}
