/**
 * Logs in at an identity provider. The same address begins the log-in there and ends it when the
 * browser is back with a ticket. A cookie of this browser names the log-in, so that the ticket of
 * another person logs no account in here.
 */
import { markup, newSecret, Problem } from '#dodeca/kernel'
import { beginAuthorization, ownReturn } from '../oidc/begin-authorization.ts'
import { logIn } from '../sessions/log-in.ts'
import { readCookie, setCookie } from './cookies.ts'
import { entered } from './log-in.ts'
import { nextPath } from './next-path.ts'
import type { Page, Result, Visit } from './visit.ts'

const cookie = { name: 'account-provider', path: '/account/provider' } as const

export const providerPage: Page = {
  path: '/account/provider',
  summary: 'The page that logs in at an identity provider',
  effects: true,
  show: async visit => {
    const { provider } = visit.query
    try {
      return provider === undefined ? await finish(visit) : await begin(visit, provider)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return failed(visit, error.code)
    }
  },
}

async function begin({ deps, query, request }: Visit, provider: string): Promise<Result> {
  const { kernel } = deps
  const { tenant } = query
  const state = newSecret()
  const body = { redirect_uri: ownReturn(kernel), state, ...(tenant ? { tenant } : {}) }
  const begun = await beginAuthorization(deps, { provider, body, principal: null, request })
  const value = `${state}.${encodeURIComponent(nextPath(query.next))}`
  const max_age = begun.body.expires_in
  return {
    to: begun.body.authorization_url,
    // The provider leads back by a link, with which a strict cookie would not be sent.
    cookies: [begun.cookie, setCookie(kernel, { ...cookie, value, max_age }, 'Lax')],
  }
}

async function finish(visit: Visit): Promise<Result> {
  const { deps, query, request } = visit
  const kept = readCookie(deps.kernel, request.headers, cookie.name) ?? ''
  const dot = kept.indexOf('.')
  const [state, next] = [kept.slice(0, Math.max(0, dot)), kept.slice(dot + 1)]
  if (query.ticket === undefined || state === '' || query.state !== state) {
    return failed(visit)
  }
  const body = { oidc_ticket: query.ticket, delivery: 'cookie' } as const
  const gone = entered(deps, await logIn(deps, body, request), decodeURIComponent(next))
  const over = setCookie(deps.kernel, { ...cookie, value: '', max_age: 0 }, 'Lax')
  return { ...gone, cookies: [...(gone.cookies ?? []), over] }
}

/** An address of another account and a refusal of the provider look the same to a stranger. */
function failed({ words }: Visit, code?: string): Result {
  const says = code === 'address_proof_required' ? words.provider_proof : words.provider_failed
  return {
    title: words.log_in,
    body: markup`<p class="alert" role="alert">${says}</p>
<p><a href="/account/login">${words.log_in}</a></p>`,
  }
}
