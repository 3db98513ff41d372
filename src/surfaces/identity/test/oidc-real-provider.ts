/** A complete OpenID provider on loopback: people log in and consent there by its own pages. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { answered, type Browser, isApplication, type Page } from './oidc-browser.ts'

export type Person = {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

export type RealProvider = {
  readonly issuer: string
  readonly client_secret: string
  readonly people: Map<string, Person>
  close(): Promise<void>
}

/** `names`: what the platform calls it; each name is a client of its own here. */
export async function startRealProvider(
  public_url: string,
  names: readonly string[],
): Promise<RealProvider> {
  const people = new Map<string, Person>()
  const client_secret = 'a secret of the test that is long enough'
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'real', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['a key of the test'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    clients: names.map(client_id => ({
      client_id,
      client_secret,
      redirect_uris: [`${public_url}/v1/oidc/${client_id}/callback`],
      id_token_signed_response_alg: 'ES256',
    })),
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id) }),
    }),
  })
  const answer = provider.callback()
  server.on('request', (request, response) => void answer(request, response))
  return {
    issuer,
    client_secret,
    people,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Logs in as `who` and consents, where asked, until the browser is back at the application. */
export async function logInThere(
  browser: Browser,
  authorization_url: string,
  who: string,
  stop: (next: string) => boolean = isApplication,
): Promise<Page> {
  let page = await browser.follow(authorization_url, stop)
  while (!stop(page.url)) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1]
    if (!action || !prompt || answered(page, 'error')) {
      throw new Error(
        `no form to fill in at ${page.url}: ${page.status} ${page.text.slice(0, 500)}`,
      )
    }
    const form = { prompt, ...(prompt === 'login' ? { login: who, password: 'any' } : {}) }
    page = await browser.follow(new URL(action, page.url).href, stop, { form })
  }
  return page
}
