/** Uploads as the kernel sees it. This file opens the parts once and connects them. */
import { sql, type Surface } from '#dodeca/kernel'
import { checks } from './checks.ts'
import type { Deps, Jobs, MayRead, OnCompleted, Rights } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Inside } from './face.ts'
import { openFileUrls } from './files/file-urls.ts'
import { faceFor } from './face-for.ts'
import { openFace } from './open-face.ts'
import { permissions } from './permissions.ts'
import { personal } from './files/personal.ts'
import { openInspectors } from './processing/inspectors.ts'
import { processingQueue } from './processing/process-file.ts'
import { openPurposes, type Purpose } from './purposes.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { openClamd } from './scanning/clamd.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'
import { storageLoops } from './storage/loops.ts'
import { openOwnStore } from './storage/own-store.ts'
import { verificationQueue } from './uploads/verify-upload.ts'
import { tenancy } from './tenancy.ts'

export type Needs = {
  readonly jobs: Jobs
  readonly rights: Rights
}

export const uploads: Surface<Inside, Needs, typeof settings> = {
  name: 'uploads',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  needs: { jobs: 'jobs', rights: 'identity' },
  open: (kernel, { jobs, rights }) => {
    jobs.activities(['uploads.process'])
    const clamd = kernel.settings['uploads.clamd']
    const readers = new Map<Purpose, MayRead>()
    const completed = new Map<Purpose, OnCompleted>()
    const store = openOwnStore(kernel)
    const deps: Deps = {
      kernel,
      store,
      jobs,
      rights,
      purposes: openPurposes(kernel),
      fileUrls: openFileUrls(kernel),
      inspectors: openInspectors(kernel),
      clamd: clamd ? openClamd(clamd) : null,
      readers,
      completed,
    }
    const face = openFace(deps, { readers, completed })
    jobs.plugFiles({ isAvailable: face.isAvailable, url: face.inputUrl })
    return {
      face,
      faceFor: caller => faceFor(deps, face, caller),
      routes: routes(deps),
      queues: [verificationQueue(deps), processingQueue(deps)],
      loops: storageLoops(kernel, store),
      ready: { object_store: store.isReady },
      retention: [
        {
          table: 'uploads.processing_attempts',
          key: ['tenant_id', 'id'],
          where: sql`t.started_at
            < kernel.now() - make_interval(days => ${kernel.settings['uploads.attempts_retention_days']})`,
        },
      ],
      personal: personal(deps),
      checks: checks(kernel, store),
      seed: tenants => seed(deps, tenants),
      close: () => deps.inspectors.close(),
    }
  },
}
