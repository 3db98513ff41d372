/**
 * The published document is valid, and breaks no caller of the version before: the newest release where
 * there is one, else the last commit. What is in git of it is what the routes make.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { ensureGenerated, tracked } from '../scripts/generated.mjs'
import { openProduct } from '../scripts/openapi.ts'
import { incompatibilities, type Document } from './openapi/incompatibilities.ts'

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)
const git = (...args: string[]) => run('git', args, { cwd: root })

/** What the document is made from. */
const sources = ['package.json', 'scripts/openapi.ts', 'src', ':(exclude,glob)**/test/**']
const print = `const { openProduct } = await import('./scripts/openapi.ts')
const product = await openProduct()
process.stdout.write(product.document())
await product.stop()`

/** A copy without history, or without a change since then, has only itself to be compared with. */
async function before(): Promise<string> {
  const release = await git('describe', '--tags', '--abbrev=0', '--match', 'v*').then(
    ({ stdout }) => stdout.trim(),
    () => 'HEAD',
  )
  const changed = await git('diff', '--name-only', release, '--', ...sources).catch(() => null)
  return changed?.stdout ? documentOf(release) : made
}

async function documentOf(release: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-document-'))
  try {
    await git('archive', '--output', join(folder, 'sources.tar'), release, ...sources)
    await run('tar', ['-xf', 'sources.tar'], { cwd: folder })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 }
    const program = ['--input-type=module', '-e', print]
    return (await run(process.execPath, program, options)).stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

const product = await openProduct()
const made = product.document()
const shown = new Set(Object.keys((JSON.parse(made) as Document).paths))
const published = product.routes.filter(({ path }) => shown.has(path))
await product.stop()
const operation = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

type Published = {
  readonly paths: Record<string, Record<string, PublishedOperation>>
  readonly components: { readonly securitySchemes: object }
}
type PublishedOperation = {
  readonly description: string
  readonly security?: readonly object[]
  readonly responses: Record<string, unknown>
}
type Declared = { readonly headers?: Record<string, unknown> }

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const document = JSON.parse(made) as Record<string, unknown>
    expect(await new Validator().validate(document)).toEqual({ valid: true })
    expect(document['openapi']).toMatch(/^3\.1\./)
  })

  test('names every operation once, and shows no helper of development', () => {
    const { paths } = JSON.parse(made) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const ids = Object.values(paths).flatMap(item =>
      Object.values(item).map(one => one.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(paths).filter(path => path.startsWith('/dev'))).toEqual([])
  })

  test('declares the replies that have no JSON of a resource', () => {
    const { paths } = JSON.parse(made) as Document
    const gets = Object.entries(paths).flatMap(([path, { get }]) =>
      get ? [{ path, responses: get.responses as Record<string, Declared> }] : [],
    )
    const tagged = gets.filter(({ responses }) => responses['200']?.headers?.['ETag'])
    expect(tagged.length).toBeGreaterThan(20)
    expect(tagged.flatMap(({ path, responses }) => (responses['304'] ? [] : [path]))).toEqual([])
    const at = (path: string, status: string) => paths[path]?.['get']?.responses[status]?.content
    expect(Object.keys(at('/{code}', '404') ?? {})).toContain('text/html')
    expect(at('/openapi.json', '200')?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/OpenApiDocument',
    })
  })

  test('takes the name of every operation from its route', async () => {
    const nameless = published.filter(({ name }) => name === undefined)
    expect(nameless.map(operation)).toEqual([])
  })

  test('declares the Location of accepted work, and of what can be read afterwards', () => {
    const reads = published.filter(({ method }) => method === 'GET').map(({ path }) => path)
    const readable = (path: string) =>
      reads.some(read => read.startsWith(`${path}/{`) && !read.slice(path.length + 1).includes('/'))
    const located = published.filter(
      // A provider gets the 2xx that its documentation names, and reads nothing afterwards.
      ({ method, path, replies, consumes }) =>
        (replies[202] !== undefined && consumes !== 'raw') ||
        (method === 'POST' && replies[201] !== undefined && readable(path)),
    )
    expect(located.length).toBeGreaterThan(40)
    const silent = located.filter(({ sends }) => !sends?.includes('location'))
    expect(silent.map(operation)).toEqual([])
  })

  test('says of every DELETE that a repeat is 204 too', () => {
    const { paths } = JSON.parse(made) as Published
    const deletes = Object.values(paths).flatMap(item => item['delete'] ?? [])
    expect(deletes.length).toBeGreaterThan(20)
    for (const { description, responses } of deletes) {
      expect(description).toContain('A repeat returns 204 as well.')
      expect(Object.keys(responses).filter(status => status < '300')).toEqual(['204'])
    }
  })

  test('shows the cookie, its CSRF token and the limit of each operation', () => {
    const { paths, components } = JSON.parse(made) as Published
    const unlike = published.filter(route => {
      const { security, responses } = paths[route.path]?.[route.method.toLowerCase()] ?? {}
      const cookie = security?.find(one => 'cookie' in one)
      const guarded = route.permission !== 'public'
      const safe = route.method === 'GET'
      const complete = !guarded || (cookie && 'csrf_token' in cookie === !safe)
      return !complete || (responses?.['429'] === undefined) !== (route.always === true)
    })
    expect(unlike.map(operation)).toEqual([])
    expect(Object.keys(components.securitySchemes)).toEqual(
      expect.arrayContaining(['bearer', 'cookie', 'csrf_token']),
    )
  })

  test('breaks no caller of the version before', async () => {
    const old = JSON.parse(await before()) as Document
    expect(incompatibilities(old, JSON.parse(made) as Document)).toEqual([])
  })

  test.each(Object.entries(tracked))(
    'makes %s as it is in git; else run npm run generate and commit what it writes',
    async (name, path) => {
      const text = await readFile(join(await ensureGenerated(), name), 'utf8')
      expect(await readFile(resolve(root, path), 'utf8')).toBe(text)
    },
  )
})
