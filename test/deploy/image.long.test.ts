/**
 * Images, built and run: the same sources give the same slim image, and what is inside works. The full
 * one is made by the same steps from more packages; `npm run chaos` makes it too.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { login } from '../../client/src/index.ts'
import { emptyDatabase } from '../../src/kernel/database/test/empty-database.ts'
import { pdfOf } from '../../src/surfaces/retrieval/extraction/test/samples.ts'
import { freePort } from '../free-port.ts'
import { eventually } from '../world.ts'
import { can_build, openBuilder, type Image } from './images.ts'
import { newKeys, root, type Environment } from './variables.ts'

const MB = 1_000_000
const administrator = { email: 'admin@example.test', password: 'correct horse battery staple' }
const run = promisify(execFile)

let scratch: string
let builder: ReturnType<typeof openBuilder>
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'dodeca-image-'))
  builder = openBuilder(scratch)
  if (can_build) await builder.makeBase()
}, 120_000)
afterAll(() => rm(scratch, { recursive: true, force: true }), 60_000)

const sizes = [
  { size: 'slim', limit: 240 * MB },
  { size: 'full', limit: 640 * MB },
] as const
const wanted = sizes.filter(({ size }) => size === 'slim' || inject('chaos') === 'full')

describe.skipIf(!can_build).each(wanted)('$size', ({ size, limit }) => {
  let image: Image
  test('is made, and slim is the same when it is made again', async () => {
    image = await make(`${size}-1`)
    const again = size === 'slim' ? await make(`${size}-2`) : image
    expect(again.layers).toEqual(image.layers)
    expect(again.config).toEqual(image.config)
    expect(image.config.Env).toContain('PROFILE=production')
    expect(image.config.Healthcheck.Test[0]).toBe('CMD')
  }, 300_000)

  const make = async (name: string) => {
    const folder = join(scratch, name)
    await run('node', [join(root, 'scripts/image.ts'), size, folder], { maxBuffer: 2 ** 24 })
    const built = await builder.build(folder)
    await rm(folder, { recursive: true })
    return built
  }

  test('works with a root that cannot be written, without a right of the machine', async () => {
    const { mounted, run: enter } = await builder.container(image)
    expect(await bytesOf(mounted)).toBeLessThan(limit)
    const bill = JSON.parse(await readFile(join(mounted, 'app/sbom.json'), 'utf8')) as Bill
    const named = bill.components.map(({ purl }) => purl)
    expect(named).toContain('pkg:npm/node@24.21.0')
    expect(named.some(one => one.includes('lancedb'))).toBe(size === 'full')
    const given = await settings()
    const { child, ended, output } = enter(given.environment, image.config.Cmd)
    const health = async () => {
      const [, ...check] = image.config.Healthcheck.Test
      return (await enter(given.environment, [], check).ended).code
    }
    await eventually(
      `the platform is ready: ${output()}`,
      async () => {
        if (child.exitCode !== null) throw new Error(output())
        return (await fetch(`${given.url}/readyz`).catch(() => null))?.status === 200
      },
      100_000,
    )
    const rights = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8')
    expect(rights).toMatch(/^Uid:\t1000\t/m)
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(rights).toMatch(new RegExp(`^Cap${set}:\\t0+$`, 'm'))
    }
    expect(await health()).toBe(0)
    await useSurfaces(given.url, size)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
    expect(await health()).toBe(1)
    await given.drop()
  }, 240_000)

  test('has the commands, and names what it lacks', async () => {
    const { run: enter } = await builder.container(image)
    expect((await enter({}, ['keys', 'init']).ended).output).toMatch(/^KERNEL_KEYRING=/m)
    if (size === 'full') return
    const given = await settings()
    const start = async (changed: Environment) =>
      await enter({ ...given.environment, ...changed }, ['start']).ended
    const database = await start({ DATABASE_URL: 'embedded' })
    expect(database.code).toBe(1)
    expect(database.output).toMatch(/the slim image has none. Name a PostgreSQL 15 or newer/)
    const engine = await start({ RETRIEVAL_ENGINE: 'lancedb' })
    expect(engine.code).toBe(1)
    expect(engine.output).toMatch(/LanceDB is not installed/)
    await given.drop()
  }, 60_000)
})

type Bill = { readonly components: readonly { readonly purl: string }[] }

async function bytesOf(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter(one => one.isFile())
  const sizes = await Promise.all(files.map(one => stat(join(one.parentPath, one.name))))
  return sizes.reduce((sum, one) => sum + one.size, 0)
}

async function settings() {
  const database = await emptyDatabase()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    ...(await newKeys()),
    DATABASE_URL: overTcp(database.url),
    PORT: String(port),
    PUBLIC_URL: url,
    NOTIFICATIONS_EMAIL_PROVIDERS: 'none',
    NOTIFICATIONS_MAIL_FROM: 'Example <no-reply@example.com>',
    ADMIN_EMAIL: administrator.email,
    ADMIN_PASSWORD: administrator.password,
  }
  return { environment, url, drop: database.drop }
}

/** The socket of the database is not in the other root. */
function overTcp(database_url: string): string {
  const url = new URL(database_url)
  url.searchParams.delete('host')
  return url.toString()
}

/** With the parts that are outside of the bundle: hashes of passwords, pictures, readers of documents. */
async function useSurfaces(url: string, size: 'slim' | 'full'): Promise<void> {
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html, */*' } })
    return { status: answer.status, text: await answer.text() }
  }
  expect((await read('/docs/getting-started')).text).toContain('Getting started')
  const [, script = ''] = /src="([^"]+\.js)"/.exec((await read('/console')).text) ?? []
  expect((await read(script)).status).toBe(200)
  const api = await login({ base_url: url, ...administrator })
  const link = { destination_url: 'https://www.example.com/' }
  expect((await api.POST('/v1/links', { body: link })).response.status).toBe(201)
  const profiles = JSON.stringify((await api.GET('/v1/embedding-profiles')).data)
  expect(profiles.includes('use-512@1')).toBe(size === 'full')
  const { data: papers } = await api.POST('/v1/collections', { body: { name: 'Papers' } })
  const ingest = async (file: File, media_category: 'document' | 'image') => {
    const stored = await api.uploads.put(file, { purpose: 'document_ingest', media_category })
    const params = { path: { collection_id: papers?.id ?? '' } }
    const body = { title: file.name, file_id: stored.id }
    const added = await api.POST('/v1/collections/{collection_id}/documents', { params, body })
    const path = { job_id: added.data?.job_id ?? '' }
    return await eventually('the document is read', async () => {
      const { data } = await api.GET('/v1/ingestion-jobs/{job_id}', { params: { path } })
      return data?.completed_at ? data : false
    })
  }
  const pdf = pdfOf(['An automobile is repaired by a mechanic.'])
  const car = new File([new Uint8Array(pdf)], 'car.pdf', { type: 'application/pdf' })
  expect(await ingest(car, 'document')).toMatchObject({ state: 'succeeded' })
  const query = { collection_ids: [papers?.id ?? ''], query: 'automobile mechanic' }
  const { data: found } = await api.POST('/v1/search', { body: query })
  expect(found).toMatchObject({ degraded: [], data: [{ rank: 1 }] })
  const white = PNG.sync.write(new PNG({ width: 64, height: 64 }))
  const dot = new File([new Uint8Array(white)], 'dot.png', { type: 'image/png' })
  expect(JSON.stringify(await ingest(dot, 'image'))).toContain(
    size === 'full' ? 'empty_document' : 'unsupported_document_type',
  )
}
