/** The link shortener as the kernel sees it. This file opens the parts once and connects them. */
import { openReservedWords, openTxtLookup, sql } from '#dodeca/kernel'
import type { DueQueue, Loop, Retention, Surface } from '#dodeca/kernel'
import { openNode } from './cache/node.ts'
import { openChanges } from './cache/publish-change.ts'
import { checks } from './checks.ts'
import type { Deps, Jobs, People } from './deps.ts'
import { openBlockedPatterns } from './destinations/blocked-patterns.ts'
import { openLookAlikes } from './destinations/look-alikes.ts'
import { scanQueue } from './destinations/scan-links.ts'
import { openWebRisk } from './destinations/web-risk.ts'
import { openPlatformDomain } from './domains/platform.ts'
import { recheckQueue } from './domains/recheck-domains.ts'
import { ownerMailConsumer, type Owners } from './domains/notify-owner.ts'
import { purgeConsumer, purgeQueue } from './edges/purge-edge.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { applyBlocklist } from './moderation/apply-blocklist.ts'
import { permissions } from './permissions.ts'
import { personalLinks } from './personal.ts'
import { reference } from './reference.ts'
import { openRedirecting } from './redirecting/open.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { settings, type Kernel } from './settings.ts'
import { newCode } from './shortening/codes.ts'
import { expireLinks } from './shortening/expire-links.ts'
import { openStatistics } from './statistics/open.ts'
import { tenancy } from './tenancy.ts'

export type Needs = {
  /** Submits long work. Without it the routes that start such work do not exist. */
  readonly jobs: Jobs
  /** Informs owners that their host is suspended. */
  readonly owners: Owners
  readonly people: People
}

export const links: Surface<Face, Needs, typeof settings> = {
  name: 'links',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  needs: { jobs: 'jobs', owners: 'notifications', people: 'identity' },
  open: (kernel, { jobs, owners, people }) => {
    const deps = openDeps(kernel, { jobs, people })
    const redirecting = openRedirecting(deps)
    const clicks = openStatistics(deps)
    const purges = kernel.settings['links.purge'] === 'none' ? [] : [purgeConsumer()]
    return {
      face: {},
      routes: [...routes(deps), ...clicks.routes, ...redirecting.routes],
      front: redirecting.front,
      consumers: [...purges, ownerMailConsumer(kernel, owners)],
      loops: [expiryLoop(deps), ...redirecting.loops, ...clicks.loops],
      queues: queues(deps),
      retention: retention(kernel),
      personal: personalLinks(deps),
      checks: [...checks(deps), ...clicks.checks],
      jobTypes: [applyBlocklist(deps), ...clicks.jobTypes],
      projections: clicks.projections,
      seed: tenants => seed(deps, tenants),
      close: async () => {
        await deps.node.close()
        await deps.reputation?.close()
      },
    }
  },
}

/** Creates the dependencies that the use cases share. It calls nothing and starts nothing. */
export function openDeps(
  kernel: Kernel,
  faces: { readonly jobs: Jobs; readonly people: People },
): Deps {
  const { settings: values } = kernel
  const platform = openPlatformDomain(kernel)
  const node = openNode(kernel, platform)
  return {
    kernel,
    platform,
    reserved: openReservedWords(kernel, values['links.reserved']),
    changes: openChanges(kernel, node),
    node,
    newCode,
    lookAlikes: openLookAlikes(values['links.protected_hosts']),
    patterns: openBlockedPatterns(),
    reputation: values['links.url_reputation'] === 'web_risk' ? openWebRisk(kernel) : null,
    lookUpTxt: openTxtLookup(kernel, values['links.dns_servers']),
    ...faces,
  }
}

function queues(deps: Deps): DueQueue[] {
  const purging = deps.kernel.settings['links.purge'] !== 'none'
  return [
    recheckQueue(deps),
    ...(deps.reputation ? [scanQueue(deps, deps.reputation)] : []),
    ...(purging ? [purgeQueue(deps)] : []),
  ]
}

function expiryLoop(deps: Deps): Loop {
  return {
    name: 'links.expire',
    every_ms: 600_000,
    due: sql`
      -- any tenant: a sweep
      select exists (select from links.links
        where state in ('active', 'pending_scan') and expires_at <= kernel.now())`,
    run: signal => expireLinks(deps, signal),
  }
}

function retention({ settings: values }: Kernel): Retention[] {
  const reports_days = values['links.reports_retention_days']
  return [
    {
      // Deletes claims that were not verified in time. No link was ever created on them.
      table: 'links.domains',
      key: ['id'],
      where: sql`t.state = 'pending_verification' and t.verification_expires_at <= kernel.now()`,
    },
    {
      // Deletes the rows of machines that never returned, although clicks may wait on them.
      table: 'links.redirect_nodes',
      key: ['node_id'],
      where: sql`t.leased_until < now() - interval '1 day'`,
    },
    {
      table: 'links.link_reports',
      key: ['id'],
      where: sql`t.id < kernel.first_id_of(kernel.now() - make_interval(days => ${reports_days}))`,
    },
  ]
}
