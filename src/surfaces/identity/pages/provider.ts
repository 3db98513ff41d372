/**
 * Logs in at an identity provider. The same address begins the log-in there and ends it when the
 * browser is back with a ticket. A cookie of this browser names the log-in, so that the ticket of
 * another person logs no account in here.
 */
import { markup, newSecret, Problem } from '#dodeca/kernel'
import { beginAuthorization, ownReturn } from '../oidc/begin-authorization.ts'
import { mailProof } from '../oidc/prove-address.ts'
import { logIn } from '../sessions/log-in.ts'
import { readCookie, setCookie } from './cookies.ts'
import { entered } from './log-in.ts'
import { code_path, keepCode } from './login-code.ts'
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
      const asks = error.code === 'address_proof_required'
      return (asks ? await mailCode(visit) : null) ?? failed(visit)
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

function kept({ deps, request }: Visit): { state: string; next: string } {
  const value = readCookie(deps.kernel, request.headers, cookie.name) ?? ''
  const dot = Math.max(0, value.indexOf('.'))
  return { state: value.slice(0, dot), next: decodeURIComponent(value.slice(dot + 1)) }
}

async function finish(visit: Visit): Promise<Result> {
  const { deps, query, request } = visit
  const { state, next } = kept(visit)
  if (query.ticket === undefined || state === '' || query.state !== state) {
    return failed(visit)
  }
  const body = { oidc_ticket: query.ticket, delivery: 'cookie' } as const
  const gone = entered(deps, await logIn(deps, body, request), next)
  const over = setCookie(deps.kernel, { ...cookie, value: '', max_age: 0 }, 'Lax')
  return { ...gone, cookies: [...(gone.cookies ?? []), over] }
}

/** The provider may not speak for the address: the reader of the mailbox goes on with a code. */
async function mailCode(visit: Visit): Promise<Result | null> {
  const { deps, language, query, request } = visit
  const { ticket = '' } = query
  const asked = await mailProof(deps, ticket, language, request).catch((error: unknown) => {
    if (error instanceof Problem) return undefined
    throw error
  })
  if (!asked) return null
  return {
    to: code_path,
    cookies: keepCode(deps.kernel, asked.id, { next: kept(visit).next, ticket }),
  }
}

/** An address of another account and a refusal of the provider look the same to a stranger. */
function failed({ words }: Visit): Result {
  return {
    title: words.log_in,
    body: markup`<p class="alert" role="alert">${words.provider_failed}</p>
<p><a href="/account/login">${words.log_in}</a></p>`,
  }
}
