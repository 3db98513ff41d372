/** How many clicks of a code the daily sums hold, whatever kind they are of. */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import type { LinkWorld } from './link-world.ts'

type Summing = Pick<LinkWorld, 'platform'>

const Summed = Type.Object({ clicks: Type.Integer() })

export async function summed({ platform }: Summing, code: string): Promise<number> {
  const { clicks } = await platform.kernel.db.one(
    Summed,
    sql`
      select coalesce(sum(clicks + bots), 0)::int as clicks from links.daily_link_stats
      where code = ${code}`,
  )
  return clicks
}

export async function arrived(world: Summing, code: string, count: number): Promise<void> {
  await eventually(`${count} clicks are counted`, async () => (await summed(world, code)) >= count)
}

export const browser = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
}
