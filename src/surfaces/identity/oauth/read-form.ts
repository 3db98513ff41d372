/**
 * Reads the form of an OAuth request, and the client that sends it: with its secret in a Basic header
 * or in the form, or without one.
 */
import { isUtf8 } from 'node:buffer'
import { inspect, limit, type Db, type RequestFacts } from '#dodeca/kernel'
import { authenticateClient, type Client } from '../clients/find-client.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

export type OAuthForm = Readonly<Record<string, string>>

const value_max = limit(
  'identity.oauth_parameter',
  4000,
  'characters',
  'Longest parameter of a request for tokens',
)
const form_type = /^application\/x-www-form-urlencoded\s*(;|$)/i

export function readOAuthForm({ headers, raw }: Pick<RequestFacts, 'headers' | 'raw'>): OAuthForm {
  if (!form_type.test(String(headers['content-type'] ?? '')) || !isUtf8(raw)) {
    throw unfit('Send the parameters as application/x-www-form-urlencoded, in UTF-8.')
  }
  return formOf(new URLSearchParams(raw.toString('utf8')))
}

/** Empty parameters count as left out, and none may be given twice (RFC 6749, 3.1 and 3.2). */
export function formOf(given: URLSearchParams): OAuthForm {
  const pairs = [...given].filter(([, value]) => value !== '')
  const form = Object.fromEntries(pairs)
  const twice = pairs.map(([name]) => name).find((name, at, all) => all.indexOf(name) !== at)
  if (twice !== undefined) throw unfit(`The parameter ${twice.slice(0, 80)} is given twice.`)
  inspect(form, 'body')
  for (const [name, value] of pairs) {
    if (value.length > value_max) throw unfit(`The parameter ${name.slice(0, 80)} is too long.`)
  }
  return form
}

export function parameter(form: OAuthForm, name: string): string {
  const value = form[name]
  if (value === undefined) throw unfit(`The parameter ${name} is missing.`)
  return value
}

function unfit(detail: string) {
  return problem('invalid_request', { detail })
}

/** The client of the request; throws `invalid_client`. */
export async function clientOf(
  db: Db,
  deps: Deps,
  form: OAuthForm,
  { headers }: Pick<RequestFacts, 'headers'>,
): Promise<Client> {
  return await authenticateClient(db, deps, credentialsIn(form, headers['authorization']))
}

export function credentialsIn(form: OAuthForm, header: string | string[] | undefined) {
  const { client_id, client_secret } = form
  const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(String(header ?? ''))?.[1]
  if (basic === undefined) {
    if (client_id === undefined) throw problem('invalid_client')
    return { client_id, client_secret }
  }
  const text = Buffer.from(basic, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [id, secret] = [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))]
  if (colon < 1 || !id || !secret) throw problem('invalid_client')
  if (client_secret !== undefined || (client_id !== undefined && client_id !== id)) {
    throw unfit('The client is named twice. Use the Authorization header or the form.')
  }
  return { client_id: id, client_secret: secret }
}

/** Both parts are encoded like the values of a form (RFC 6749, 2.3.1). */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    // Not encoded in any way that has a meaning.
    return undefined
  }
}
