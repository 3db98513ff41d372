/** Applications for the crawler: a person has allowed one of them, or is about to. */
import { createHash } from 'node:crypto'
import type { Recipe } from '../../../testing/contract/crawl.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newSecret } from '#dodeca/kernel'
import { hiddenOf } from '../oauth/test/oauth-world.ts'
import { loggedIn } from '../pages/test/visitor.ts'
import type { Making } from './crawl-people.ts'

type Made = Recipe<ProductWorld, Member>

const redirect_uri = 'https://app.test/callback'
const scope = 'openid offline_access chat.read'

async function application({ ask }: Making): Promise<string> {
  const redirect_uris = [redirect_uri]
  const body = { name: 'an application', type: 'spa', redirect_uris, scopes: scope.split(' ') }
  return (await ask('POST', '/v1/clients', body)).id
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

async function request(maker: Making, verifier = newSecret()) {
  const client_id = await application(maker)
  const code_challenge = challengeOf(verifier)
  const code = { response_type: 'code', code_challenge, code_challenge_method: 'S256' }
  return { client_id, redirect_uri, scope, ...code }
}

async function code(maker: Making) {
  const code_verifier = newSecret()
  const query = await request(maker, code_verifier)
  const browser = await loggedIn(maker.world, maker.person)
  const page = await browser.open(`/account/authorize?${new URLSearchParams(query)}`)
  const fields = { ...hiddenOf(page.text), action: 'allow' }
  const { to } = await browser.send('/account/authorize', fields)
  const given = new URL(to ?? '').searchParams.get('code') ?? ''
  const { client_id } = query
  return { grant_type: 'authorization_code', code: given, redirect_uri, client_id, code_verifier }
}

const form = (fields: object) => ({
  bytes: Buffer.from(new URLSearchParams(fields as Record<string, string>).toString()),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

export const oauthRecipes: Readonly<Record<string, Made>> = {
  'GET /account/authorize': { request: async maker => ({ query: await request(maker) }) },
  'POST /account/authorize': { request: async maker => form(await request(maker)) },
  'POST /v1/oauth/token': { request: async maker => form(await code(maker)) },
  'POST /v1/oauth/revoke': {
    request: async maker => form({ client_id: await application(maker), token: 'unknown' }),
  },
  'POST /v1/oauth/introspect': {
    request: async maker => {
      const body = { name: 'an application', type: 'web', redirect_uris: [redirect_uri] }
      const { id: client_id } = await maker.ask('POST', '/v1/clients', body)
      const { client_secret } = await maker.ask('POST', `/v1/clients/${client_id}/secrets`)
      return form({ client_id, client_secret, token: 'unknown' })
    },
  },
}
