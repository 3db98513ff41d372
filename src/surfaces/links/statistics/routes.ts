/** The routes of clicks: an owner's statistics, and rebuilding them. */
import { Type } from 'typebox'
import {
  closed,
  Day,
  dayOf,
  dayRange,
  Id,
  narrowSession,
  reply,
  routesOf,
  text,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findAnyDomain } from '../domains/find-domain.ts'
import { problem } from '../errors.ts'
import { ownLink } from '../owners.ts'
import { Code, Hostname, OnDomain } from '../schemas.ts'
import { findLink } from '../shortening/link-row.ts'
import { dimensions, type Dimension } from '../clicks/context.ts'
import { readStats, Stats } from './read-stats.ts'
import { rebuild_type } from './rebuild-job.ts'

const StatsQuery = closed({
  ...OnDomain.properties,
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  /** Names separated by commas. Without this parameter the reply contains all dimensions. */
  dimensions: Type.Optional(text(100)),
})

const Rebuild = closed(
  {
    domain: Type.Optional(Hostname),
    code: Type.Optional(Code),
    from: Day,
    to: Day,
  },
  { title: 'RebuildLinkStats' },
)
const Rebuilding = Type.Object({ id: Id, job_id: Id, status: Type.Literal('queued') })

const { open, get, post } = routesOf<Deps>({
  absent: 'link_not_found',
  read: 'links.stats.read',
  write: 'links.stats.rebuild',
  params: { code: Code },
})

export const statisticsRoutes = open({
  getLinkStats: get(
    '/v1/links/{code}/stats',
    'Get the clicks on my link by day, referrer and other sources',
    { tool: 'read', query: StatsQuery, reply: Stats, fails: ['domain_not_found'] },
    async ({ tx, principal: caller, params, query }, deps) => {
      const range = dayRange(query, dayOf(deps.kernel.clock.nowMs()))
      const wanted = dimensionsIn(query.dimensions)
      const { code } = params
      const { principal, domain } = await ownLink(tx, deps, caller, code, query.domain)
      const link = await findLink(tx, principal, domain, code)
      const stats = await readStats(tx, link, range, wanted)
      return { domain: domain.hostname, ...stats }
    },
  ),

  rebuildLinkStats: post(
    '/v1/link-stats/rebuilds',
    'Rebuild click statistics from their events, by a job',
    {
      sends: ['location'],
      added: true,
      idempotency: 'optional',
      body: Rebuild,
      replies: { 202: Rebuilding },
      fails: ['domain_not_found'],
    },
    async ({ tx, principal, body }, deps) => {
      const { from, to, code = null } = body
      dayRange(body, dayOf(deps.kernel.clock.nowMs()), 'body')
      // A code without a domain belongs to the platform's own domain. A request without a code and
      // a domain means all links.
      const everywhere = body.domain === undefined && code === null
      const domain_id = everywhere ? null : (await findAnyDomain(tx, deps, body.domain)).id
      const { id } = await deps.jobs.submit(tx, {
        type: rebuild_type,
        tenant_id: principal.tenant_id,
        principal_id: principal.id,
        session_id: narrowSession(principal),
        parameters: { domain_id, code, from, to },
      })
      const location = `/v1/jobs/${id}`
      return reply(202, { id, job_id: id, status: 'queued' }, { location })
    },
  ),
})

function dimensionsIn(given: string | undefined): readonly Dimension[] {
  if (given === undefined) return dimensions
  const names = given.split(',').map(name => name.trim())
  const wanted = dimensions.filter(dimension => names.includes(dimension))
  if (wanted.length === new Set(names).size) return wanted
  throw problem('validation_failed', {
    errors: [
      {
        location: 'query',
        pointer: '/dimensions',
        constraint: 'enum',
        params: { allowedValues: dimensions },
      },
    ],
  })
}
