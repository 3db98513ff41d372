/**
 * Redirects without a cached link, so that each link is read by key, compared with the same
 * statement in pgbench on the same PostgreSQL. PostgreSQL runs on the server's core for both.
 */
import type { Bench } from '../ground/comparison.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { closeAccount, stored, type Account } from './account.ts'
import { host, links_count, startLinks } from './prepare.ts'
import { connections, wrk } from './wrk.ts'

const path = 'return string.format("/b%06d", n)'

/** As in readTargets, for one key. */
const read_link = `
\\set n random(0, ${links_count - 1})
select l.domain_id, l.code, l.id, l.destination_url, l.state, l.safety_state,
  l.redirect_status, l.scan, l.query, l.cache_seconds, l.edge_cache_seconds,
  l.max_clicks is not null as counted, l.created_at,
  (extract(epoch from l.expires_at - kernel.now()) * 1000)::float8 as life_ms
from links.links l
  join unnest(array['01900000-0000-7000-8000-00000000000a']::uuid[],
    array['b' || lpad(:n::text, 6, '0')]::text[]) as k (domain_id, code) using (domain_id, code);
`

export async function cold(bench: Bench): Promise<Section[]> {
  const { options } = bench
  const program = await findPgbench()
  // The smallest possible cache: one link in a thousand is cached.
  const linked = await startLinks(bench, { LINKS_CACHE_ENTRIES: '100' })
  const { port, pid, url } = linked
  const account: Account = { followed: 0, runs: 0 }
  const ours = async () => {
    const measured = await wrk({ port, pid, path, host, seconds: options.seconds })
    account.followed += measured.completed
    account.runs++
    await stored(linked, account)
    return measured
  }
  await ours()
  const standings = await compete(
    [
      {
        name: 'pgbench',
        run: () => pgbench({ program, url, script: read_link, clients: 16 }, options),
      },
      { name: 'dodeca', run: ours },
    ],
    options.rounds,
  )
  const closing = await closeAccount(linked, account)
  await linked.stop()
  const [limit, dodeca] = standings
  if (!limit || !dodeca) throw new Error('a competitor is missing')
  return [
    standingsOf(
      `No link remembered, clicks recorded, ${connections} connections`,
      standings,
      [ratioVerdict(dodeca, limit, 0.5)],
      [
        'Links that are asked for at the same moment are read by one statement.',
        'PostgreSQL and the server share one core; pgbench has the other for itself.',
      ],
    ),
    closing,
  ]
}
