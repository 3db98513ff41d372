/**
 * The dependencies that the use cases of social share, and the faces of other surfaces that social
 * calls.
 */
import type { Principal } from '#dodeca/kernel'
import type { Inside as Identity } from '../identity/face.ts'
import type { Inside as Jobs } from '../jobs/face.ts'
import type { Inside as Messages } from '../notifications/face.ts'
import type { Inside as Files } from '../uploads/face.ts'
import { problem } from './errors.ts'
import type { Kernel } from './settings.ts'

export type Needs = {
  readonly people: Pick<Identity, 'membersOf'>
  readonly jobs: Pick<Jobs, 'activities' | 'pauseFence'>
  readonly files: Pick<Files, 'plugReaders' | 'requireAvailable'>
  readonly messages: Pick<Messages, 'notifyAll'>
}

export type Deps = Needs & { readonly kernel: Kernel }

/** A lever to pause everything that writes feeds. Reads are still correct while it is paused. */
export const fanout_activity = 'social.feed_fanout'

export const topics = {
  fanouts: 'social.fanouts',
  backfills: 'social.backfills',
  rebuilds: 'social.feed_rebuilds',
  openings: 'social.openings',
  counters: 'social.counters',
} as const

/** A person of a tenant: the caller, or a person whom a request names. */
export type Person = { readonly tenant_id: string; readonly id: string }

/** An API key is not a person, so it cannot follow or post. */
export function personOf({ kind, tenant_id, id }: Principal): Person {
  if (kind === 'account') return { tenant_id, id }
  throw problem('permission_denied', {
    detail: 'API keys have no profile. Use an access token of a person.',
  })
}

/** The caller, named by `me` or by their own id. */
export function selfIn(principal: Principal, user_id: string): Person {
  const person = personOf(principal)
  if (user_id === 'me' || user_id === person.id) return person
  throw problem('permission_denied', {
    detail: 'You can do this for your own account only. Use `me` or your own id in the path.',
  })
}

/** The person in a path. This person may be the caller. */
export function idIn({ id }: Person, user_id: string): string {
  return user_id === 'me' ? id : user_id.toLowerCase()
}
