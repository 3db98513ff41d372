/** Links on a host require its verification in DNS. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../../test/world.ts'
import { createLinks } from '../shortening/create-links.ts'
import { newHost, openDomainWorld, type DomainWorld } from './domain-world.ts'
import { openLinkWorld, principalOf } from './link-world.ts'

let world: DomainWorld
beforeAll(async () => {
  world = await openDomainWorld()
})
afterAll(() => world.close())

const ask: DomainWorld['ask'] = (...asked) => world.ask(...asked)
const claim: DomainWorld['claim'] = (...asked) => world.claim(...asked)
const verify: DomainWorld['verify'] = (...asked) => world.verify(...asked)
const lay: DomainWorld['lay'] = claimed => world.lay(claimed)
const proven: DomainWorld['proven'] = (...asked) => world.proven(...asked)

describe.concurrent('a claim', () => {
  test('shows once what proves it', async () => {
    const who = await world.member()
    const hostname = newHost()
    const { status, body, headers } = await claim(who, hostname.toUpperCase(), {
      root_url: 'https://www.acme.com',
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/v1/domains/${body.id}`)
    expect(body).toMatchObject({
      hostname,
      owner_id: who.id,
      state: 'pending_verification',
      root_url: 'https://www.acme.com/',
      verification: {
        method: 'dns_txt',
        record_name: `_links-challenge.${hostname}`,
        record_value: expect.stringMatching(/^links-verification=[\w-]{43}$/),
      },
      routing: { cname_target: 'dodeca.test' },
    })
    const read = await ask(who, 'GET', `/v1/domains/${body.id}`)
    expect(read.text).not.toContain('links-verification')
    const { verification: _verification, routing: _routing, ...domain } = body
    expect(read.body).toEqual(domain)
    const list = await ask(who, 'GET', '/v1/domains')
    expect(list.body.data).toEqual([domain])
  })

  test.each([
    'localhost',
    'com',
    'co.uk',
    'dodeca.test',
    'go.dodeca.test',
    '10.0.0.1',
    'a..b.com',
    'under score.com',
    'x.local',
    'https://go.acme.com',
    'go.acme.com/x',
    'go.acme.com:443',
    'me@go.acme.com',
  ])('of %s is refused', async hostname => {
    const { status, body } = await claim(await world.member(), hostname)
    expect([status, body.code]).toEqual([422, 'hostname_invalid'])
    expect(body.detail).toMatch(/belongs to the platform|such as go.example.com/)
  })

  test('with a root that may not be linked to is refused', async () => {
    const answer = await claim(await world.member(), newHost(), { root_url: 'http://10.0.0.1/' })
    expect(answer.body.errors).toEqual([
      { location: 'body', pointer: '/root_url', constraint: 'private' },
    ])
  })

  test('with a root that leads back to it is refused', async () => {
    const hostname = newHost()
    const answer = await claim(await world.member(), hostname, {
      root_url: `https://${hostname}/x`,
    })
    expect(answer.body.errors).toEqual([
      { location: 'body', pointer: '/root_url', constraint: 'loop' },
    ])
  })

  test('can be made once by one owner, by many owners, and only so often', async () => {
    const [one, other] = [await world.member(), await world.member()]
    const hostname = newHost()
    expect((await claim(one, hostname)).status).toBe(201)
    expect((await claim(one, hostname)).body.code).toBe('domain_exists')
    expect((await claim(other, hostname)).status).toBe(201)
    const more = await Promise.all(Array.from({ length: 6 }, () => claim(other, newHost())))
    const codes = more
      .map(({ status, body }) => (status === 201 ? 'made' : String(body.code)))
      .sort()
    expect(codes).toEqual(['made', 'made', ...Array.from({ length: 4 }, () => 'quota_exceeded')])
  })

  test('of another account is not found', async () => {
    const claimed = await claim(await world.member(), newHost())
    const other = await world.member()
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/verify'],
      ['POST', '/verification-token'],
    ] as const) {
      const answer = await ask(other, method, `/v1/domains/${claimed.body.id}${path}`)
      expect([answer.status, answer.body.code]).toEqual([404, 'domain_not_found'])
    }
  })
})

describe.concurrent('a proof', () => {
  test('is the very record, and nothing like it', async () => {
    const who = await world.member()
    const claimed = await claim(who, newHost())
    const { record_name, record_value } = claimed.body.verification
    for (const records of [[], ['links-verification=x'], [`x${record_value}`], 'broken'] as const) {
      world.dns.lay(record_name, records)
      const refused = await verify(who, claimed)
      expect([refused.status, refused.body.code]).toEqual([409, 'domain_verification_failed'])
      expect(refused.body.detail).toContain(record_name)
      expect(refused.body.detail).toContain(records === 'broken' ? 'did not answer' : 'no TXT')
    }
    lay(claimed)
    expect((await verify(who, claimed)).body.state).toBe('active')
    expect((await verify(who, claimed)).body.state).toBe('active')
    expect(await world.eventTypes({ id: claimed.body.id })).toEqual([
      'domain.created',
      'domain.verified',
    ])
  })

  test('made new ends the old one', async () => {
    const who = await world.member()
    const claimed = await claim(who, newHost())
    lay(claimed)
    const renewed = await ask(who, 'POST', `/v1/domains/${claimed.body.id}/verification-token`)
    expect(renewed.status).toBe(200)
    expect((await verify(who, claimed)).status).toBe(409)
    lay(renewed)
    expect((await verify(who, claimed)).status).toBe(200)
  })

  test('decides between two who claim one host, also at once', async () => {
    const people = [await world.member(), await world.member()]
    const hostname = newHost()
    const claims = await Promise.all(people.map(who => claim(who, hostname)))
    world.dns.lay(
      `_links-challenge.${hostname}`,
      claims.map(({ body }) => body.verification.record_value),
    )
    const answers = await Promise.all(people.map((who, at) => verify(who, claims[at] as Answer)))
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['200', '409'])
    const lost = answers.find(({ status }) => status === 409)
    expect(lost?.body.code).toBe('domain_in_use')
    const late = await claim(await world.member(), hostname)
    expect([late.status, late.body.code]).toEqual([409, 'domain_in_use'])
  })

  test('of a host says nothing of the hosts below it', async () => {
    const [one, other] = [await world.member(), await world.member()]
    const hostname = newHost()
    await proven(one, hostname)
    const below = await claim(other, `links.${hostname}`)
    expect(below.status).toBe(201)
    expect((await verify(other, below)).body.code).toBe('domain_verification_failed')
    lay(below)
    expect((await verify(other, below)).body.state).toBe('active')
  })

  test('may be tried six times a minute', async () => {
    const strict = await openLinkWorld({
      LINKS_DNS_SERVERS: world.dns.address,
      KERNEL_RATE_FACTOR: '1',
    })
    try {
      const who = await strict.member()
      const claimed = await strict.call('POST', '/v1/domains', {
        token: who.token,
        body: { hostname: newHost() },
      })
      const tried = () =>
        strict.call('POST', `/v1/domains/${claimed.body.id}/verify`, { token: who.token })
      for (let times = 0; times < 6; times++) expect((await tried()).status).toBe(409)
      expect((await tried()).status).toBe(429)
    } finally {
      await strict.close()
    }
  })
})

describe.concurrent('links on a domain', () => {
  test('have their own codes, and an address under its host', async () => {
    const who = await world.member()
    const hostname = newHost()
    const domain = await proven(who, hostname)
    const made = await world.shorten(who, { alias: 'spring-sale', domain: hostname })
    expect(made.body).toMatchObject({
      code: 'spring-sale',
      domain: hostname,
      domain_id: domain.body.id,
      short_url: `https://${hostname}/spring-sale`,
    })
    const path = made.headers.get('location') ?? ''
    expect(path).toBe(`/v1/links/spring-sale?domain=${hostname}`)
    expect((await ask(who, 'GET', path)).body).toEqual(made.body)
    expect((await ask(who, 'GET', '/v1/links/spring-sale')).status).toBe(404)
    const list = await ask(who, 'GET', `/v1/links?domain=${hostname}`)
    expect(list.body.data).toEqual([made.body])
    expect((await ask(who, 'GET', '/v1/links')).body.data).toEqual([made.body])
  })

  test('are found under the name as people write it, also when their clicks are counted again', async () => {
    const who = await world.member()
    const hostname = `bücher-${newHost()}`
    const domain = await proven(who, hostname)
    expect(domain.body.hostname).toMatch(/^xn--bcher-/)
    await world.shorten(who, { alias: 'sale', domain: hostname })
    const path = `/v1/links/sale?domain=${encodeURIComponent(hostname.toUpperCase())}`
    expect((await ask(who, 'GET', path)).body.domain).toBe(domain.body.hostname)
    const order = { domain: hostname, code: 'sale', from: '2026-01-01', to: '2026-01-01' }
    const counting = await ask(await world.moderator(), 'POST', '/v1/link-stats/rebuilds', order)
    expect([counting.status, counting.body.status]).toEqual([202, 'queued'])
  })

  test('are made only while it is proven, and only by its owner', async () => {
    const who = await world.member()
    const hostname = newHost()
    await claim(who, hostname)
    const early = await world.shorten(who, { domain: hostname })
    expect([early.status, early.body.code]).toEqual([422, 'domain_not_active'])
    const foreign = await world.shorten(await world.member(who.tenant), { domain: hostname })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'domain_not_found'])
  })

  test('may not lead back to it', async () => {
    const who = await world.member()
    const hostname = newHost()
    await proven(who, hostname)
    const { body } = await world.shorten(await world.member(), {
      destination_url: `https://${hostname}/x`,
    })
    expect(body.errors[0].constraint).toBe('loop')
  })

  test('keep their names when their owner removes the host and proves it again', async () => {
    const who = await world.member()
    const hostname = newHost()
    const domain = await proven(who, hostname)
    const named = await world.shorten(who, { alias: 'spring', domain: hostname })
    expect(named.status).toBe(201)
    expect((await ask(who, 'DELETE', `/v1/domains/${domain.body.id}`)).status).toBe(204)
    await proven(who, hostname)
    const taken = await world.shorten(who, { alias: 'spring', domain: hostname })
    expect([taken.status, taken.body.code]).toEqual([409, 'alias_taken'])
    const { db } = world.platform.kernel
    const order = { destination_url: 'https://www.example.com/', domain: hostname }
    const codes = ['spring', 'autumn'].values()
    const deps = { ...world.deps, newCode: () => codes.next().value ?? '' }
    const drawn = await db.tx(tx => createLinks(tx, deps, principalOf(who), [order], () => ''))
    expect(drawn).toMatchObject([{ view: { code: 'autumn' } }])
  })

  test('keep their names when another account verifies the host', async () => {
    const [first, second] = [await world.member(), await world.member()]
    const hostname = newHost()
    const domain = await proven(first, hostname)
    expect((await world.shorten(first, { alias: 'spring', domain: hostname })).status).toBe(201)
    expect((await ask(first, 'DELETE', `/v1/domains/${domain.body.id}`)).status).toBe(204)
    await proven(second, hostname)
    const taken = await world.shorten(second, { alias: 'spring', domain: hostname })
    expect([taken.status, taken.body.code]).toEqual([409, 'alias_taken'])
    expect((await world.shorten(second, { alias: 'autumn', domain: hostname })).status).toBe(201)
  })

  test('are gone with it, and do not come back with it', async () => {
    const who = await world.member()
    const hostname = newHost()
    const domain = await proven(who, hostname)
    await world.shorten(who, { alias: 'kept', domain: hostname })
    for (let times = 0; times < 2; times++) {
      expect((await ask(who, 'DELETE', `/v1/domains/${domain.body.id}`)).status).toBe(204)
    }
    expect((await ask(who, 'GET', `/v1/domains/${domain.body.id}`)).status).toBe(404)
    expect((await ask(who, 'GET', '/v1/links')).body.data).toEqual([])
    const gone = await ask(who, 'GET', `/v1/links/kept?domain=${hostname}`)
    expect([gone.status, gone.body.code]).toEqual([404, 'domain_not_found'])
    await proven(who, hostname)
    const back = await ask(who, 'GET', `/v1/links/kept?domain=${hostname}`)
    expect([back.status, back.body.code]).toEqual([404, 'link_not_found'])
    expect(await world.eventTypes({ id: domain.body.id })).toEqual([
      'domain.created',
      'domain.verified',
      'domain.removed',
    ])
  })
})
