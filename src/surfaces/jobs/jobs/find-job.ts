/**
 * Finds a job for a caller who wants to act on it. Missing, foreign and unreadable jobs get the
 * same 404. A caller who may see the job but may not do this gets 403.
 */
import { Type, type Static } from 'typebox'
import {
  allowsSome,
  allowsType,
  columnsOf,
  lacks,
  narrowSession,
  nullable,
  sql,
} from '#dodeca/kernel'
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { JobState } from '../schemas.ts'

export const FoundJob = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  principal_id: Type.String(),
  state: JobState,
  version: Type.Integer(),
  last_sequence: Type.Integer(),
  result_ref: nullable(Type.String()),
})
export type FoundJob = Static<typeof FoundJob>

export async function findJob(
  reader: Reader,
  deps: Pick<Deps, 'types'>,
  { principal, grants }: Caller,
  job_id: string,
  act: Act,
): Promise<FoundJob> {
  const [held, job] = await Promise.all([
    grants(),
    reader.maybe(
      FoundJob,
      sql`
      select ${columnsOf(FoundJob, null)} from jobs.jobs where tenant_id = ${principal.tenant_id} and id = ${job_id}`,
    ),
  ])
  if (!job) throw problem('job_not_found')
  if (may(deps, held, principal, act, job)) return job
  const seen = may(deps, held, principal, 'jobs.jobs.read', job)
  throw seen ? lacks(`${act}:${job.type}`) : problem('job_not_found')
}

export type Act =
  | 'jobs.jobs.read'
  | 'jobs.jobs.cancel'
  | 'jobs.jobs.signal'
  | 'jobs.results.read'
  | 'jobs.jobs.retry'
  | 'jobs.jobs.update'

export type Caller = {
  readonly principal: Pick<Principal, 'id' | 'tenant_id'>
  readonly grants: () => Promise<ReadonlySet<string>>
}

/** Permissions that a submitter has. Retrying and changing require their own permissions. */
const kept: ReadonlySet<Act> = new Set(['jobs.jobs.read', 'jobs.jobs.cancel', 'jobs.results.read'])
const submit = 'jobs.jobs.submit'

/**
 * The same check later, while a stream of the job is open, because the grants may have been
 * removed.
 */
export async function stillReads(
  deps: Pick<Deps, 'types' | 'rights'>,
  principal: Principal,
  job: Job,
): Promise<boolean> {
  const { tenant_id, id: principal_id } = principal
  const holder = { tenant_id, principal_id, session_id: narrowSession(principal), reads: true }
  const [held] = await deps.rights.recentGrantsOf([holder])
  return held !== undefined && may(deps, held, principal, 'jobs.jobs.read', job)
}

/** Whether a caller may do more with a job that they have found. */
export async function mayRead(
  deps: Pick<Deps, 'types'>,
  { principal, grants }: Caller,
  job: Job,
  act: Act,
): Promise<boolean> {
  return may(deps, await grants(), principal, act, job)
}

type Job = { readonly type: string; readonly principal_id: string }

/** Whether the caller may see a job, as `findJob` decides it. */
export async function readsOf(
  deps: Pick<Deps, 'types'>,
  { principal, grants }: Caller,
): Promise<(job: Job) => boolean> {
  const held = await grants()
  return job => may(deps, held, principal, 'jobs.jobs.read', job)
}

function may(
  { types }: Pick<Deps, 'types'>,
  grants: ReadonlySet<string>,
  principal: Caller['principal'],
  act: Act,
  { type, principal_id }: Job,
): boolean {
  if (allowsType(grants, act, type)) return true
  if (principal_id !== principal.id || !kept.has(act)) return false
  const own = ownPermissions(types).get(type)
  return own === undefined ? allowsType(grants, submit, type) : allowsSome(grants, own)
}

/** Which jobs a list shows, as values of one `where`. */
export type Readable = {
  readonly all: boolean
  readonly types: string[]
  /** The caller's own jobs of all types except these, and all jobs of these types. */
  readonly own_all: boolean
  readonly own_types: string[]
  readonly own_except: string[]
}

export function readable({ types }: Pick<Deps, 'types'>, grants: ReadonlySet<string>): Readable {
  const own = [...ownPermissions(types)]
  return {
    all: grants.has('jobs.jobs.read:*'),
    types: namedIn(grants, 'jobs.jobs.read'),
    own_all: grants.has(`${submit}:*`),
    own_types: [
      ...namedIn(grants, submit).filter(type => !own.some(([name]) => name === type)),
      ...own.filter(([, permission]) => allowsSome(grants, permission)).map(([type]) => type),
    ],
    own_except: own.map(([type]) => type),
  }
}

function ownPermissions(types: Deps['types']): ReadonlyMap<string, string> {
  return new Map(
    types.builtIns().flatMap(one => (one.permission ? [[one.type, one.permission] as const] : [])),
  )
}

function namedIn(grants: ReadonlySet<string>, permission: string): string[] {
  const start = `${permission}:`
  return [...grants]
    .filter(grant => grant.startsWith(start) && grant !== `${start}*`)
    .map(grant => grant.slice(start.length))
}
