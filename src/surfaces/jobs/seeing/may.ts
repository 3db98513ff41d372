/**
 * Who may do what with a job, always within the tenant. A permission is held for types; and whoever
 * submitted a job may see it, cancel it and fetch its result with the permission that they submitted it
 * with: that of the surface whose work it is, or the one to submit its type.
 */
import { allowsSome, allowsType } from '../../../kernel/access/permissions.ts'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Deps } from '../deps.ts'

export type Act =
  | 'jobs.jobs.read'
  | 'jobs.jobs.cancel'
  | 'jobs.results.read'
  | 'jobs.jobs.retry'
  | 'jobs.jobs.update'

export type Caller = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

/** What a submitter keeps; retrying and reordering are for those who hold them. */
const kept: ReadonlySet<Act> = new Set(['jobs.jobs.read', 'jobs.jobs.cancel', 'jobs.results.read'])
const submit = 'jobs.jobs.submit'

type Job = { readonly type: string; readonly principal_id: string }

export function may(
  { types }: Pick<Deps, 'types'>,
  grants: ReadonlySet<string>,
  principal: Principal,
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
  /** Own jobs of every type but these, and of these. */
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
