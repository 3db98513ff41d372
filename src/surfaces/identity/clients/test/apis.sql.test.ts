/** APIs as clients: whose address they may have, and who gets tokens for them. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow } from '../../../../../test/narrow.ts'
import { openProductWorld, type Member } from '../../../../../test/product-world.ts'
import { default_tenant_id } from '../../schemas.ts'
import { identity } from '../../surface.ts'
import { organizationsOf, ownDomain } from '../../test/organization-world.ts'
import { openClientDocuments } from '../client-documents.ts'
import { authenticateApi, findClient, findResource } from '../find-client.ts'

const world = await openProductWorld()
afterAll(() => world.close())
const { call, platform } = world
const kernel = platform.kernelFor(identity)
const { db } = kernel
const { proven, make: makeOrganization } = organizationsOf(world)

const path = '/v1/clients'
type Caller = Pick<Member, 'token'>
const make = ({ token }: Caller, body: object) => call('POST', path, { token, body })
const change = ({ token }: Caller, id: string, body: object) =>
  call('PATCH', `${path}/${id}`, { token, body })
const remove = ({ token }: Caller, id: string) => call('DELETE', `${path}/${id}`, { token })
const newSecretOf = ({ token }: Caller, id: string) =>
  call('POST', `${path}/${id}/secrets`, { token })
const documents = openClientDocuments({ kernel, permissions: new Map() })
const invalid_client = { code: 'invalid_client' }

const api = (uri: string) => ({
  name: 'Parcels',
  type: 'api',
  uri,
  scopes: [{ name: 'parcels.read', says: 'See your parcels' }],
})

describe('an API', () => {
  const resource = (uri: string, tenant_id: string | null) =>
    findResource(db, { kernel }, uri, { tenant_id })

  test('is at an address of its tenant, for the clients of it', async () => {
    const owner = await proven()
    const org = await makeOrganization(owner)
    const domain = await ownDomain(world, org)
    const uri = `https://api.${domain}/parcels`
    const made = await make(org, api(uri))
    expect(made.status, made.text).toBe(201)
    const { id, scopes } = made.body
    const found = { audience: uri, scopes, tenant_id: org.id }
    expect(await resource(uri, org.id)).toEqual(found)
    // A client of all tenants, in the organization that the person chooses.
    expect(await resource(uri, null)).toEqual(found)
    expect(await resource(uri, (await world.tenant()).id)).toBeUndefined()
    expect(await resource(`${uri}/`, org.id)).toBeUndefined()
    expect(await findClient(db, { documents }, id)).toBeUndefined()
    const { client_secret } = (await newSecretOf(org, id)).body
    expect(await authenticateApi(db, { client_id: id, client_secret })).toMatchObject({ uri })
    const wrong = [{ client_id: id }, { client_id: newId(), client_secret }]
    for (const one of wrong) {
      await expect(authenticateApi(db, one)).rejects.toMatchObject(invalid_client)
    }
    const moved = await change(org, id, { uri: `https://${domain}/other` })
    expect(moved.body.code).toBe('client_invalid')
    const session = await beginNarrow(platform, await world.member(), {
      scope: ['parcels.read'],
      client_id: newId(),
      audience: uri,
    })
    await remove(org, id)
    const { ended } = await db.one(
      Type.Object({ ended: Type.Boolean() }),
      sql`select revoked_at is not null as ended from identity.sessions where id = ${session.session_id}`,
    )
    expect(ended).toBe(true)
    expect((await make(org, api(uri))).status).toBe(201)
  })

  test('whose domain is lost gets no tokens', async () => {
    const org = await makeOrganization(await proven())
    const domain = await ownDomain(world, org)
    await make(org, api(`https://${domain}`))
    expect(await resource(`https://${domain}`, org.id)).toBeDefined()
    await db.run(sql`
      update identity.organization_domains set state = 'lost' where tenant_id = ${org.id}`)
    expect(await resource(`https://${domain}`, org.id)).toBeUndefined()
  })

  test('at the address of another is refused, and each address is one API', async () => {
    const org = await makeOrganization(await proven())
    const domain = await ownDomain(world, org)
    const code = async (uri: string) => (await make(org, api(uri))).body.code
    expect(await code('https://api.example.com')).toBe('client_invalid')
    expect(await code(`https://evil-${domain}`)).toBe('client_invalid')
    expect(await code(`https://${domain}.evil.test`)).toBe('client_invalid')
    expect(await code(`http://${domain}`)).toBe('client_invalid')
    expect(await code(`https://${domain}/a/../b`)).toBe('client_invalid')
    expect(await code(`https://${domain}/?a=b`)).toBe('client_invalid')
    expect(await code(`https://${domain}:443`)).toBe('client_invalid')
    const many = await Promise.all(
      Array.from({ length: 5 }, () => make(org, api(`https://${domain}`))),
    )
    const codes = many.map(({ body }) => body.code ?? 'made')
    expect(codes.filter(one => one === 'made')).toHaveLength(1)
    expect(codes.filter(one => one === 'client_exists')).toHaveLength(4)
  })

  test('of `default` is anywhere but here, and for all tenants', async () => {
    const operator = await world.member({ id: default_tenant_id, slug: 'default' })
    await world.give(operator, 'tenant_admin')
    const uri = `https://api.${newId()}.test`
    expect((await make(operator, api(uri))).status).toBe(201)
    expect(await resource(uri, (await world.tenant()).id)).toMatchObject({ tenant_id: null })
    expect((await make(operator, api(`${kernel.public_url}/x`))).body.code).toBe('client_invalid')
    expect(await resource(`${kernel.public_url}/v1`, null)).toMatchObject({ audience: null })
    const shadows = { ...api(`${uri}/x`), scopes: [{ name: 'chat.read', says: 'x' }] }
    expect((await make(operator, shadows)).body.code).toBe('client_invalid')
  })
})
