/**
 * What the pipeline of the product costs beside bare HTTP: GET /healthz and a GET of a person who is
 * logged in, against node:http and Fastify answering the same bytes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sample, startBare } from './ground/bare.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { makePeople, startProduct } from './ground/product.ts'
import type { Program } from './ground/program.ts'
import { costNote, ratioVerdict, standingsOf, type Section } from './ground/report.ts'
import { compete } from './ground/rounds.ts'

const connections = 100

await comparison('http', async bench => {
  const { options, database } = bench
  const database_url = await database.create('http')
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-http-'))
  const how = { side: 'server', profile: options.profile, roles: 'api' } as const
  const platform = await startProduct(database_url, folder, how)
  const [person] = await makePeople(platform.port, 1)
  if (!person) throw new Error('no person')
  person.wire.close()
  const health = { title: 'GET /healthz', path: '/healthz', target: 1 }
  const limits = {
    title: 'A GET without database under an access token (GET /v1/deprecations)',
    path: '/v1/deprecations',
    target: 0.9,
    token: person.access_token,
  }
  const sections = [await against(bench, platform, health), await against(bench, platform, limits)]
  await platform.stop()
  await rm(folder, { recursive: true, force: true })
  return sections
})

type Path = { title: string; path: string; target: number; token?: string }

async function against(
  { options }: Bench,
  platform: Program,
  { title, path, target, token }: Path,
): Promise<Section> {
  const answer = await sample(platform.port, path, token)
  const node = await startBare({ kind: 'node', ...answer })
  const fastify = await startBare({ kind: 'fastify', ...answer })
  const requests = [requestText({ path, ...(token ? { token } : {}) })]
  const contender = (name: string, { port, pid }: { port: number; pid: number | undefined }) => ({
    name,
    run: () => load({ port, pid, connections, requests }, options),
  })
  const [bare, raw, ours] = await compete(
    [contender('node:http', node), contender('fastify', fastify), contender('dodeca', platform)],
    options.rounds,
  )
  await node.stop()
  await fastify.stop()
  if (!bare || !raw || !ours) throw new Error('not everything was measured')
  return standingsOf(
    title,
    [bare, raw, ours],
    [ratioVerdict(ours, raw, target)],
    [costNote(ours, bare), costNote(ours, raw)],
  )
}
