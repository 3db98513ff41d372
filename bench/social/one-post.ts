/** One post over HTTP, beside its statement in pgbench. */
import { compile } from '../../src/kernel/database/sql.ts'
import { findStatement } from '../../src/surfaces/social/posts/post-view.ts'
import type { Bench } from '../ground/comparison.ts'
import { load, requestText } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { coresNote, ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { inlined, postId, tenant_id, type Ground } from './ground.ts'

const connections = 32
const posts = 1000
const unknown_id = '20000000-0000-7000-8000-000000000000'

export async function onePost({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const { port, pid } = ground.program
  const [reader] = ground.readers
  if (!reader) throw new Error('there is no reader')
  // Posts of people whom the reader blocks, or who are private, are not there for the reader.
  const statement = findStatement({ tenant_id, id: reader.id }, unknown_id)
  if (!compile(statement).values.includes(unknown_id)) throw new Error('the post is not a value')
  const requests: string[] = []
  for (let n = 1; requests.length < posts; n++) {
    const path = `/v1/posts/20000000-0000-7000-8000-${String(n).padStart(12, '0')}`
    const text = requestText({ path, token: reader.who.access_token })
    if ((await reader.who.wire.ask(text)).status === 200) requests.push(text)
  }
  const script = `\\set n random(1, ${posts})\n${inlined(statement).replaceAll(`'${unknown_id}'`, postId(':n'))}`
  const [alone, ours] = await compete(
    [
      {
        name: 'its statement (pgbench)',
        run: () =>
          pgbench({ program, url: ground.database_url, script, clients: connections }, options),
      },
      { name: 'a post', run: () => load({ port, pid, connections, requests }, options) },
    ],
    options.rounds,
  )
  if (!alone || !ours) throw new Error('not everybody was measured')
  return standingsOf(
    'One post with its author, counts and what the reader is to it, 32 connections',
    [alone, ours],
    [ratioVerdict(ours, alone, 0.4)],
    [coresNote(ours, alone)],
  )
}
