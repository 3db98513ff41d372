/**
 * The vendor at which people log in: GitHub, Facebook and Discord with OAuth 2.0, Apple and Google
 * with OpenID Connect, each below a path of its own and then with the vendor's own paths.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { controlPlane } from '../control.ts'
import type { Vendor } from '../vendor.ts'
import { exchangeCode } from './exchange-code.ts'
import { faultRoutes, openFaults } from './faults.ts'
import { apple_key_id, apple_team_id, openKeys } from './keys.ts'
import { showLogIn } from './log-in-page.ts'
import { openPeople } from './people.ts'
import { tellPerson } from './tell-person.ts'
import { json, type Exchange, type Vended } from './vended.ts'

const providers = ['apple', 'discord', 'facebook', 'github', 'google'] as const
const client_id = 'sandbox'
const body_bytes_max = 64 * 1024

export const signIn: Vendor = {
  name: 'sign_in',
  open: async setup => {
    const ready: { vended?: Vended } = {}
    const faults = openFaults()
    const people = openPeople()
    const plane = controlPlane({ vendor: 'sign_in', folder: setup.folder }, [
      ...faultRoutes(faults),
      {
        method: 'POST',
        path: '/reset',
        run: () => {
          faults.clear()
          people.clear()
          return { status: 204 }
        },
      },
    ])
    const http = createServer((request, response) => {
      const { vended } = ready
      if (!vended) return void response.writeHead(503).end()
      if (request.url?.startsWith('/_sandbox')) return void plane(request, response)
      void serve(vended, request, response).catch(() => response.destroy())
    })
    const origin = `http://127.0.0.1:${await setup.listen('api', http)}`
    const client_secret = setup.kept.secret('client_secret')
    const keys = openKeys(setup.folder)
    ready.vended = { origin, client_id, client_secret, people, faults, keys, clock: setup.clock }
    return {
      addresses: {
        ...Object.fromEntries(providers.map(one => [one, `${origin}/${one}`])),
        client_id,
        client_secret,
        apple_team_id,
        apple_key_id,
        apple_key: keys.apple_file,
        control: `${origin}/_sandbox/`,
      },
      close: async () => {
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
      },
    }
  },
}

type Answer = (vended: Vended, exchange: Exchange) => Promise<void> | void

const answers: Readonly<Record<string, Answer>> = {
  '/login/oauth/authorize': showLogIn,
  '/login/oauth/access_token': exchangeCode,
  '/user': tellPerson,
  '/user/emails': tellPerson,
  '/oauth2/authorize': showLogIn,
  '/api/oauth2/token': exchangeCode,
  '/api/users/@me': tellPerson,
  '/v25.0/dialog/oauth': showLogIn,
  '/v25.0/oauth/access_token': exchangeCode,
  '/v25.0/me': tellPerson,
  '/.well-known/openid-configuration': describe,
  '/auth/authorize': showLogIn,
  '/auth/token': exchangeCode,
  '/auth/userinfo': tellPerson,
  '/auth/keys': async ({ keys }, { response }) => json(response, 200, await keys.jwks()),
}

async function serve(vended: Vended, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', vended.origin)
  const [, provider = '', path = ''] = /^\/([a-z]+)(\/.*)$/.exec(url.pathname) ?? []
  const known = providers.some(one => one === provider)
  const answer = known && answers[path]
  if (!answer) return json(response, 404, { message: 'Not Found' })
  const form = new URLSearchParams(await bodyOf(request))
  await answer(vended, { provider, path, url, request, response, form })
}

function describe({ origin }: Vended, { provider, response }: Exchange): void {
  const issuer = `${origin}/${provider}`
  const is_apple = provider === 'apple'
  const methods = is_apple ? ['client_secret_post'] : ['client_secret_basic', 'client_secret_post']
  json(response, 200, {
    issuer,
    authorization_endpoint: `${issuer}/auth/authorize`,
    token_endpoint: `${issuer}/auth/token`,
    jwks_uri: `${issuer}/auth/keys`,
    ...(is_apple ? {} : { userinfo_endpoint: `${issuer}/auth/userinfo` }),
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: methods,
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > body_bytes_max) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
