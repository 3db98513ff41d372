/** The small surfaces that prove the kernel, with the kernel's own routes among them. */
import { gather } from '../../src/runtime/gather-declarations.ts'
import { newId } from '#dodeca/kernel'
import { testComposition } from '../composition.ts'
import { signReport } from '../surfaces/relay/receive-report.ts'
import { openWorld, type Person, type World } from '../world.ts'
import type { Caller, Crawl, Maker, Said } from '../../src/testing/contract/crawl.ts'
import type { Ground } from '../../src/testing/contract/ground.ts'
import { kernel, outside } from './kernel.ts'

const crawl: Crawl = {
  subjects: {
    ...kernel.subjects,
    '/v1/providers/{provider}': { shared: true, make: () => 'vendor' },
    '/v1/book/accounts/{account_id}': { make: openAccount },
  },
  recipes: {
    ...kernel.recipes,
    'POST /v1/book/transfers': {
      request: async maker => ({
        body: {
          from_id: await openAccount(maker),
          to_id: await openAccount(maker),
          amount_minor: 5,
        },
      }),
    },
    'POST /v1/bookmarks': {
      request: () => ({ body: { url: 'https://www.example.com/', title: 'Example' } }),
    },
    'POST /v1/leads': {
      request: () => ({ body: { title: newId(), amount_minor: 1999 } }),
    },
    'POST /v1/providers/{provider}/webhooks': { request: signedReport },
    'POST /dev/events': {
      request: ({ person }) => ({
        body: { type: 'note.written', tenant: person.tenant.id, data: { note_id: newId() } },
      }),
    },
  },
}

export async function smallSurfaces(): Promise<Ground & { readonly world: World }> {
  const world = await openWorld({ KERNEL_OVERLOAD_DELAY_MS: '250' })
  const gathered = gather(testComposition('').surfaces)
  const everything = [...gathered.permissions.keys()].map(one => `${one}:*`)
  return {
    world,
    gathered,
    routes: world.platform.routes.filter(one => !outside.test(`${one.method} ${one.path}`)),
    crawl,
    declared_in: 'test/crawler/small-surfaces.ts',
    enabled: async () => {
      const person = world.person()
      await world.grant(person, ...everything)
      return callerOf(person)
    },
    unprivileged: () => Promise.resolve(callerOf(world.person())),
  }
}

function callerOf({ principal, token }: Person): Caller {
  return { token, tenant: { id: principal.tenant_id } }
}

function signedReport({ world }: Maker): Said {
  const body = '{}'
  const headers = signReport(body, newId(), world.platform.kernel.clock.nowSeconds())
  return { bytes: Buffer.from(body), headers: { ...headers, 'content-type': 'application/json' } }
}

async function openAccount({ ask }: Maker): Promise<string> {
  const account = await ask('POST', '/v1/book/accounts', { name: 'purse', balance_minor: 100 })
  return account.id
}
