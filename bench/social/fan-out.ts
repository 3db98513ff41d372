/** Posts of an author with 5,000 followers whose feeds are kept, pushed by the queue, beside a plain insert. */
import { newId } from '#dodeca/kernel'
import { drainQueue } from '../../src/kernel/work/run-queue.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, type Measure } from '../ground/rounds.ts'
import { personId, tenant_id, type Ground } from './ground.ts'

const followers = 5000
const posts = 40
const chunk = 1000
const clients = 4

export async function fanOut({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const url = ground.database_url
  await prepare(url)
  return await ground.within(async ({ platform: { kernel, opened } }) => {
    const queue = opened['social']?.queues?.find(one => one.name === 'social.fanouts')
    if (!queue) throw new Error('there is no queue of fan-outs')
    const pushed = async (): Promise<Measure> => {
      for (let n = 0; n < posts; n++) await pendingPost(url)
      const began = performance.now()
      await drainQueue(kernel, queue)
      const seconds = (performance.now() - began) / 1000
      const p50_ms = (seconds * 1000) / posts
      return {
        per_second: (posts * followers) / seconds,
        p50_ms,
        p99_ms: p50_ms,
        cpu_us: null,
        unexpected: 0,
      }
    }
    const plain = async (): Promise<Measure> => {
      const script = `\\set n random(1, 9000000000000)
insert into bench_entries (tenant_id, user_id, rank_or_time, post_id, source_author_id) select '${tenant_id}', ${personId('k')}, :n, gen_random_uuid(), ${personId('1')} from generate_series(1, ${chunk}) k;
`
      const measured = await pgbench({ program, url, script, clients }, options)
      return { ...measured, per_second: measured.per_second * chunk }
    }
    const standings = await compete(
      [
        { name: 'insert from a series (pgbench)', run: plain },
        { name: 'fan-out', run: pushed },
      ],
      options.rounds,
    )
    const [alone, ours] = standings
    if (!alone || !ours) throw new Error('not everybody was measured')
    return standingsOf(
      `Entries a second: ${posts} posts to ${followers} followers each, ${clients} at once, ${chunk} in a commit`,
      standings,
      [
        ratioVerdict(ours, alone, 0.6),
        {
          says: 'entries a second',
          reached: ours.per_second,
          target: 40_000,
          unit: '',
          wanted: 'at least',
        },
      ],
      ['The times of the fan-out are those of one post. The series goes into an identical table.'],
    )
  })
}

async function prepare(url: string): Promise<void> {
  const star = personId('5000')
  await ask(
    url,
    `
    insert into social.follows (tenant_id, follower_id, followed_id, state)
    select '${tenant_id}', ${personId('n')}, ${star}, 'active'
    from generate_series(1, ${followers}) n where n <> 5000 on conflict do nothing;
    insert into social.feed_state (tenant_id, user_id, state)
    select '${tenant_id}', ${personId('n')}, 'warm' from generate_series(1, ${followers}) n
    on conflict do nothing;
    create table bench_entries (like social.feed_entries including all) partition by hash (user_id);
    do $$ begin
      for part in 0..15 loop
        execute format('create table bench_entries_%s partition of bench_entries
          for values with (modulus 16, remainder %s) with (fillfactor = 90)', part, part);
      end loop;
    end $$;`,
  )
}

/** Due far in the future, so that only the measured drain takes it. */
async function pendingPost(url: string): Promise<void> {
  await ask(
    url,
    `insert into social.posts (tenant_id, id, author_id, visibility, created_at, rank_or_time,
       fanout_state, due_at)
     select '${tenant_id}', '${newId()}', ${personId('5000')}, 'public', now(),
       (extract(epoch from clock_timestamp()) * 1000000)::bigint, 'pending', kernel.now()`,
  )
}
