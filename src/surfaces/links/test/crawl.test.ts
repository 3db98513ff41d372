/** Links under the crawler: a host that its DNS server proves, and how links and entries come about. */
import { afterAll } from 'vitest'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import { newId, sql } from '#dodeca/kernel'
import { openTxtServer } from '../../../../test/txt-server.ts'

const dns = await openTxtServer()
afterAll(() => dns.close())

const link = () => ({ destination_url: 'https://www.example.com/' })
const newHost = () => `h-${newId().slice(-12)}.acme.test`

await crawlSurface({
  surface: 'links',
  settings: {
    LINKS_EXTRA_SUFFIXES: 'test',
    LINKS_DNS_SERVERS: dns.address,
    LINKS_CREATES_PER_MINUTE: '100000',
    LINKS_CREATES_PER_DAY: '1000000',
    LINKS_DOMAINS_PER_OWNER: '1000',
  },
  subjects: {
    '/v1/links/{code}': {
      make: async maker => (await maker.ask('POST', '/v1/links', link())).code,
    },
    '/{code}': {
      shared: true,
      make: async maker => (await maker.ask('POST', '/v1/links', link())).code,
    },
    '/v1/domains/{domain_id}': {
      make: async maker => {
        const { id, verification } = await maker.ask('POST', '/v1/domains', { hostname: newHost() })
        dns.lay(verification.record_name, [verification.record_value])
        return id
      },
    },
    '/v1/link-blocklist/{blocklist_id}': {
      shared: true,
      make: async ({ world, person }) => {
        const { db } = world.platform.kernel
        const id = newId()
        await db.run(sql`
          insert into links.blocklist (id, kind, value, action, reason, created_by)
          values (${id}, 'host', ${`com.example.${newHost()}.`}, 'block', 'crawled', ${person.id})`)
        return id
      },
    },
  },
  recipes: {
    'POST /v1/links': { request: () => ({ body: link() }) },
    'POST /v1/links/batches': { request: () => ({ body: { links: [link()] } }) },
    'POST /v1/link-blocklist': {
      request: () => ({ body: { kind: 'host', value: newHost(), reason: 'crawled' } }),
    },
    'POST /v1/link-stats/rebuilds': {
      request: () => ({ body: { from: '2026-01-01', to: '2026-01-02' } }),
    },
    'POST /v1/domains': { request: () => ({ body: { hostname: newHost() } }) },
    'POST /v1/links/{code}/moderation': {
      request: () => ({ body: { action: 'disable', reason: 'crawled' } }),
    },
  },
})
