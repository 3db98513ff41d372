/**
 * Uploads beside what they cost at least: parts against bare node:http with the same guarantees and
 * @tus/server, whole small uploads against Fastify with pg, completion against `cat | sha256sum`,
 * downloads against a bare stream, derivatives against a loop over sharp, and memory while 2 GiB arrive.
 */
import { execFileSync, fork, spawnSync, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { comparison } from './ground/comparison.ts'
import { ask } from './ground/database.ts'
import { residentMegabytes } from './ground/machine.ts'
import { productionEnvironment } from './ground/platform.ts'
import { startProgram, type Program } from './ground/program.ts'
import type { Section } from './ground/report.ts'
import { drain, send } from './uploads/client.ts'
import { contest, timed } from './uploads/contest.ts'
import { derivatives } from './uploads/derivatives.ts'
import { openOurs, type Ours } from './uploads/ours.ts'
import type { Given } from './uploads/rival-process.ts'

const MiB = 1024 * 1024
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

await comparison('uploads', async ({ options, database }) => {
  // The client on one processor; what serves is started on the other.
  if (spawnSync('taskset', ['-V']).status === 0)
    execFileSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-uploads-'))
  const url = await database.create('uploads')
  const rivals: ChildProcess[] = []
  const rival = async (kind: Given['kind']) => {
    const started = await startRival(rivals, {
      kind,
      folder: join(folder, kind),
      database_url: url,
    })
    return `http://127.0.0.1:${started}`
  }
  const program = await startProgram(
    {
      ...productionEnvironment(url),
      ROLES: 'api,worker',
      DATA_DIR: join(folder, 'data'),
      PUBLIC_URL: 'http://dodeca.test',
      IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
      UPLOADS_PART_BYTES: String(64 * MiB),
      UPLOADS_OPEN_PER_PRINCIPAL: '100000',
      UPLOADS_TENANT_QUOTA_BYTES: String(2 ** 50),
    },
    { side: 'server', profile: options.profile },
  )
  await ask(url, 'create table bench_events (data jsonb)')
  try {
    const ours = await openOurs(program)
    return [
      await parts(ours, rival, options.rounds),
      await small(ours, rival, options.rounds),
      await completion(ours, join(folder, 'cat'), options.rounds),
      await downloads(ours, rival, join(folder, 'download'), options.rounds),
      await derivatives(folder, options.rounds),
      await memory(ours, program),
    ]
  } finally {
    await program.stop()
    for (const one of rivals) one.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

async function startRival(all: ChildProcess[], given: Given): Promise<number> {
  const file = fileURLToPath(new URL('./uploads/rival-process.ts', import.meta.url))
  const child = fork(file, [], { stdio: 'inherit' })
  all.push(child)
  if (spawnSync('taskset', ['-V']).status === 0)
    execFileSync('taskset', ['-acp', '0', String(child.pid)], { stdio: 'ignore' })
  child.send(given)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return port
}

async function parts(ours: Ours, rival: (kind: Given['kind']) => Promise<string>, rounds: number) {
  const body = randomBytes(64 * MiB)
  const count = 6
  const [kept, tus, plain] = [await rival('kept'), await rival('tus'), await rival('plain')]
  const bare = (base: string) => () =>
    timed(count, async () => (await send('PUT', `${base}/`, { body })).status === 200)
  return await contest(
    'Parts of 64 MiB, one after another',
    [
      {
        name: 'dodeca',
        run: async () => {
          const { part_urls } = await ours.begin(64 * MiB * count, sha256(Buffer.from('any')))
          return await timed(
            count,
            async n =>
              (await send('PUT', ours.here(part_urls[n]?.url ?? ''), { body })).status === 200,
          )
        },
      },
      { name: 'node:http, hash + sync + rename', run: bare(kept) },
      {
        name: '@tus/server (no hash, no sync)',
        run: () =>
          timed(count, async () => {
            const headers = { 'tus-resumable': '1.0.0', 'upload-length': body.length }
            const made = await send('POST', `${tus}/files`, { headers })
            const to = new URL(String(made.headers['location']), tus)
            const patched = await send('PATCH', `${tus}${to.pathname}`, {
              headers: {
                'tus-resumable': '1.0.0',
                'upload-offset': 0,
                'content-type': 'application/offset+octet-stream',
              },
              body,
            })
            return patched.status === 204
          }),
      },
      { name: 'node:http, no hash, no sync', run: bare(plain) },
    ],
    rounds,
    [0.9, 1, 0.6],
    [],
  )
}

async function small(ours: Ours, rival: (kind: Given['kind']) => Promise<string>, rounds: number) {
  const body = randomBytes(64 * 1024)
  const checksum = sha256(body)
  const base = await rival('small')
  const json = { 'content-type': 'application/json' }
  return await contest(
    'Whole uploads of 64 KiB: begin, one part, complete',
    [
      {
        name: 'dodeca',
        run: () =>
          timed(100, async () => {
            const { id, upload_url } = await ours.begin(body.length, checksum)
            await send('PUT', ours.here(upload_url), { body })
            return (await ours.complete(id, 1)).file_id !== null
          }),
      },
      {
        name: 'Fastify + pg, same statements and file steps',
        run: () =>
          timed(100, async () => {
            const asked = JSON.stringify({ size: body.length, checksum })
            const made = await send('POST', `${base}/uploads`, { headers: json, body: asked })
            const { id } = JSON.parse(made.body) as { id: string }
            await send('PUT', `${base}/parts/${id}`, { body })
            return (await send('POST', `${base}/complete/${id}`, {})).status === 200
          }),
      },
    ],
    rounds,
    [0.8],
    ['Ours also scans and publishes each file meanwhile, in the same process and a child of it.'],
  )
}

async function completion(ours: Ours, folder: string, rounds: number) {
  const part = randomBytes(64 * MiB)
  const count = 16
  const hash = createHash('sha256')
  for (let n = 0; n < count; n++) hash.update(part)
  const checksum = hash.digest('hex')
  await mkdir(folder, { recursive: true })
  for (let n = 0; n < count; n++) await writeFile(join(folder, `part-${n + 10}`), part)
  return await contest(
    'Completion of 1 GiB in 64 MiB parts',
    [
      {
        name: 'dodeca',
        run: async () => {
          const { id, part_urls } = await ours.begin(part.length * count, checksum)
          for (const { url } of part_urls) await send('PUT', ours.here(url), { body: part })
          const measured = await timed(1, async () => {
            const { file_id } = await ours.complete(id, count)
            return file_id !== null
          })
          return measured
        },
      },
      {
        name: 'cat parts | tee out | sha256sum; sync out',
        run: () =>
          timed(1, async () => {
            const script = `cat part-* | tee out | sha256sum && sync out`
            const { stdout } = spawnSync('bash', ['-c', script], { cwd: folder })
            return await Promise.resolve(String(stdout).startsWith(checksum))
          }),
      },
    ],
    rounds,
    [0.8],
    [],
  )
}

async function downloads(
  ours: Ours,
  rival: (kind: Given['kind']) => Promise<string>,
  folder: string,
  rounds: number,
) {
  const body = randomBytes(64 * MiB)
  const { id, upload_url } = await ours.begin(body.length, sha256(body))
  await send('PUT', ours.here(upload_url), { body })
  const { file_id } = await ours.complete(id, 1)
  const file = () => ours.api<{ state: string }>('GET', `/v1/files/${file_id}`)
  while ((await file()).state === 'uploaded') await new Promise(resolve => setTimeout(resolve, 100))
  const path = `/v1/files/${file_id}/download-url?expires_in=3600`
  const { url } = await ours.api<{ url: string }>('GET', path)
  const base = await rival('download')
  await writeFile(join(folder, 'file'), body)
  const from = (address: string) => () =>
    timed(10, async () => (await drain(address)) === body.length)
  return await contest(
    'Downloads of 64 MiB',
    [
      { name: 'dodeca', run: from(ours.here(url)) },
      { name: 'node:http, a file stream', run: from(`${base}/file`) },
    ],
    rounds,
    [0.85],
    [],
  )
}

async function memory(ours: Ours, { pid }: Program): Promise<Section> {
  const body = randomBytes(64 * MiB)
  const { part_urls } = await ours.begin(64 * MiB * 32, sha256(Buffer.from('any')))
  await send('PUT', ours.here(part_urls[0]?.url ?? ''), { body })
  const before = (await residentMegabytes(pid)) ?? 0
  let most = before
  const looking = setInterval(() => {
    void residentMegabytes(pid).then(now => (most = Math.max(most, now ?? 0)))
  }, 50)
  const waiting = [...part_urls]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let one = waiting.shift(); one; one = waiting.shift())
        await send('PUT', ours.here(one.url), { body })
    }),
  )
  clearInterval(looking)
  return {
    title: 'Memory while 2 GiB arrive, eight parts at once',
    columns: ['', 'MiB'],
    rows: [
      ['before', before.toFixed(0)],
      ['most', most.toFixed(0)],
    ],
    verdicts: [
      { says: 'growth', reached: most - before, target: 64, unit: 'MiB', wanted: 'at most' },
    ],
    notes: [],
  }
}
