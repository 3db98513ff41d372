/** The parts of retrieval, opened once and connected here. */
import { openSafeFetch, sql, type Surface } from '#dodeca/kernel'
import { checks } from './checks.ts'
import { syncQueue } from './connectors/schedule-syncs.ts'
import { syncJob } from './connectors/sync-job.ts'
import { consumers } from './consumers.ts'
import type { Deps, Needs } from './deps.ts'
import { projectionQueue } from './documents/project-document.ts'
import { answerRetention } from './answers/retention.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { openExtractors } from './extraction/open-extractors.ts'
import type { Face } from './face.ts'
import { deleteIndexes } from './indexes/delete-indexes.ts'
import { openIndex } from './indexes/open-index.ts'
import { openProfiles } from './indexes/open-profiles.ts'
import { evaluateJob } from './evaluations/evaluate-job.ts'
import { indexProjection } from './indexes/rebuild.ts'
import { reindexJob } from './indexes/reindex-job.ts'
import { reapLoop, sweepLoop } from './indexes/sweep.ts'
import { ingestJob } from './ingestion/ingest-job.ts'
import { permissions } from './permissions.ts'
import { personalRetrieval } from './personal.ts'
import { purgeJob } from './purges/purge-job.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { allowedPorts, settings } from './settings.ts'
import { tenancy } from './tenancy.ts'

export const retrieval: Surface<Face, Needs, typeof settings> = {
  name: 'retrieval',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  needs: { people: 'identity', jobs: 'jobs', files: 'uploads', models: 'inference' },
  open: (kernel, needs) => {
    const deps: Deps = {
      ...needs,
      kernel,
      profiles: openProfiles(kernel, needs),
      index: openIndex(kernel),
      extractors: openExtractors({ processes: kernel.settings['retrieval.extractors'] }),
      fetch: openSafeFetch({
        ports: allowedPorts(kernel.settings),
        allow: kernel.settings['retrieval.allowed_private_cidrs'],
      }),
    }
    return {
      face: {},
      routes: routes(deps),
      queues: [projectionQueue(deps), syncQueue(deps)],
      consumers: consumers(deps),
      checks: checks(kernel),
      personal: personalRetrieval(deps),
      seed: tenants => seed(deps, tenants),
      jobTypes: [
        ingestJob(deps),
        purgeJob(deps),
        reindexJob(deps),
        evaluateJob(deps),
        syncJob(deps),
      ],
      loops: [sweepLoop(deps), reapLoop(deps)],
      projections: [indexProjection(deps)],
      deleteIndexes: tenant_id => deleteIndexes(deps, tenant_id),
      retention: [
        {
          table: 'retrieval.ingestion_jobs',
          key: ['tenant_id', 'id'],
          where: sql`t.completed_at
            < kernel.now() - make_interval(days => ${kernel.settings['retrieval.job_retention_days']})`,
        },
        ...answerRetention(kernel),
      ],
      close: async () => {
        deps.fetch.close()
        await Promise.all([deps.index.close(), deps.extractors.close(), deps.profiles.close()])
      },
    }
  },
}
