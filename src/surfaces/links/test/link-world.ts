/** The product with links whose destinations may lie under `.test`, and short words for asking about them. */
import { Type } from 'typebox'
import { sql, type Principal } from '#dodeca/kernel'
import type { Answer, Ask } from '../../../../test/world.ts'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { openDeps } from '../surface.ts'
import type { Deps, Jobs } from '../deps.ts'
import { settings as own } from '../settings.ts'

export type LinkWorld = ProductWorld & {
  readonly deps: Deps
  /** Makes a link and answers whatever came of it. */
  shorten(who: Member, body: object, ask?: Ask): Promise<Answer>
  /** A member who looks after the links of all. */
  moderator(): Promise<Member>
  /** Types of the events of a link or domain, in their order. */
  eventTypes(aggregate: { code: string } | { id: string }): Promise<string[]>
}

export async function openLinkWorld(settings?: Record<string, string>): Promise<LinkWorld> {
  const world = await openProductWorld(settings)
  const kernel = world.platform.kernelFor({ settings: own })
  // The surfaces of the product in their order: identity, jobs, links.
  const jobs = world.platform.opened['jobs']?.face as Jobs
  const deps = openDeps(kernel, { jobs, people: world.identity })
  return {
    ...world,
    deps,
    shorten: (who, body, ask = {}) =>
      world.call('POST', '/v1/links', {
        token: who.token,
        body: { destination_url: 'https://www.example.com/', ...body },
        ...ask,
      }),
    moderator: async () => {
      const member = await world.member()
      await world.give(member, 'platform_operator')
      return member
    },
    eventTypes: aggregate => eventTypesOf(world, aggregate),
  }
}

async function eventTypesOf(
  world: ProductWorld,
  aggregate: { code: string } | { id: string },
): Promise<string[]> {
  const { db } = world.platform.kernel
  const [type, data] =
    'code' in aggregate
      ? ['link', sql.json({ code: aggregate.code })]
      : ['domain', sql.json({ domain_id: aggregate.id })]
  const rows = await db.many(
    Type.Object({ type: Type.String() }),
    sql`
      select type from (
        select type, aggregate_type, aggregate_version, payload from kernel.events
        union all
        select type, aggregate_type, aggregate_version, payload from kernel.outbox_events
      ) announced
      where aggregate_type = ${type} and payload @> ${data}::jsonb
      order by aggregate_version`,
  )
  return rows.map(row => row.type)
}

/** A caller as the use cases see it, for tests that call one without HTTP. */
export function principalOf({ id, tenant }: Member): Principal {
  return {
    id,
    tenant_id: tenant.id,
    kind: 'account',
    session_id: null,
    aal: 'aal1',
    auth_time: 0,
  }
}
