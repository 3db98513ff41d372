/**
 * What the pipeline costs beside bare HTTP: GET /healthz and an authenticated GET without database,
 * against node:http and Fastify answering the same bytes.
 */
import { sample, startBare } from './ground/bare.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { startPlatform, type Platform } from './ground/platform.ts'
import { costNote, ratioVerdict, standingsOf, type Section } from './ground/report.ts'
import { compete } from './ground/rounds.ts'

const connections = 100

await comparison('http', async bench => {
  const { options, database } = bench
  const database_url = await database.create('http')
  const platform = await startPlatform({ database_url, roles: 'api', profile: options.profile })
  const { token } = platform
  const health = { title: 'GET /healthz', path: '/healthz', target: 1 }
  const limits = {
    title: 'An authenticated GET without database (GET /v1/deprecations)',
    path: '/v1/deprecations',
    target: 0.9,
    token,
  }
  const sections = [await against(bench, platform, health), await against(bench, platform, limits)]
  await platform.stop()
  return sections
})

type Path = { title: string; path: string; target: number; token?: string }

async function against(
  { options }: Bench,
  platform: Platform,
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
  if (!bare || !raw || !ours) throw new Error('nobody competed')
  return standingsOf(
    title,
    [bare, raw, ours],
    [ratioVerdict(ours, raw, target)],
    [costNote(ours, bare), costNote(ours, raw)],
  )
}
