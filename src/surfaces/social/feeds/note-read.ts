/**
 * The effects of a read. A feed that is read is kept ready. Collecting a feed from its authors is
 * rate limited.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { topics, type Deps, type Person } from '../deps.ts'
import type { FeedPage } from './read-feed.ts'

export async function noteRead(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  { tenant_id, id }: Person,
  { warm, rested }: Pick<FeedPage, 'warm' | 'rested'>,
): Promise<void> {
  if (warm === false) {
    // Committed before the feed is built, so that posts from now on are pushed.
    await db.tx(async tx => {
      const begun = await tx.run(sql`
        insert into social.feed_state as s (tenant_id, user_id, state, due_at)
        values (${tenant_id}, ${id}, 'building', kernel.now())
        on conflict (tenant_id, user_id) do update
        set state = 'building', due_at = excluded.due_at, attempts = 0, last_read_at = kernel.now()
        where s.state = 'cold'`)
      if (begun > 0) tx.wake(topics.rebuilds)
    })
  } else if (rested) {
    await db.run(sql`
      update social.feed_state set last_read_at = kernel.now()
      where tenant_id = ${tenant_id} and user_id = ${id}`)
  }
}

const Followees = Type.Object({ n: Type.Integer() })
/** A page costs one unit for this number of authors. */
const authors_per_unit = 500
const free_below = 100

/** Charges the rounds of one request that collect from authors. One request is charged once. */
export function chargePull({ kernel }: Pick<Deps, 'kernel'>, { tenant_id, id }: Person) {
  let charged = false
  return async (): Promise<void> => {
    if (charged) return
    charged = true
    const { n } = await kernel.db.one(
      Followees,
      sql`
        select count(*)::int as n from social.follows
        where tenant_id = ${tenant_id} and follower_id = ${id} and state = 'active'`,
    )
    if (n < free_below) return
    const many = kernel.settings['social.pull_units_per_minute']
    await kernel.take(kernel.db, [{ name: 'social.pull', of: id, many, per_seconds: 60 }], {
      cost: n / authors_per_unit,
    })
  }
}
