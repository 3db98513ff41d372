/** What the crawler needs of organizations: guests, invitations to a proven address, domains with their record. */
import type { Recipe, Subject } from '../../../testing/contract/crawl.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { newEmail, type Making } from './crawl-people.ts'
import { newSlug } from './organization-world.ts'

const newDomain = () => `${newId()}.test`

async function guest({ world, person }: Making): Promise<string> {
  const member = await world.member()
  await world.give({ ...member, tenant: person.tenant }, 'auditor')
  return member.id
}

async function myInvitation({ world, person, ask }: Making): Promise<string> {
  await world.platform.kernel.db.run(sql`
    update identity.accounts set verified_at = coalesce(verified_at, kernel.now())
    where tenant_id = ${person.tenant.id} and id = ${person.id}`)
  return (await ask('POST', '/v1/organization/invitations', { email: person.email })).id
}

async function domain({ world, ask }: Making): Promise<string> {
  const claimed = await ask('POST', '/v1/organization/domains', { domain: newDomain() })
  const { id, record_name: name, record_value } = claimed
  await world.call('PUT', '/dev/dns', { body: { name, records: [record_value] } })
  return id
}

export const organizationSubjects: Readonly<Record<string, Subject<ProductWorld, Member>>> = {
  '/v1/organization/members/{account_id}': { make: guest },
  '/v1/organization/invitations/{invitation_id}': {
    make: async ({ ask }) =>
      (await ask('POST', '/v1/organization/invitations', { email: newEmail() })).id,
  },
  '/v1/me/invitations/{invitation_id}': { make: myInvitation },
  '/v1/organization/domains/{domain_id}': { make: domain },
}

export const organizationRecipes: Readonly<Record<string, Recipe<ProductWorld, Member>>> = {
  'POST /v1/organizations': { request: () => ({ body: { slug: newSlug(), name: 'acme' } }) },
  'DELETE /v1/organization': {
    ends_caller: true,
    asker: async ({ world }) => {
      const member = await world.member()
      await world.give(member, 'tenant_admin')
      return member
    },
  },
  'POST /v1/organization/invitations': {
    request: () => ({ body: { email: newEmail() } }),
    refusal: () => ({ body: { email: 'nobody' } }),
  },
  'POST /v1/organization/domains': {
    request: () => ({ body: { domain: newDomain() } }),
    refusal: () => ({ body: { domain: 'no domain' } }),
  },
  'POST /v1/sessions/current/access-tokens': {
    request: ({ person }) => ({ body: { tenant_id: person.tenant.id } }),
    refusal: () => ({ body: { tenant_id: newId() } }),
  },
}
