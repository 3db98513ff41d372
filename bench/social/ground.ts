/**
 * The program as it is started, and a network in it: 10,000 people of whom 2 % are private and 1 % are blocked
 * by each reader, 200,000 posts whose authors follow Zipf's law, and readers with 50, 500 and 2,000 followed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { composition } from '../../src/platform.ts'
import { start, type Running } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import type { Sql } from '#dodeca/kernel'
import { compile } from '../../src/kernel/database/sql.ts'
import type { Bench } from '../ground/comparison.ts'
import { analyzeFilled, ask } from '../ground/database.ts'
import { requestText } from '../ground/load.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { makePeople, type LoggedIn } from '../ground/product.ts'
import { startProgram, type Program } from '../ground/program.ts'

export const tenant_id = '01900000-0000-7000-8000-000000000001'
const people_count = 10_000
const posts_count = 200_000
const followed = [50, 500, 2000]

export type Reader = { readonly who: LoggedIn; readonly id: string; readonly followed: number }
export type Ground = {
  readonly database_url: string
  readonly program: Program
  readonly readers: readonly Reader[]
  /** Another platform on the same database, in this process, without workers. */
  within<T>(work: (running: Running) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export const personId = (n: string) =>
  `('10000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`
export const postId = (n: string) =>
  `('20000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`

export async function openGround({ database, options }: Bench): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-social-'))
  const database_url = await database.create('social')
  const environment = {
    ...productionEnvironment(database_url),
    DATA_DIR: folder,
    PUBLIC_URL: 'http://dodeca.test',
    KERNEL_SANDBOX: 'false',
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
    IDENTITY_HASH_QUEUE: '1000',
    IDENTITY_HASH_WAIT_MS: '30000',
  }
  const program = await startProgram(environment, { side: 'server', profile: options.profile })
  const people = await makePeople(program.port, followed.length)
  const readers: Reader[] = []
  for (const [at, who] of people.entries()) {
    const { body } = await who.wire.ask(
      requestText({ path: '/v1/users/me', token: who.access_token }),
    )
    const { id } = JSON.parse(body) as { id: string }
    readers.push({ who, id, followed: followed[at] ?? 0 })
  }
  await fill(database_url, readers)
  for (const { who } of readers) await warm(database_url, who)
  return {
    database_url,
    program,
    readers,
    within: async work => {
      const config = loadConfig({}, { ...environment, ROLES: 'api', PORT: '0' })
      const running = await start(config, () => {}, composition)
      try {
        return await work(running)
      } finally {
        await running.stop()
      }
    },
    close: async () => {
      for (const { who } of readers) who.wire.close()
      await program.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function fill(url: string, readers: readonly Reader[]): Promise<void> {
  // The square spreads authors so that a hundredth of the people have a tenth of the posts.
  const author = `floor(${people_count} * power((n::bigint * 7919 % ${posts_count}) / ${posts_count}.0, 2))::int + 1`
  const statements = [
    `insert into social.users (tenant_id, id, handle, display_name, privacy_state)
      select '${tenant_id}', ${personId('n')}, 'person_' || n, 'Person ' || n,
        case when n % 50 = 0 then 'private' else 'public' end
      from generate_series(1, ${people_count}) n`,
    `insert into social.post_bodies (tenant_id, id, post_id, body)
      select '${tenant_id}', ${postId('n')}, ${postId('n')}, repeat('A post with some words. ', 5)
      from generate_series(1, ${posts_count}) n`,
    `insert into social.posts (tenant_id, id, author_id, body_ref, visibility, created_at,
        rank_or_time, fanout_state)
      select '${tenant_id}', ${postId('n')}, ${personId(author)}, ${postId('n')}, 'public', m.at,
        (extract(epoch from m.at) * 1000000)::bigint, 'done'
      from generate_series(1, ${posts_count}) n
      cross join lateral (select now() - n * interval '30 seconds' as at) m`,
    `insert into social.follows (tenant_id, follower_id, followed_id, state)
      select '${tenant_id}', ${personId('n')}, ${personId(`(n + k * k * 37) % ${people_count} + 1`)}, 'active'
      from generate_series(1, ${people_count}) n, generate_series(1, 20) k
      where (n + k * k * 37) % ${people_count} + 1 <> n on conflict do nothing`,
    ...readers.flatMap(({ id, followed: count }) => [
      `insert into social.follows (tenant_id, follower_id, followed_id, state)
        select '${tenant_id}', '${id}', ${personId(`1 + (n * ${Math.floor(people_count / count)}) % ${people_count}`)}, 'active'
        from generate_series(1, ${count}) n on conflict do nothing`,
      `insert into social.blocks (tenant_id, blocker_id, blocked_id)
        select '${tenant_id}', '${id}', ${personId('n')} from generate_series(7, ${people_count}, 100) n`,
    ]),
    // The indexes that Bluesky's statements have for their feed_item.
    `create index bench_newest on social.posts (tenant_id, rank_or_time, id)`,
    `create index bench_author on social.posts (tenant_id, author_id, rank_or_time, id)`,
  ]
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('set synchronous_commit = off')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
  await analyzeFilled(url)
}

async function warm(url: string, { access_token, wire }: LoggedIn): Promise<void> {
  const path = requestText({ path: '/v1/feed', token: access_token })
  await wire.ask(path)
  for (let waited = 0; waited < 600; waited++) {
    const [row] = await ask(
      url,
      `select count(*)::int as n from social.feed_state where state <> 'warm'`,
    )
    if (row?.['n'] === 0) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('a feed did not become warm')
}

/** A statement as pgbench runs it: with its values in it. */
export function inlined(statement: Sql): string {
  const { text, values } = compile(statement)
  return `${text
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$(\d+)/g, (_all, n: string) => {
      const value = values[Number(n) - 1]
      return typeof value === 'number' ? String(value) : `'${String(value)}'`
    })
    .replaceAll(/\s+/g, ' ')
    .trim()};\n`
}
