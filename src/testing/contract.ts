/**
 * The contract of the platform for an application's own routes: each is called by a stranger, from
 * another tenant, without rights, with wrong bodies, twice under one key, with an old version; and
 * what it answers is compared with the OpenAPI document.
 */
import { deepEqual } from 'node:assert/strict'
import { ownSurfaces } from '../app.ts'
import { gather } from '../runtime/gather-declarations.ts'
import { checksOf, unused, type Check } from './contract/checks.ts'
import type { Caller, Crawl } from './contract/crawl.ts'
import type { Ground } from './contract/ground.ts'
import type { Member } from './people.ts'
import type { World } from './world.ts'

type Asked = Crawl<World, Member> & {
  /** One of the application's own; all of them if it is left out. */
  readonly surface?: string
}

/** The checks of own routes, in the order in which a test runner runs them. */
export function contract(world: World, crawl: Asked = {}): Check[] {
  const ground = groundOf(world, crawl)
  const all = checksOf(ground)
  return [
    ...all.flatMap(({ target, checks, ending }) =>
      [...checks, ...ending].map(({ name, run }) => ({
        name: `${target.operation}: ${name}`,
        run,
      })),
    ),
    {
      name: 'all that was declared belongs to a route',
      run: async () => {
        deepEqual(
          unused(
            ground,
            all.map(({ target }) => target),
          ),
          [],
        )
      },
    },
  ]
}

function groundOf(world: World, { surface, ...crawl }: Asked): Ground<World, Member> {
  const { app, composition } = world.ground
  const own = ownSurfaces(app)
  const gathered = gather(composition.surfaces)
  const roles = new Set([...gathered.permissions.values()].flatMap(one => one.roles))
  const permissions = own.flatMap(one => Object.entries(one.permissions))
  const held = permissions.map(([name, { typed }]) => (typed ? `${name}:*` : name))
  let unprivileged: Promise<Caller> | undefined
  return {
    world,
    gathered,
    routes: own.flatMap(({ name }) =>
      surface === undefined || surface === name ? (world.platform.opened[name]?.routes ?? []) : [],
    ),
    crawl,
    declared_in: 'the subjects and recipes of `contract`',
    enabled: async () => {
      const person = await world.member()
      await world.give(person, ...roles)
      await world.allow(person, ...held)
      return person
    },
    // One for all, because no request with them has an effect.
    unprivileged: () => (unprivileged ??= world.member()),
  }
}
