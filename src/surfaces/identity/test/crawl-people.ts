/** What the crawler asks identity for on behalf of people: registrations, mailed tokens, sessions. */
import type { Maker } from '../../../testing/contract/crawl.ts'
import { password, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'

export type Making = Maker<ProductWorld, Member>

export const newEmail = () => `c-${newId()}@example.test`

export function registration({ person }: Making) {
  return { email: newEmail(), password, tenant: person.tenant.slug }
}

export async function account({ world, person }: Making): Promise<string> {
  return (await world.member(person.tenant)).id
}

export async function mailedVerification(maker: Making) {
  const body = registration(maker)
  const { id } = await maker.ask('POST', '/v1/accounts', body)
  return { token: await mailedToken(maker, body.email), registration_id: id }
}

export async function mailedReset(maker: Making) {
  const { email, tenant } = registration(maker)
  await maker.ask('POST', '/v1/invitations', { email })
  const token = await mailedToken(maker, email)
  return { token, new_password: `${password} of ${tenant}` }
}

async function mailedToken({ world }: Making, address: string): Promise<string> {
  const tokens = (await world.mails(address)).flatMap(({ token }) => token ?? [])
  const [token] = tokens.slice(-1)
  if (token === undefined) throw new Error(`no mail with a token for ${address}`)
  return token
}

const refresh_tokens = new Map<string, string>()

export async function session({ ask, person }: Making): Promise<string> {
  const tokens = await ask('POST', '/v1/sessions', credentials(person))
  refresh_tokens.set(tokens.session_id, tokens.refresh_token)
  return tokens.session_id
}

/** Of a session that was made here. */
export function refreshToken(session_id: string): string {
  const token = refresh_tokens.get(session_id)
  if (token === undefined) throw new Error(`the session ${session_id} was not made here`)
  return token
}

export function credentials({ email, tenant, ...person }: Member) {
  return { email, password: person.password, tenant: tenant.slug }
}
