/** Domains of organizations: proven by a TXT record, checked daily, had by one organization at a time. */
import { afterAll, expect, test } from 'vitest'
import { drainQueue } from '../../../kernel/work/run-queue.ts'
import { openTxtServer } from '../../../../test/txt-server.ts'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId, openTxtLookup } from '#dodeca/kernel'
import { recheckQueue } from '../domains/recheck-domains.ts'
import { settings } from '../settings.ts'
import { announced } from './announced.ts'
import { organizationsOf, type Organization } from './organization-world.ts'

const dns = await openTxtServer()
// The looks are taken by hand, one by one.
const world = await openProductWorld({
  ROLES: 'api',
  KERNEL_RATE_FACTOR: '1',
  IDENTITY_DNS_SERVERS: dns.address,
  IDENTITY_DOMAINS_MOST: '3',
  IDENTITY_DOMAIN_VERIFICATIONS_PER_MINUTE: '5',
  IDENTITY_ACCESS_TTL_SECONDS: '3600',
})
const kernel = world.platform.kernelFor({ settings })
const { ask, proven, make, enter } = organizationsOf(world)
afterAll(async () => {
  await world.close()
  await dns.close()
})

const at = '/v1/organization/domains'
const newDomain = () => `d-${newId().slice(-12)}.test`
const claim = (org: Organization, domain: string) => ask(org.token, 'POST', at, { domain })
const verify = (org: Organization, id: string) => ask(org.token, 'POST', `${at}/${id}/verify`)
const lay = (body: { record_name: string; record_value: string }) =>
  dns.lay(body.record_name, ['v=spf1 -all', body.record_value])
const day_seconds = 86_400

async function owner(): Promise<{ who: Member; org: Organization }> {
  const who = await proven()
  return { who, org: await make(who) }
}

test('a domain is claimed, proven by its record, and listed', async () => {
  const { org } = await owner()
  const domain = newDomain()
  const claimed = await claim(org, ` ${domain.toUpperCase()} `)
  expect(claimed.status, claimed.text).toBe(201)
  expect(claimed.body).toMatchObject({
    domain,
    state: 'pending',
    record_name: `_dodeca-challenge.${domain}`,
    record_value: expect.stringMatching(/^dodeca-verification=[\w-]{43}$/),
    checked_at: null,
  })
  const { id, record_name, record_value } = claimed.body
  for (const records of [[], ['dodeca-verification=x'], [`x${record_value}`], 'broken'] as const) {
    dns.lay(record_name, records)
    const refused = await verify(org, id)
    expect([refused.status, refused.body.code]).toEqual([409, 'domain_record_missing'])
  }
  lay(claimed.body)
  const verified = await verify(org, id)
  expect([verified.status, verified.body.state]).toEqual([200, 'verified'])
  const limited = await verify(org, id)
  expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited'])
  const { body } = await ask(org.token, 'GET', `${at}?state=verified`)
  expect(body.data).toEqual([verified.body])
  const states = [
    ...(await announced(world, 'organization_domain.created', id)),
    ...(await announced(world, 'organization_domain.changed', id)),
  ]
  expect(states).toEqual([
    { domain_id: id, state: 'pending' },
    { domain_id: id, state: 'verified' },
  ])
})

test('wrong names, a second claim, too many and other organizations are refused', async () => {
  const [{ org }, { org: other }] = [await owner(), await owner()]
  for (const domain of ['', 'test', 'a b.test', 'x@y.test', 'https://y.test', 'y.test/path']) {
    expect([domain, (await claim(org, domain)).status]).toEqual([domain, 422])
  }
  for (const suffix of ['co.uk', 'github.io', 'com.au']) {
    const { status, body } = await claim(org, suffix)
    expect([suffix, status, body.errors[0].constraint]).toEqual([suffix, 422, 'public_suffix'])
  }
  const domain = newDomain()
  const first = await claim(org, domain)
  expect((await claim(org, domain)).body.code).toBe('already_exists')
  for (const [method, path] of [
    ['POST', `${at}/${first.body.id}/verify`],
    ['DELETE', `${at}/${first.body.id}`],
  ] as const) {
    const { body } = await ask(other.token, method, path)
    expect(body.code).toBe('organization_domain_not_found')
  }
  expect((await ask(other.token, 'GET', at)).body.data).toEqual([])
  const more = await Promise.all(Array.from({ length: 4 }, () => claim(org, newDomain())))
  expect(more.map(one => one.status).sort((a, b) => a - b)).toEqual([201, 201, 429, 429])
  expect((await ask(org.token, 'DELETE', `${at}/${first.body.id}`)).status).toBe(204)
  expect((await claim(org, newDomain())).status).toBe(201)
})

test('of organizations that prove one domain at once, one has it until it lets it go', async () => {
  const owners = await Promise.all(Array.from({ length: 4 }, owner))
  const domain = newDomain()
  const claims = await Promise.all(owners.map(({ org }) => claim(org, domain)))
  const [first] = claims
  dns.lay(
    first?.body.record_name,
    claims.map(one => one.body.record_value),
  )
  const answers = await Promise.all(owners.map(({ org }, one) => verify(org, claims[one]?.body.id)))
  expect(answers.map(one => one.status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409])
  expect(answers.filter(one => one.body.code === 'domain_taken')).toHaveLength(3)
  const { org: late } = await owner()
  expect((await claim(late, domain)).body.code).toBe('domain_taken')
  const won = answers.findIndex(one => one.status === 200)
  const [winner, loser] = [owners[won]?.org, owners[won === 0 ? 1 : 0]?.org]
  if (!winner || !loser) throw new Error('nobody won')
  await ask(winner.token, 'DELETE', `${at}/${claims[won]?.body.id}`)
  expect((await verify(loser, claims[won === 0 ? 1 : 0]?.body.id)).body.state).toBe('verified')
})

test('three days without the record lose a domain, and its return brings it back', async () => {
  let offset_seconds = 0
  const queue = recheckQueue({
    kernel,
    lookUpTxt: openTxtLookup(kernel, [dns.address]),
  })
  const { who, org } = await owner()
  const [claimed, kept] = [await claim(org, newDomain()), await claim(org, newDomain())]
  for (const { body } of [claimed, kept]) {
    lay(body)
    expect((await verify(org, body.id)).body.state).toBe('verified')
  }
  const aDayLater = async (): Promise<string> => {
    offset_seconds += day_seconds + 1
    await world.call('POST', '/dev/clock', { body: { offset_seconds } })
    await drainQueue(kernel, queue)
    const { body: session } = await world.login(who)
    const tab = await enter({ ...who, token: session.access_token }, org.id)
    const { body } = await ask(tab.body.access_token, 'GET', at)
    const states = new Map(
      body.data.map((one: { id: string; state: string }) => [one.id, one.state]),
    )
    expect(states.get(kept.body.id)).toBe('verified')
    return String(states.get(claimed.body.id))
  }
  const { record_name } = claimed.body
  dns.lay(record_name, [])
  expect([await aDayLater(), await aDayLater()]).toEqual(['verified', 'verified'])
  // A silent DNS does not count, and a record that is back forgives.
  dns.lay(record_name, 'broken')
  expect([await aDayLater(), await aDayLater()]).toEqual(['verified', 'verified'])
  lay(claimed.body)
  expect(await aDayLater()).toBe('verified')
  dns.lay(record_name, [])
  expect([await aDayLater(), await aDayLater(), await aDayLater()]).toEqual([
    'verified',
    'verified',
    'lost',
  ])
  lay(claimed.body)
  expect(await aDayLater()).toBe('verified')
  const changes = await announced(world, 'organization_domain.changed', claimed.body.id)
  const states = changes.map(one => (one as { state: string }).state)
  expect(states.sort()).toEqual(['lost', 'verified', 'verified'])
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
})

test('the domains of a disabled organization are free for others', async () => {
  const [{ org }, { org: heir }] = [await owner(), await owner()]
  const domain = newDomain()
  const claimed = await claim(org, domain)
  lay(claimed.body)
  expect((await verify(org, claimed.body.id)).body.state).toBe('verified')
  expect((await ask(org.token, 'DELETE', '/v1/organization')).status).toBe(204)
  const next = await claim(heir, domain)
  expect(next.status, next.text).toBe(201)
  lay(next.body)
  expect((await verify(heir, next.body.id)).body.state).toBe('verified')
})

test('records that a developer sets are found first, and are listed', async () => {
  const { org } = await owner()
  const { body } = await claim(org, newDomain())
  const { record_name: name, record_value } = body
  const put = (records: string[]) => world.call('PUT', '/dev/dns', { body: { name, records } })
  lay(body)
  expect((await put([])).status).toBe(200)
  expect((await verify(org, body.id)).body.code).toBe('domain_record_missing')
  expect((await put([record_value])).status).toBe(200)
  expect((await verify(org, body.id)).body.state).toBe('verified')
  const set = await world.call('GET', '/dev/dns')
  expect(set.body.data).toContainEqual({ name, records: [record_value] })
  for (const bad of ['../etc', 'a/b.test', '.', 'A.test']) {
    const refused = await world.call('PUT', '/dev/dns', { body: { name: bad, records: [] } })
    expect([bad, refused.status]).toEqual([bad, 422])
  }
})
