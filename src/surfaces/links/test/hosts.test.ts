/** Which host serves what: the platform's own, a custom one, an unknown one, and those that are spoofed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { password, type Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { firstLine, onHost } from './raw-http.ts'

let world: LinkWorld
let owner: Member
let hostname: string
let domain_id: string
beforeAll(async () => {
  world = await openLinkWorld({ KERNEL_TRUSTED_PROXIES: '127.0.0.9' })
  owner = await world.member()
  hostname = `go-${newId().slice(-12)}.example.test`
  domain_id = newId()
  await world.platform.kernel.db.run(sql`
    insert into links.domains (tenant_id, id, owner_id, hostname, verification_token_hash,
      verification_expires_at, state, root_url)
    values (${owner.tenant.id}, ${domain_id}, ${owner.id}, ${hostname}, ${Buffer.alloc(32)},
      now(), 'active', 'https://www.example.com/home')`)
})
afterAll(() => world.close())

const visit = (path: string, headers: Record<string, string> = {}) =>
  world.call('GET', path, { headers })

async function link(more: object = {}): Promise<string> {
  const made = await world.shorten(owner, more)
  expect(made.status).toBe(201)
  return made.body.code as string
}

test('a custom one serves its links, its root, robots.txt, and nothing else', async () => {
  const code = await link({ domain: hostname })
  for (const host of [hostname, `${hostname.toUpperCase()}:443`, `${hostname}.`]) {
    const { status, headers } = await onHost(world.url, host, `/${code}`)
    expect([host, status, headers['location']]).toEqual([host, 302, 'https://www.example.com/'])
  }
  const root = await onHost(world.url, hostname, '/')
  expect(root.headers).toMatchObject({
    location: 'https://www.example.com/home',
    'content-length': '0',
  })
  const robots = await onHost(world.url, hostname, '/robots.txt')
  expect([robots.status, robots.headers['x-content-type-options']]).toEqual([200, 'nosniff'])
  for (const path of [
    '/v1/links',
    '/livez',
    '/healthz',
    '/docs',
    '/dev/inbox',
    '/openapi.json',
    '//',
  ]) {
    const { status, body } = await onHost(world.url, hostname, path)
    expect([path, status, JSON.parse(body).code]).toEqual([path, 404, 'link_not_found'])
  }
  expect((await onHost(world.url, hostname, '/v1/sessions', { method: 'POST' })).status).toBe(404)
  expect((await onHost(world.url, hostname, `/${code}`, { method: 'POST' })).status).toBe(405)
})

test('a code belongs to one of them', async () => {
  const [here, there] = [await link({ domain: hostname }), await link()]
  expect((await visit(`/${here}`)).status).toBe(404)
  expect((await onHost(world.url, hostname, `/${there}`)).status).toBe(404)
})

test('an IP address is not a custom host, and a name below the platform is the platform', async () => {
  const code = await link()
  expect((await onHost(world.url, '[::1]:80', `/${code}`)).status).toBe(302)
  for (const host of ['10.0.0.1:8080', 'dodeca', 'acme.dodeca.test']) {
    expect([host, (await onHost(world.url, host, '/healthz')).status]).toEqual([host, 200])
  }
})

test.each(['pending_verification', 'suspended', 'removed', null])(
  'one that is %s has neither links nor the API',
  async state => {
    const code = await link()
    const host = `off-${newId().slice(-12)}.example.test`
    if (state !== null) {
      await world.platform.kernel.db.run(sql`
        insert into links.domains (tenant_id, id, owner_id, hostname, verification_token_hash,
          verification_expires_at, state)
        values (${owner.tenant.id}, ${newId()}, ${owner.id}, ${host}, ${Buffer.alloc(32)},
          now() + interval '1 day', ${state})`)
    }
    const asks = [
      ['GET', `/${code}`],
      ['GET', '/'],
      ['GET', '/healthz'],
      ['GET', '/v1/links'],
      ['GET', '/docs'],
      ['GET', '/openapi.json'],
      ['POST', '/v1/sessions'],
      ['OPTIONS', '/v1/sessions'],
    ] as const
    // Twice: what was looked up once is answered from memory.
    for (const [method, path] of [...asks, ...asks]) {
      const { status, body } = await onHost(world.url, host, path, { method })
      const said = [method, path, status, JSON.parse(body).code]
      expect(said).toEqual([method, path, 404, 'domain_not_found'])
    }
  },
)

test('two of them are refused, and a client cannot name another host', async () => {
  const code = await link({ domain: hostname })
  const twice = `GET /livez HTTP/1.1\r\nHost: dodeca.test\r\nHost: ${hostname}\r\n\r\n`
  expect(await firstLine(world.url, twice)).toBe('HTTP/1.1 400 Bad Request')
  const spoofed = await visit(`/${code}`, { 'x-forwarded-host': hostname })
  expect(spoofed.status).toBe(404)
})

test('only a proxy of ours can pass on the requested host', async () => {
  const code = await link({ domain: hostname })
  const through = async (from: string, forwarded: string) => {
    const headers = { 'x-forwarded-host': forwarded }
    return (await onHost(world.url, 'dodeca.test', `/${code}`, { from, headers })).status
  }
  expect(await through('127.0.0.9', hostname)).toBe(302)
  // Each proxy adds what it was asked for, so the last one counts.
  expect(await through('127.0.0.9', `elsewhere.example, ${hostname.toUpperCase()}:443`)).toBe(302)
  expect(await through('127.0.0.9', 'elsewhere.example')).toBe(404)
  expect(await through('127.0.0.1', hostname)).toBe(404)
})

test('a root that is blocked leads nowhere any more', async () => {
  const { db } = world.platform.kernel
  const word = newId().slice(-12)
  const roots = [`https://bad-${word}.example.com/a#b`, `https://good-${word}.example.com/a`]
  const hosts = ['one', 'two'].map(name => `${name}-${word}.example.test`)
  await db.run(sql`
    insert into links.domains (tenant_id, id, owner_id, hostname, verification_token_hash,
      verification_expires_at, state, root_url)
    select ${owner.tenant.id}, id, ${owner.id}, hostname, ${Buffer.alloc(32)}, now(), 'active', root
    from unnest(${[newId(), newId()]}::uuid[], ${hosts}::text[], ${roots}::text[])
      as d (id, hostname, root)`)
  const statuses = async () => {
    const answers = await Promise.all(hosts.map(host => onHost(world.url, host, '/')))
    return answers.map(({ status }) => status)
  }
  expect(await statuses()).toEqual([302, 302])
  const { token } = await world.moderator()
  const added = await world.call('POST', '/v1/link-blocklist', {
    token,
    body: { kind: 'suffix', value: `bad-${word}.example.com`, reason: 'phishing' },
  })
  await eventually('the job is done', async () => {
    const job = await world.call('GET', `/v1/jobs/${added.body.job_id}`, { token })
    return job.body.state === 'succeeded'
  })
  expect(await statuses()).toEqual([404, 302])
})

test('one that was set up before its account was proven leads nowhere by itself', async () => {
  const early = await world.member()
  const host = `early-${newId().slice(-12)}.example.test`
  await world.platform.kernel.db.run(sql`
    insert into links.domains (tenant_id, id, owner_id, hostname, verification_token_hash,
      verification_expires_at, state, root_url)
    values (${early.tenant.id}, ${newId()}, ${early.id}, ${host}, ${Buffer.alloc(32)},
      now(), 'active', 'https://www.example.com/home')`)
  expect((await onHost(world.url, host, '/')).status).toBe(302)
  // The owner of the mailbox registers, and proves it.
  const { email, tenant } = early
  const again = await world.call('POST', '/v1/accounts', {
    body: { email, password: `${password} more`, tenant: tenant.slug },
  })
  expect(again.status, again.text).toBe(202)
  const mails = await world.mails(email)
  const proof = { token: mails.at(-1)?.token, registration_id: again.body.id }
  const proven = await world.call('POST', '/v1/email-verifications', { body: proof })
  expect([proven.status, proven.body.account_id], proven.text).toEqual([201, early.id])
  await eventually('its root is gone', async () => {
    const { status, body } = await onHost(world.url, host, '/')
    return status === 404 && JSON.parse(body).code === 'link_not_found'
  })
})
