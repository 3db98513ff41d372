/**
 * All account pages. The published document does not contain them, because it is written for
 * programs.
 */
import { reply, route, type Route } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { authorizePage } from './authorize.ts'
import { confirmPage } from './confirm.ts'
import { forgotPage } from './forgot.ts'
import { keepFactorsPage } from './keep-factors.ts'
import { logInPage } from './log-in.ts'
import { loginCodePage } from './login-code.ts'
import { home_path } from './next-path.ts'
import { organizationsPage } from './organizations.ts'
import { overviewPage } from './overview.ts'
import { pageRoutes } from './page.ts'
import { passkeyPage } from './passkey.ts'
import { profilePage } from './profile.ts'
import { providerPage } from './provider.ts'
import type { Page } from './visit.ts'
import { recoveryCodesPage } from './recovery-codes.ts'
import { registerPage } from './register.ts'
import { secondFactorPage } from './second-factor.ts'
import { sendAgainPage } from './send-again.ts'
import { invitePage, resetPage } from './set-password.ts'
import { totpPage } from './totp.ts'
import { verifyPage } from './verify.ts'

const pages: readonly Page[] = [
  overviewPage,
  organizationsPage,
  profilePage,
  registerPage,
  sendAgainPage,
  verifyPage,
  logInPage,
  loginCodePage,
  providerPage,
  secondFactorPage,
  forgotPage,
  resetPage,
  invitePage,
  keepFactorsPage,
  confirmPage,
  authorizePage,
  totpPage,
  passkeyPage,
  recoveryCodesPage,
]

export function accountPageRoutes(deps: Deps): readonly Route[] {
  return [withoutSlash, ...pages.flatMap(page => pageRoutes(deps, page))]
}

const withoutSlash = route({
  method: 'GET',
  path: '/account',
  summary: 'Leads to the page of an account',
  permission: 'public',
  hidden: true,
  added: true,
  transaction: 'own',
  head: true,
  produces: ['text/html'],
  replies: { 303: null },
  handle: () => Promise.resolve(reply(303, null, { location: home_path })),
})
