/** Jobs under the crawler: how types, jobs, workers, attempts and schedules come about. */
import { Buffer } from 'node:buffer'
import type { Recipe } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import * as work from './crawl-work.ts'
import type { Making } from './crawl-work.ts'

type Params = Readonly<Record<string, string>>

const says = (say: (maker: Making, params: Params) => unknown): Recipe<ProductWorld, Member> => ({
  request: async (maker, params) => ({ body: await say(maker, params) }),
})

const newType = { schema_version: 1, parameters_schema: { type: 'object' } }
const schedule = { type: 'demo.count', cron: '30 2 * * *' }

await crawlSurface({
  surface: 'jobs',
  settings: { JOBS_SCHEDULES_PER_TENANT: '1000' },
  subjects: {
    '/v1/jobs/{job_id}': { make: work.job },
    // Types belong to the platform.
    '/v1/job-types/{type}': { shared: true, make: work.jobType },
    '/v1/job-schedules/{name}': {
      make: async ({ ask }) => (await ask('PUT', `/v1/job-schedules/s-${newId()}`, schedule)).name,
    },
    '/v1/workers/{worker_id}': { make: work.worker },
    // An operator of the platform may run the jobs of all tenants.
    '/v1/job-attempts/{attempt_id}': { shared: true, make: work.attempt },
    '/_objects/j/{result_id}': { shared: true, make: work.result },
  },
  recipes: {
    'POST /v1/jobs': says(() => ({ type: 'demo.count' })),
    'POST /v1/job-batches': says(() => ({ jobs: [{ ref: 'one', type: 'demo.count' }] })),
    'POST /v1/job-redrives': says(() => ({ type: 'demo.count', limit: 1 })),
    'PATCH /v1/jobs/{job_id}': says(() => ({ priority: 1 })),
    'POST /v1/jobs/{job_id}/retry': says(async ({ ask }, { job_id }) => {
      await ask('POST', `/v1/jobs/${job_id}/cancel`)
      return {}
    }),
    'POST /v1/jobs/{job_id}/signals': says(async (maker, { job_id }) => {
      await work.asRun(maker, job_id)
      return { name: 'approve', data: { by: 'me' } }
    }),
    'GET /v1/jobs/{job_id}/result-url': {
      request: async (maker, { job_id }) => {
        await work.finish(maker, job_id)
        return {}
      },
    },
    'GET /_objects/j/{result_id}': {
      request: (_maker, { result_id }) => ({ query: work.signature(result_id) }),
    },
    'PUT /v1/job-types/{type}': says(() => newType),
    'PUT /v1/job-schedules/{name}': says(() => schedule),
    'PUT /v1/workers/{worker_id}': says(async maker => ({
      capabilities: [{ type: await work.jobType(maker), versions: [1] }],
    })),
    'POST /v1/workers/{worker_id}/claims': says(() => ({
      claim_id: newId(),
      max_jobs: 1,
      wait_seconds: 0,
    })),
    'POST /v1/workers/{worker_id}/heartbeats': says(() => ({
      leases: [{ attempt_id: newId(), lease_token: 'of no lease' }],
    })),
    'POST /v1/job-attempts/{attempt_id}/progress': says((_maker, { attempt_id }) => ({
      lease_token: work.lease(attempt_id).lease_token,
      stage: 'crawling',
      current: 1,
    })),
    'PUT /v1/job-attempts/{attempt_id}/result': {
      request: (_maker, { attempt_id }) => ({
        bytes: Buffer.from('bytes'),
        headers: {
          'content-type': 'text/plain',
          'job-lease-token': work.lease(attempt_id).lease_token,
        },
      }),
    },
    'POST /v1/job-attempts/{attempt_id}/finalize': says((_maker, { attempt_id }) => ({
      ...work.lease(attempt_id),
      outcome: 'succeeded',
    })),
  },
})
