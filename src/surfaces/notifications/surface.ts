/** The parts of notifications, opened once and connected here. */
import type { Surface } from '#dodeca/kernel'
import { openCategories } from './categories/find-category.ts'
import { checks } from './checks.ts'
import { consumers } from './consumers.ts'
import type { Deps, Jobs, People } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Inside } from './face.ts'
import { openInboxStreams } from './inbox/watch-inbox.ts'
import { notifyJob } from './intents/notify-job.ts'
import { loops } from './loops.ts'
import { reportProviders } from './outcomes/report-formats.ts'
import { faceFor } from './face-for.ts'
import { openFace } from './open-face.ts'
import { permissions } from './permissions.ts'
import { personal } from './personal.ts'
import { adviceOnMail } from './providers/read-relays.ts'
import { openProviders } from './providers/providers.ts'
import { reference } from './reference.ts'
import { retention } from './retention.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { openSender } from './sending/sender.ts'
import { settings } from './settings.ts'
import { sending_activity } from './topics.ts'
import { openTemplates } from './templates/find-template.ts'
import { openUnsubscribeLinks } from './suppressions/unsubscribe-links.ts'
import { openVault, sealedKeys } from './vault.ts'
import { tenancy } from './tenancy.ts'

export type Needs = {
  readonly people: People
  readonly jobs: Jobs
}

export const notifications: Surface<Inside, Needs, typeof settings> = {
  name: 'notifications',
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  settings,
  needs: { people: 'identity', jobs: 'jobs' },
  open: (kernel, { people, jobs }) => {
    jobs.activities([sending_activity])
    const deps: Deps = {
      jobs,
      kernel,
      people,
      vault: openVault(kernel.keys),
      categories: openCategories(kernel),
      templates: openTemplates(kernel),
      providers: openProviders(kernel),
      unsubscribe: openUnsubscribeLinks(kernel),
      mails: new Map(),
    }
    const sender = openSender(deps)
    const streams = openInboxStreams(kernel)
    return {
      face: openFace(deps),
      faceFor: caller => faceFor(deps, caller),
      routes: routes(deps, streams),
      providers: reportProviders(kernel),
      consumers: consumers(deps),
      loops: [
        ...(kernel.settings['notifications.sender_enabled'] ? [sender.loop] : []),
        ...loops(deps),
      ],
      jobTypes: [notifyJob(deps)],
      checks: checks(deps),
      personal: personal(deps),
      retention: retention(kernel),
      sealed: [sealedKeys],
      seed: tenants => seed(deps, tenants),
      advice: () => Promise.resolve(adviceOnMail(kernel)),
      close: async () => {
        streams.close()
        await sender.close()
        await deps.providers.close()
      },
    }
  },
}
