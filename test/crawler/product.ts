/**
 * The product as it is served. How a surface joins: it adds `test/crawl.test.ts`, which calls
 * `crawlSurface` with its subjects (how to create the resources that its paths name) and its
 * recipes (what a request must contain beyond its schema). External services that it needs it
 * starts in `open` and names in `settings`. There is no list of surfaces:
 * `test/product-crawler.test.ts` fails for a surface without that file, and the crawl fails for a
 * route that it cannot call.
 */
import { gather } from '../../src/runtime/gather-declarations.ts'
import { composition } from '../../src/platform.ts'
import { openProductWorld, type Member, type ProductWorld } from '../product-world.ts'
import type { Caller, Crawl } from '../../src/testing/contract/crawl.ts'
import { crawlRoutes } from './crawl-routes.ts'
import type { Ground } from '../../src/testing/contract/ground.ts'

type ProductCrawl = Crawl<ProductWorld, Member>

export type SurfaceCrawl = ProductCrawl & {
  readonly surface: string
  /** What the platform is configured with: limits of what one account may have, providers outside. */
  readonly settings?: Readonly<Record<string, string>>
  /** Other routes for which this surface has what they need, by operation. */
  readonly also?: readonly string[]
}

const gathered = gather(composition.surfaces)

/** Declares the tests of all routes of a surface; the platform stands when it answers. */
export async function crawlSurface(crawl: SurfaceCrawl): Promise<void> {
  const { surface, settings = {}, also = [] } = crawl
  const world = await openCrawlWorld(settings)
  const own = world.platform.opened[surface]?.routes
  if (!own) throw new Error(`the product has no surface ${surface}`)
  const others = world.platform.routes.filter(one => also.includes(`${one.method} ${one.path}`))
  const declared_in = `src/surfaces/${surface}/test/crawl.test.ts`
  crawlRoutes(groundOf(world, [...own, ...others], crawl, declared_in))
}

export function openCrawlWorld(settings: Readonly<Record<string, string>>): Promise<ProductWorld> {
  return openProductWorld({
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    // The default: one crawler must not be refused because the machine is busy.
    KERNEL_OVERLOAD_DELAY_MS: '250',
    ...settings,
  })
}

export function groundOf(
  world: ProductWorld,
  routes: Ground['routes'],
  crawl: ProductCrawl,
  declared_in: string,
): Ground<ProductWorld, Member> {
  const roles = new Set([...gathered.permissions.values()].flatMap(one => one.roles))
  let unprivileged: Promise<Caller> | undefined
  return {
    world,
    gathered,
    routes,
    crawl,
    declared_in,
    enabled: async () => {
      const person = await world.member()
      await world.give(person, ...roles)
      return person
    },
    // One for all, because no request with them has an effect.
    unprivileged: () => (unprivileged ??= world.member()),
  }
}
