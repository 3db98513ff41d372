/**
 * Follow requests. The followed person accepts or rejects them, or all are accepted when the
 * account becomes public.
 */
import { Type, type Static } from 'typebox'
import { again, done, dueQueue, sql, type DueQueue, type Tx } from '#dodeca/kernel'
import { topics, type Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireWriter } from '../people/user-row.ts'
import { Follow } from '../schemas.ts'
import { activated } from './activate.ts'
import { lockPair, now_us } from './pairs.ts'
import { endFollow } from './unfollow.ts'

const Row = Type.Object({ ...Follow.properties, at_us: Type.Integer() })
const chunk = 1000

export async function acceptRequest(tx: Tx, person: Person, follower_id: string): Promise<Follow> {
  const { tenant_id, id } = person
  await requireWriter(tx, person)
  await lockPair(tx, person, follower_id)
  const accepted = await tx.maybe(
    Row,
    sql`
      update social.follows set state = 'active'
      where tenant_id = ${tenant_id} and follower_id = ${follower_id} and followed_id = ${id}
        and state = 'pending'
      returning follower_id, followed_id, state, created_at, ${now_us} as at_us`,
  )
  if (!accepted) throw problem('follow_request_not_found')
  await activated(tx, tenant_id, [accepted])
  const { at_us: _at, ...follow } = accepted
  return follow
}

/** A rejection leaves no row, so that the same person may request again. */
export async function rejectRequest(tx: Tx, person: Person, follower_id: string): Promise<void> {
  const { tenant_id, id: followed_id } = person
  await lockPair(tx, person, follower_id)
  const ended = await endFollow(tx, tenant_id, { follower_id, followed_id }, 'pending')
  if (!ended) throw problem('follow_request_not_found')
}

const Opened = Type.Object({ tenant_id: Type.String(), id: Type.String() })

/** Accepts the requests of an account that became public, in portions, while it is public. */
export function openingsQueue(): DueQueue {
  return dueQueue<typeof Opened>({
    name: topics.openings,
    table: 'social.users',
    key: ['tenant_id', 'id'],
    row: Opened,
    batch: 10,
    concurrency: 2,
    lease_seconds: 60,
    retry: { first: 1, factor: 2, cap: 60 },
    run: () => Promise.resolve(done()),
    finish: async (tx, person) => {
      const more = await openPortion(tx, person)
      return more ? again(0) : undefined
    },
  })
}

async function openPortion(tx: Tx, { tenant_id, id }: Static<typeof Opened>): Promise<boolean> {
  const pairs = await tx.many(
    Row,
    sql`
      update social.follows f set state = 'active'
      from (
        select w.follower_id from social.follows w
        where w.tenant_id = ${tenant_id} and w.followed_id = ${id} and w.state = 'pending'
          and exists (select from social.users u where u.tenant_id = ${tenant_id}
            and u.id = ${id} and u.privacy_state = 'public')
        order by w.created_at, w.follower_id limit ${chunk} for no key update) w
      where f.tenant_id = ${tenant_id} and f.follower_id = w.follower_id and f.followed_id = ${id}
        and f.state = 'pending'
      returning f.follower_id, f.followed_id, f.state, f.created_at, ${now_us} as at_us`,
  )
  await activated(tx, tenant_id, pairs)
  return pairs.length === chunk
}
