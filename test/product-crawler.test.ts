/**
 * The kernel's routes as the product serves them, by the rules of the crawler; and no surface of the
 * product goes uncrawled. The surfaces' own routes are crawled beside them (crawler/product.ts).
 */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { composition } from '../src/platform.ts'
import { crawlRoutes } from './crawler/crawl-routes.ts'
import { kernel, outside } from './crawler/kernel.ts'
import { groundOf, openCrawlWorld } from './crawler/product.ts'

const world = await openCrawlWorld({})
const { routes, opened } = world.platform
const of_surfaces = new Set(Object.values(opened).flatMap(one => one.routes))
// The surface that registers a provider crawls the common route of all providers, because only it
// can sign.
const reports = 'POST /v1/providers/{provider}/webhooks'
const own = routes.filter(
  one =>
    !of_surfaces.has(one) &&
    !outside.test(`${one.method} ${one.path}`) &&
    `${one.method} ${one.path}` !== reports,
)

crawlRoutes(
  groundOf(
    world,
    own,
    {
      subjects: kernel.subjects,
      recipes: {
        ...kernel.recipes,
        'POST /dev/events': {
          request: ({ person }) => ({
            body: {
              type: 'account.verified',
              tenant: person.tenant.id,
              data: { account_id: newId() },
            },
          }),
        },
      },
    },
    'test/crawler/kernel.ts',
  ),
)

test.for(composition.surfaces.map(one => one.name))('%s is crawled', name => {
  const file = new URL(`../src/surfaces/${name}/test/crawl.test.ts`, import.meta.url)
  expect(existsSync(file), `say in ${file.pathname} how its things are made`).toBe(true)
})
