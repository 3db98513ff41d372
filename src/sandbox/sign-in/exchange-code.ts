/**
 * The token endpoint of each provider. A code counts once, for its client, its redirect URI and its
 * PKCE verifier.
 */
import { bent, type Fault } from './faults.ts'
import { fitsChallenge, subjectOf, type Given } from './people.ts'
import { json, type Exchange, type Vended } from './vended.ts'

const oversize_bytes = 2 ** 20

export async function exchangeCode(vended: Vended, exchange: Exchange): Promise<void> {
  const { provider, form, response } = exchange
  const fault = vended.faults.take({ provider })
  // Until the caller gives up.
  if (fault?.mode === 'silent') return
  if (fault?.mode === 'token_500') return json(response, 500, { error: 'server_error' })
  if (fault?.mode === 'oversize') return json(response, 200, { pad: 'x'.repeat(oversize_bytes) })
  if (!(await isClient(vended, exchange))) return refuse(exchange, 401, 'invalid_client')
  const given = vended.people.takeCode(form.get('code') ?? '')
  const fits =
    given?.provider === provider &&
    given.redirect_uri === form.get('redirect_uri') &&
    fitsChallenge(given, form.get('code_verifier'))
  if (!given || !fits) return refuse(exchange, 400, 'invalid_grant')
  const told = { ...given, person: bent(given.person, fault) }
  const access_token = vended.people.giveToken(told)
  const openid = provider === 'apple' || provider === 'google'
  json(response, 200, {
    access_token,
    token_type: provider === 'github' ? 'bearer' : 'Bearer',
    ...(openid ? { expires_in: 600, id_token: await idToken(vended, told, fault) } : {}),
  })
}

async function isClient(vended: Vended, { provider, form, request }: Exchange): Promise<boolean> {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
    : [form.get('client_id'), form.get('client_secret')]
  if (id !== vended.client_id) return false
  if (provider === 'apple') return await vended.keys.isOfTeam(secret ?? '', vended.client_id)
  return secret === vended.client_secret
}

/** GitHub answers that it refuses with status 200. */
function refuse({ provider, response }: Exchange, status: number, error: string): void {
  json(response, provider === 'github' ? 200 : status, { error })
}

async function idToken(
  { origin, keys, clock }: Vended,
  { provider, client_id, nonce, person }: Given,
  fault: Fault | undefined,
): Promise<string> {
  const { email, email_verified = false, name, claims = {} } = person
  const is_apple = provider === 'apple'
  const said = {
    ...claims,
    iss: fault?.mode === 'wrong_issuer' ? 'https://evil.test' : `${origin}/${provider}`,
    aud: client_id,
    sub: subjectOf(person),
    ...(nonce === null ? {} : { nonce }),
    // Apple writes the boolean as a text, and says no name.
    ...(email ? { email, email_verified: is_apple ? String(email_verified) : email_verified } : {}),
    ...(name && !is_apple ? { name } : {}),
  }
  return await keys.sign(said, clock.nowSeconds())
}
