/** The product with applications that log people in, each by openid-client like an outsider's. */
import { hash } from 'node:crypto'
import * as oidc from 'openid-client'
import { freePort } from '../../../../../test/free-port.ts'
import {
  openProductWorld,
  type Member,
  type ProductWorld,
} from '../../../../../test/product-world.ts'
import type { Answer } from '../../../../../test/world.ts'
import { newId, newSecret, sql, type Db } from '#dodeca/kernel'
import { loggedIn, type Browser } from '../../pages/test/visitor.ts'
import { default_tenant_id } from '../../schemas.ts'

export const callback = 'https://app.test/back'

export type App = {
  readonly id: string
  readonly secret: string | null
  readonly redirect_uri: string
  readonly config: oidc.Configuration
}

type Registered = {
  readonly tenant_id?: string
  readonly name?: string
  readonly type?: 'web' | 'spa' | 'native'
  readonly redirect_uri?: string
  readonly scopes?: readonly string[]
  readonly first_party?: boolean
}

/** A way of one person to one application, up to the page that asks. */
export type Way = {
  readonly url: URL
  readonly code_verifier: string
  readonly state: string
  readonly nonce: string
}

export type OAuthWorld = ProductWorld & {
  app(registered?: Registered): Promise<App>
  /** An API; returns its client id and its secret. */
  api(uri: string, ...scopes: string[]): Promise<{ id: string; secret: string }>
  way(app: App, scope: string, more?: Record<string, string>): Promise<Way>
  /** Allows what is asked, and returns where the browser is led. */
  agree(browser: Browser, way: Way, more?: Record<string, string>): Promise<URL>
  /** The whole way of a person who is logged in. */
  grant(
    person: Member,
    app: App,
    scope: string,
    more?: Record<string, string>,
  ): Promise<Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>>
  post(
    path: string,
    form: Record<string, string>,
    headers?: Record<string, string>,
    url?: string,
  ): Promise<Answer>
}

const every_scope =
  'openid profile email offline_access chat.read chat.write jobs.read jobs.write'.split(' ')

export async function openOAuthWorld(settings: Record<string, string> = {}): Promise<OAuthWorld> {
  const port = await freePort()
  const PUBLIC_URL = `http://127.0.0.1:${port}`
  const world = await openProductWorld({ PORT: String(port), PUBLIC_URL, ...settings })
  const { db } = world.platform.kernel
  return {
    ...world,
    app: async (registered = {}) => {
      const { type = 'web', scopes = every_scope, redirect_uri = callback } = registered
      const made = await insert(db, { ...registered, redirect_uri }, { type, scopes })
      const auth = made.secret === null ? oidc.None() : oidc.ClientSecretBasic(made.secret)
      const metadata = { id_token_signed_response_alg: 'ES256' }
      const config = await oidc.discovery(new URL(PUBLIC_URL), made.id, metadata, auth, {
        // oxlint-disable-next-line typescript/no-deprecated -- the server under test is on loopback
        execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
      })
      return { ...made, redirect_uri, config }
    },
    api: async (uri, ...scopes) => {
      const own = scopes.map(name => ({ name, says: `May ${name}` }))
      const { id, secret } = await insert(db, { name: 'An API' }, { type: 'api', scopes: own, uri })
      return { id, secret: secret ?? '' }
    },
    way,
    agree,
    grant: async (person, app, scope, more = {}) => {
      const begun = await way(app, scope, more)
      const led = await agree(await loggedIn(world, person), begun)
      return await oidc.authorizationCodeGrant(app.config, led, checksOf(begun))
    },
    post: async (path, form, headers = {}, url = world.url) => {
      const body = new URLSearchParams(form)
      const answer = await fetch(url + path, { method: 'POST', body, headers })
      const text = await answer.text()
      const json = answer.headers.get('content-type')?.includes('json')
      const { status } = answer
      return { status, headers: answer.headers, text, body: json ? JSON.parse(text) : null }
    },
  }
}

async function insert(
  db: Db,
  registered: Registered,
  { type, scopes, uri }: { type: string; scopes: unknown; uri?: string },
) {
  const { tenant_id = default_tenant_id, name = 'An app', redirect_uri, first_party } = registered
  const id = newId()
  const secret = type === 'web' || type === 'api' ? newSecret() : null
  await db.run(sql`
    insert into identity.clients
      (tenant_id, id, name, type, redirect_uris, scopes, uri, first_party)
    values (${tenant_id}, ${id}, ${name}, ${type},
      ${redirect_uri === undefined ? [] : [redirect_uri]}::text[],
      ${sql.json(scopes)}::jsonb, ${uri ?? null}, ${first_party ?? false})`)
  if (secret !== null) {
    await db.run(sql`
      insert into identity.client_secrets (tenant_id, client_id, id, secret_hash)
      values (${tenant_id}, ${id}, ${newId()}, ${hash('sha256', secret, 'buffer')})`)
  }
  return { id, secret }
}

async function way(app: App, scope: string, more: Record<string, string> = {}): Promise<Way> {
  const code_verifier = oidc.randomPKCECodeVerifier()
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()]
  const url = oidc.buildAuthorizationUrl(app.config, {
    redirect_uri: app.redirect_uri,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...more,
  })
  return { url, code_verifier, state, nonce }
}

async function agree(
  browser: Browser,
  { url }: Way,
  more: Record<string, string> = {},
): Promise<URL> {
  const page = await browser.open(url.pathname + url.search)
  if (page.to !== null) return new URL(page.to, url)
  const fields = { ...hiddenOf(page.text), action: 'allow', ...more }
  const sent = await browser.send(url.pathname, fields)
  if (sent.to === null) throw new Error(`${sent.status} ${sent.text}`)
  return new URL(sent.to, url)
}

export function checksOf({ code_verifier, state, nonce }: Way) {
  return { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce }
}

export function basic({ id, secret }: { id: string; secret: string | null }) {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

export function hiddenOf(text: string): Record<string, string> {
  const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    ]),
  )
}
