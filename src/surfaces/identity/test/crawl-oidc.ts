/** Identities for the crawler, at a real OpenID provider. */
import { newId } from '#dodeca/kernel'
import type { Making } from './crawl-people.ts'
import { answered, application, Browser } from './oidc-browser.ts'
import { logInThere } from './oidc-real-provider.ts'
import { origin } from './second-factor.ts'

export const provider_name = 'known'

/** The form with which a provider leads the browser of a login back. */
export async function postedForm(maker: Making) {
  const { query } = await refusedLogin(maker)
  return {
    bytes: Buffer.from(new URLSearchParams(query).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

/** A login that is under way in one browser, which the provider refuses. */
export async function refusedLogin({ world, person }: Making) {
  const body = { redirect_uri: application, tenant: person.tenant.slug }
  const begun = await world.call('POST', `/v1/oidc/${provider_name}/authorizations`, { body })
  const state = new URL(begun.body.authorization_url).searchParams.get('state') ?? ''
  const [cookie = ''] = begun.headers.getSetCookie()
  return {
    query: { state, error: 'access_denied' },
    headers: { cookie: cookie.split(';', 1)[0] ?? '' },
  }
}

/** What links an identity that no account has to the account of this person. */
export async function linkTicket({ world, person }: Making): Promise<string> {
  const browser = new Browser({ [origin]: world.url })
  const begun = await browser.open(`${origin}/v1/oidc/${provider_name}/authorizations`, {
    json: { redirect_uri: application, purpose: 'link' },
    token: person.token,
  })
  const { authorization_url } = JSON.parse(begun.text)
  const ticket = answered(await logInThere(browser, authorization_url, newId()), 'ticket')
  if (ticket === null) throw new Error('the provider gave no ticket')
  return ticket
}

export async function linkedIdentity(maker: Making): Promise<string> {
  const oidc_ticket = await linkTicket(maker)
  return (await maker.ask('POST', '/v1/me/external-identities', { oidc_ticket })).id
}
