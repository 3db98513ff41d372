/** Routes about job types: for platform operators and for owners of external workers. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { page, type List } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { TypeName } from '../schemas.ts'
import { allTypes } from './list-types.ts'
import { pauseType, resumeType } from './pause-type.ts'
import { registerType } from './register-type.ts'
import {
  JobTypePage,
  JobTypeView,
  PauseState,
  PauseType,
  RegisterType,
  TypeStatsPage,
} from './schemas.ts'
import { statsOf } from './stats.ts'

const named = { params: { type: TypeName }, absent: 'job_type_not_found' } as const

export function typeRoutes(deps: Deps): readonly Route[] {
  return [
    listRoute(deps),
    showRoute(deps),
    registerRoute(deps),
    pauseRoute(deps),
    resumeRoute(deps),
    statsRoute(deps),
  ]
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/job-types',
    name: 'listJobTypes',
    summary: 'List all job types, by name',
    permission: 'jobs.types.read',
    added: true,
    query: pageQuery({}),
    replies: { 200: JobTypePage },
    handle: async ({ tx, list }) => {
      const { body, headers } = await pageOf(tx, list, await allTypes(tx, deps))
      return reply(200, body, headers)
    },
  })
}

/** There are few types, so they are cut into pages here. */
function pageOf(reader: Reader, list: List, types: readonly JobTypeView[]) {
  return page(reader, {
    scope: list,
    row: JobTypeView,
    place: ['type'],
    fetch: ({ type }, n) => types.filter(one => type === null || one.type > type).slice(0, n),
  })
}

function showRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/job-types/{type}',
    name: 'getJobType',
    summary: 'A job type',
    permission: 'jobs.types.read',
    added: true,
    ...named,
    replies: { 200: JobTypeView },
    fails: ['job_type_not_found'],
    handle: async ({ tx, params }) => reply(200, await oneType(deps, tx, params.type)),
  })
}

async function oneType(deps: Deps, reader: Reader, type: string) {
  const found = (await allTypes(reader, deps)).find(one => one.type === type)
  if (!found) throw problem('job_type_not_found')
  return found
}

function registerRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: '/v1/job-types/{type}',
    name: 'registerJobType',
    summary: 'Register a job type for your own workers, or a new version of it',
    sends: ['location'],
    description: 'The schemas of a version never change. The other settings of a type can change.',
    permission: 'jobs.types.write',
    added: true,
    ...named,
    absent: 'validation_failed',
    body: RegisterType,
    replies: { 200: JobTypeView, 201: JobTypeView },
    fails: ['job_type_not_found', 'job_type_reserved', 'schema_immutable', 'schema_invalid'],
    handle: async ({ tx, params, body, principal }) => {
      const made = await registerType(tx, deps, params.type, body, principal)
      const type = await oneType(deps, tx, params.type)
      return made
        ? reply(201, type, { location: `/v1/job-types/${params.type}` })
        : reply(200, type)
    },
  })
}

function pauseRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/job-types/{type}/pause',
    name: 'pauseJobType',
    summary: 'Pause a job type',
    description:
      'After this reply no job of the type starts, on any process, until the type is resumed.',
    permission: 'jobs.types.pause',
    ...named,
    transaction: 'own',
    idempotency: 'ignored',
    body: PauseType,
    replies: { 200: PauseState },
    fails: ['job_type_not_found', 'validation_failed'],
    handle: async ({ db, params, body, principal }) =>
      reply(200, await pauseType(db, deps, params.type, body, { principal })),
  })
}

function resumeRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/job-types/{type}/resume',
    name: 'resumeJobType',
    summary: 'Resume a paused job type',
    permission: 'jobs.types.pause',
    added: true,
    ...named,
    idempotency: 'ignored',
    replies: { 200: PauseState },
    fails: ['job_type_not_found'],
    handle: async ({ tx, params, principal }) =>
      reply(200, await resumeType(tx, deps, params.type, { principal })),
  })
}

function statsRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/job-stats',
    name: 'listJobStats',
    summary: 'Count the waiting and running jobs of each type',
    permission: 'jobs.stats.read',
    added: true,
    rate: 'expensive',
    query: pageQuery({ type: Type.Optional(TypeName) }),
    replies: { 200: TypeStatsPage },
    handle: async ({ tx, list, query }) => {
      const all = await allTypes(tx, deps)
      const wanted = query.type === undefined ? all : all.filter(one => one.type === query.type)
      const { body, headers } = await pageOf(tx, list, wanted)
      return reply(200, { ...body, data: await statsOf(tx, body.data) }, headers)
    },
  })
}
