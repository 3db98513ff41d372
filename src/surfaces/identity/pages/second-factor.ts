/**
 * Asks for the second factor of a waiting login. A cookie of this page contains the login token.
 */
import { markup } from '#dodeca/kernel'
import { hashOf, peek } from '../one-time.ts'
import { activeMethods } from '../mfa/methods/find-methods.ts'
import { checkFactor, codeFields, keyForms } from './check-code.ts'
import { readCookie, setCookie } from './cookies.ts'
import { button, form, hidden } from './form.ts'
import { begun, login_cookie } from './log-in.ts'
import type { Page, Visit } from './visit.ts'

const path = '/account/second-factor'
const too_late = { to: '/account/login?done=too_late' }

export const secondFactorPage: Page = {
  path,
  summary: 'The page that asks for a second factor at a login',
  // Showing it opens the challenges of keys.
  effects: true,
  show: async visit => {
    const { deps, words, query } = visit
    const login = await waitingLogin(visit)
    if (!login) return too_late
    const methods = await activeMethods(deps.kernel.db, login.account_id)
    const next = visit.form['next'] ?? query.next
    const keys = await keyForms(visit, holderOf(login.token), methods, next)
    return {
      title: words.second_factor,
      script: keys !== null,
      body: markup`${keys}
${form(visit, hidden({ next }), codeFields(visit, methods), button(words.continue))}`,
    }
  },
  submit: async visit => {
    const { deps } = visit
    const login = await waitingLogin(visit)
    if (!login) return too_late
    const { token, account_id } = login
    const verified = await checkFactor(deps, holderOf(token), account_id, visit)
    if (verified.kind !== 'session') throw new Error('a login became no session')
    const { to, cookies = [] } = begun(deps, verified.delivered, visit.form['next'])
    const empty = { name: login_cookie, value: '', path, max_age: 0 }
    const spent = setCookie(deps.kernel, empty, 'Lax')
    return { to, cookies: [...cookies, spent] }
  },
}

function holderOf(token: string) {
  return { kind: 'login', token, hash: hashOf(token) } as const
}

async function waitingLogin({ deps, request }: Visit) {
  const token = readCookie(deps.kernel, request.headers, login_cookie)
  const login = token === null ? undefined : await peek(deps.kernel.db, ['mfa_login'], token)
  return token !== null && login?.account_id ? { token, account_id: login.account_id } : undefined
}
