/** Webhooks as the kernel sees it. This file opens the parts once and connects them. */
import { openSafeFetch } from '#dodeca/kernel'
import type { Surface } from '#dodeca/kernel'
import { settings, type Kernel } from './settings.ts'
import { openFeedWatcher } from './catalog/watch-events.ts'
import { checks } from './checks.ts'
import type { Deps, Jobs, Rights } from './deps.ts'
import { openJudgeEndpoint } from './endpoint.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { fanOutConsumer } from './fan-out/fan-out.ts'
import { openWideFanOut } from './fan-out/wide.ts'
import { openInbound } from './inbound/open-inbound.ts'
import { keepingLoops, retention } from './maintenance/keep.ts'
import { ownersConsumer } from './maintenance/owners.ts'
import { ownerMailConsumer, type Owners } from './maintenance/notify-owner.ts'
import { permissions } from './permissions.ts'
import { personalWebhooks } from './personal.ts'
import { reference } from './reference.ts'
import { replayJob } from './replays/replay-job.ts'
import { routes } from './routes.ts'
import { openSecrets } from './sealed-secrets.ts'
import { openBodies } from './sending/bodies.ts'
import type { Rules } from './sending/decide-retry.ts'
import { activity, openSender } from './sending/sender.ts'
import { seed } from './seed.ts'
import { readSending } from './sending-settings.ts'
import { openEventTypes } from './types/event-types.ts'
import { challengeQueue } from './verification/challenge-queue.ts'
import { tenancy } from './tenancy.ts'

export type Needs = {
  readonly jobs: Jobs
  /** The grants of the owners of subscriptions. */
  readonly rights: Rights
  /** Informs owners that an endpoint fails. */
  readonly owners: Owners
}

export const webhooks: Surface<Face, Needs, typeof settings> = {
  name: 'webhooks',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  needs: { jobs: 'jobs', rights: 'identity', owners: 'notifications' },
  open: (kernel, { jobs, owners, rights }) => {
    jobs.activities([activity])
    const sending = readSending(kernel)
    const reach = openSafeFetch({
      ports: sending.ports,
      schemes: sending.schemes,
      allow: kernel.settings['webhooks.allowed_private_cidrs'],
      dns_servers: kernel.settings['webhooks.dns_servers'],
    })
    const parts = {
      kernel,
      jobs,
      rights,
      sending,
      reach,
      types: openEventTypes(kernel.declared.eventTypes),
      secrets: openSecrets(kernel),
      judgeEndpoint: openJudgeEndpoint(kernel, sending),
    }
    const bodies = openBodies()
    const sender = openSender({ ...parts, bodies, rules: rulesOf(kernel, sending.breaker) })
    const deps: Deps = { ...parts, sender }
    const wide = openWideFanOut({ kernel, sender, bodies })
    const watcher = openFeedWatcher(kernel)
    const inbound = openInbound(kernel)
    return {
      face: {},
      connect: () => inbound.connect(),
      routes: [...routes(deps, watcher), ...inbound.routes],
      consumers: [
        fanOutConsumer({ ...deps, bodies, wide }),
        ownersConsumer,
        ownerMailConsumer(kernel, owners),
      ],
      loops: [
        ...(kernel.settings['webhooks.sender_enabled'] ? [sender.loop] : []),
        wide,
        ...keepingLoops(deps),
        ...inbound.loops,
      ],
      queues: [challengeQueue(deps)],
      retention: retention(kernel),
      personal: personalWebhooks(deps),
      sealed: [...deps.secrets.sealed, ...inbound.sealed],
      checks: checks(deps),
      jobTypes: [replayJob(deps)],
      seed: tenants => seed(deps, tenants),
      close: async () => {
        watcher.close()
        reach.close()
      },
    }
  },
}

function rulesOf({ settings }: Pick<Kernel, 'settings'>, breaker: Rules['breaker']): Rules {
  return {
    schedule_seconds: settings['webhooks.retry_schedule'],
    max_age_seconds: settings['webhooks.max_event_age_seconds'],
    max_held_age_seconds: settings['webhooks.max_held_age_seconds'],
    degraded_seconds: settings['webhooks.degraded_seconds'],
    auto_disable_seconds: settings['webhooks.auto_disable_seconds'],
    breaker,
  }
}
