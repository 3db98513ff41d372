/** Routes about job types: for platform operators and for owners of external workers. */
import { Type } from 'typebox'
import { page, reply, routesOf, type List, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { TypeName } from '../schemas.ts'
import { allTypes } from './list-types.ts'
import { pauseType, resumeType } from './pause-type.ts'
import { registerType } from './register-type.ts'
import { JobTypeView, PauseState, PauseType, RegisterType, TypeStats } from './schemas.ts'
import { statsOf } from './stats.ts'

const { open, get, list, post, put } = routesOf<Deps>({
  absent: 'job_type_not_found',
  read: 'jobs.types.read',
  write: 'jobs.types.pause',
  added: true,
  params: { type: TypeName },
})

export const typeRoutes = open({
  listJobTypes: list(
    '/v1/job-types',
    'List all job types, by name',
    { tool: 'read', item: JobTypeView },
    async ({ tx, list }, deps) => pageOf(tx, list, await allTypes(tx, deps)),
  ),

  getJobType: get(
    '/v1/job-types/{type}',
    'A job type',
    { reply: JobTypeView },
    async ({ tx, params }, deps) => await oneType(deps, tx, params.type),
  ),

  registerJobType: put(
    '/v1/job-types/{type}',
    'Register a job type for your own workers, or a new version of it',
    {
      sends: ['location'],
      description:
        'The schemas of a version never change. The other settings of a type can change.',
      permission: 'jobs.types.write',
      absent: 'validation_failed',
      body: RegisterType,
      replies: { 200: JobTypeView, 201: JobTypeView },
      fails: ['job_type_not_found', 'job_type_reserved', 'schema_immutable', 'schema_invalid'],
    },
    async ({ tx, params, body }, deps) => {
      const made = await registerType(tx, deps, params.type, body)
      const type = await oneType(deps, tx, params.type)
      return made
        ? reply(201, type, { location: `/v1/job-types/${params.type}` })
        : reply(200, type)
    },
  ),

  pauseJobType: post(
    '/v1/job-types/{type}/pause',
    'Pause a job type',
    {
      description:
        'After this reply no job of the type starts, on any process, until the type is resumed.',
      transaction: 'own',
      // A repeat finds the type paused.
      idempotency: 'ignored',
      body: PauseType,
      reply: PauseState,
      fails: ['validation_failed'],
      added: false,
    },
    async ({ db, params, body, principal }, deps) =>
      await pauseType(db, deps, params.type, body, { principal }),
  ),

  resumeJobType: post(
    '/v1/job-types/{type}/resume',
    'Resume a paused job type',
    // A repeat finds the type resumed.
    { idempotency: 'ignored', reply: PauseState },
    async ({ tx, params, principal }, deps) =>
      await resumeType(tx, deps, params.type, { principal }),
  ),

  listJobStats: list(
    '/v1/job-stats',
    'Count the waiting and running jobs of each type',
    {
      permission: 'jobs.stats.read',
      rate: 'expensive',
      item: TypeStats,
      filters: { type: Type.Optional(TypeName) },
    },
    async ({ tx, list, query }, deps) => {
      const all = await allTypes(tx, deps)
      const wanted = query.type === undefined ? all : all.filter(one => one.type === query.type)
      const { body, headers } = await pageOf(tx, list, wanted)
      return { body: { ...body, data: await statsOf(tx, body.data) }, headers }
    },
  ),
})

/** There are few types, so they are cut into pages here. */
function pageOf(reader: Reader, list: List, types: readonly JobTypeView[]) {
  return page(reader, {
    scope: list,
    row: JobTypeView,
    place: ['type'],
    fetch: ({ type }, n) => types.filter(one => type === null || one.type > type).slice(0, n),
  })
}

async function oneType(deps: Deps, reader: Reader, type: string) {
  const found = (await allTypes(reader, deps)).find(one => one.type === type)
  if (!found) throw problem('job_type_not_found')
  return found
}
