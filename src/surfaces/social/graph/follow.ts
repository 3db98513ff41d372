/**
 * Follows a person. The follow is immediate if the account is public; otherwise a request is made.
 * A repeated follow changes nothing.
 */
import { Type, type Static } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireTarget, requireWriter } from '../people/user-row.ts'
import { Follow } from '../schemas.ts'
import { activated, announceFollow } from './activate.ts'
import { lockPair, now_us } from './pairs.ts'

const Row = Type.Object({ ...Follow.properties, at_us: Type.Integer() })
type Row = Static<typeof Row>
const Counts = Type.Object({ active: Type.Integer(), pending: Type.Integer() })

export async function follow(
  tx: Tx,
  deps: Deps,
  follower: Person,
  followed_id: string,
): Promise<Follow> {
  const { tenant_id, id: follower_id } = follower
  if (followed_id === follower_id) throw problem('cannot_follow_self')
  await requireWriter(tx, follower)
  // A read of the target before the lock would miss a block that commits meanwhile.
  await lockPair(tx, follower, followed_id)
  const target = await requireTarget(tx, deps, follower, followed_id)
  if (target.blocked_by_viewer) {
    throw problem('blocked_by_you', { detail: 'End the block first.' })
  }
  const open = target.privacy_state === 'public'
  const known = await tx.maybe(Row, followStatement(tenant_id, follower_id, followed_id))
  if (known && (known.state === 'active' || !open)) return shown(known)
  if (!known) await requireRoom(tx, deps, follower, open)
  const state = open ? 'active' : 'pending'
  // The queue of openings does not lock the pair: it may have accepted the request since.
  const made = await tx.maybe(
    Row,
    sql`
      insert into social.follows as f (tenant_id, follower_id, followed_id, state)
      values (${tenant_id}, ${follower_id}, ${followed_id}, ${state})
      on conflict (tenant_id, follower_id, followed_id) do update set state = excluded.state
        where f.state <> 'active'
      returning follower_id, followed_id, state, created_at, ${now_us} as at_us`,
  )
  if (!made) return shown(await tx.one(Row, followStatement(tenant_id, follower_id, followed_id)))
  if (open) await activated(tx, tenant_id, [made])
  else announceFollow(tx, 'follow.requested', tenant_id, made)
  return shown(made)
}

function shown({ at_us: _at, ...follow }: Row): Follow {
  return follow
}

function followStatement(tenant_id: string, follower_id: string, followed_id: string) {
  return sql`
    select follower_id, followed_id, state, created_at, ${now_us} as at_us from social.follows
    where tenant_id = ${tenant_id} and follower_id = ${follower_id}
      and followed_id = ${followed_id}`
}

/**
 * Limits new follows. A repeated follow does not count. The follows of one person are counted one
 * after another until the commit, so that simultaneous follows keep the limit.
 */
async function requireRoom(
  tx: Tx,
  { kernel: { settings, take } }: Pick<Deps, 'kernel'>,
  { tenant_id, id }: Person,
  open: boolean,
): Promise<void> {
  const key = `social.follower ${tenant_id} ${id}`
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
  const { active, pending } = await tx.one(
    Counts,
    sql`
      select count(*) filter (where state = 'active')::int as active,
        count(*) filter (where state = 'pending')::int as pending
      from social.follows where tenant_id = ${tenant_id} and follower_id = ${id}`,
  )
  const most = settings[open ? 'social.follows' : 'social.follow_requests']
  if ((open ? active : pending) >= most) {
    const what = open ? 'follows' : 'follow requests that wait'
    throw problem('follow_limit_reached', {
      detail: `At most ${most} ${what} are allowed. End some of them first.`,
    })
  }
  const of = id
  await take(tx, [
    { name: 'social.follows', of, many: settings['social.follows_per_minute'], per_seconds: 60 },
    {
      name: 'social.follows_day',
      of,
      many: settings['social.follows_per_day'],
      per_seconds: 86_400,
    },
  ])
}
