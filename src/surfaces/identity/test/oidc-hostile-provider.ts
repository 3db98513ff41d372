/** A provider on loopback whose answers a test bends: claims, signatures, redirects, descriptions. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Events,
  OAuth2Issuer,
  OAuth2Service,
  type MutableRedirectUri,
  type MutableResponse,
  type MutableToken,
} from 'oauth2-mock-server'

export type Bend = {
  /** Into every token that it signs. */
  claims?: Record<string, unknown>
  /** The id_token that is answered instead, made from what it would be. */
  idToken?: (signed: string) => string
  token?: (answer: MutableResponse) => void
  redirect?: (url: URL) => void
  description?: Record<string, unknown>
}

export type HostileProvider = {
  readonly issuer: string
  readonly public_jwk: Record<string, unknown>
  /** What it does from now on. */
  bend: Bend
  /** How often its keys and its description were asked for. */
  readonly asked: Record<string, number>
  close(): Promise<void>
}

/** It says that it names itself on the way back, and that it would sign with anything. */
const description = {
  authorization_response_iss_parameter_supported: true,
  id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'],
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const issuer = new OAuth2Issuer()
  const service = new OAuth2Service(issuer)
  await issuer.keys.generate('RS256')
  const asked: Record<string, number> = {}
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    asked[path] = (asked[path] ?? 0) + 1
    service.requestHandler(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = {
    issuer: issuer.url,
    public_jwk: issuer.keys.toJSON()[0] as Record<string, unknown>,
    bend: {} as Bend,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  service.on(Events.BeforeTokenSigning, (token: MutableToken) => {
    Object.assign(token.payload, provider.bend.claims)
  })
  service.on(Events.BeforeResponse, (answer: MutableResponse) => {
    provider.bend.token?.(answer)
    const body = answer.body as Record<string, unknown>
    const bent = provider.bend.idToken?.(String(body['id_token']))
    if (typeof bent === 'string') body['id_token'] = bent
  })
  service.on(Events.BeforeAuthorizeRedirect, ({ url }: MutableRedirectUri) => {
    url.searchParams.set('iss', provider.issuer)
    // Known providers add members that no specification of OpenID names.
    url.searchParams.set('authuser', '0')
    provider.bend.redirect?.(url)
  })
  service.on(Events.BeforeWellKnownOpenIdConfiguration, ({ body }: MutableResponse) => {
    Object.assign(body, description, provider.bend.description)
  })
  return provider
}
