/** People who make organizations, join others as guests, and prove their addresses. */
import { expect } from 'vitest'
import { password, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'

export type Organization = {
  readonly id: string
  readonly slug: string
  /** Of its maker, for the organization. */
  readonly token: string
}

export type OrganizationWorld = {
  ask(token: string, method: string, path: string, body?: object): Promise<Answer>
  /** An account whose mailbox is proven, by the mail. */
  proven(): Promise<Member>
  make(maker: Member): Promise<Organization>
  /** A token of the person that works in the organization; the answer if there is none. */
  enter(who: Member, tenant_id: string): Promise<Answer>
  invite(org: Organization, email: string, more?: object): Promise<Answer>
  accept(who: Member, invitation: Answer): Promise<Answer>
  /** Has joined, with a token that works there. */
  join(org: Organization, who: Member, ...role_ids: string[]): Promise<string>
}

export const newSlug = () => `o-${newId().slice(-12)}`

export function organizationsOf(world: ProductWorld): OrganizationWorld {
  const ask: OrganizationWorld['ask'] = (token, method, path, body) =>
    world.call(method, path, { token, ...(body ? { body } : {}) })
  const enter: OrganizationWorld['enter'] = (who, tenant_id) =>
    ask(who.token, 'POST', '/v1/sessions/current/access-tokens', { tenant_id })
  const tokenOf = (answer: Answer): string => {
    expect(answer.status, answer.text).toBe(201)
    return answer.body.access_token
  }
  const invite: OrganizationWorld['invite'] = (org, email, more = {}) =>
    ask(org.token, 'POST', '/v1/organization/invitations', { email, ...more })
  const accept: OrganizationWorld['accept'] = (who, { body: { id } }) =>
    ask(who.token, 'POST', `/v1/me/invitations/${id}/accept`)
  return {
    ask,
    enter,
    invite,
    accept,
    proven: async () => {
      const member = await world.member()
      await prove(world, member)
      const { body } = await world.login(member)
      return { ...member, ...sessionOf(body) }
    },
    make: async maker => {
      const slug = newSlug()
      const body = { slug, name: `Organization ${slug}` }
      const made = await ask(maker.token, 'POST', '/v1/organizations', body)
      expect(made.status, made.text).toBe(201)
      const { id } = made.body
      return { id, slug, token: tokenOf(await enter(maker, id)) }
    },
    join: async (org, who, ...role_ids) => {
      const invited = await invite(org, who.email, role_ids.length > 0 ? { role_ids } : {})
      expect(invited.status, invited.text).toBe(202)
      const accepted = await accept(who, invited)
      expect(accepted.status, accepted.text).toBe(200)
      return tokenOf(await enter(who, org.id))
    },
  }
}

export async function prove(
  world: Pick<ProductWorld, 'call' | 'mails'>,
  { email }: Pick<Member, 'email'>,
): Promise<void> {
  const mail = (await world.mails(email)).findLast(one => one.template === 'verify_address')
  const body = { token: mail?.token, password }
  const proven = await world.call('POST', '/v1/email-verifications', { body })
  expect(proven.status, proven.text).toBe(201)
}

function sessionOf(body: Answer['body']) {
  const { access_token: token, session_id, refresh_token } = body
  return { token, session_id, refresh_token }
}

/** A new domain that the tenant of this administrator has verified. */
export async function ownDomain(
  world: Pick<ProductWorld, 'call'>,
  { token }: Pick<Member, 'token'>,
  domain = `${newId()}.test`,
): Promise<string> {
  const path = '/v1/organization/domains'
  const { body } = await world.call('POST', path, { token, body: { domain } })
  const { id, record_name: name, record_value } = body
  await world.call('PUT', '/dev/dns', { body: { name, records: [record_value] } })
  const verified = await world.call('POST', `${path}/${id}/verify`, { token })
  expect(verified.status, verified.text).toBe(200)
  return domain
}
