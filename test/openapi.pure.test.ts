/**
 * The published document is valid, is the one that the routes make, and breaks no caller of the version
 * before: the newest release where there is one, else the last commit.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { document_path, openApiText, openProduct } from '../scripts/openapi.ts'
import { incompatibilities, type Document } from './openapi/incompatibilities.ts'

const root = resolve(import.meta.dirname, '..')
const committed = await readFile(resolve(root, document_path), 'utf8')

async function git(...args: string[]): Promise<string | null> {
  const large = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
  return promisify(execFile)('git', args, large).then(
    ({ stdout }) => stdout,
    () => null,
  )
}

/** A copy without history has only the file itself to be held against. */
async function before(): Promise<string> {
  const release = (await git('describe', '--tags', '--abbrev=0', '--match', 'v*'))?.trim()
  return (await git('show', `${release || 'HEAD'}:${document_path}`)) ?? committed
}

const product = await openProduct()
const shown = new Set(Object.keys((JSON.parse(committed) as Document).paths))
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
  test('is the one that the routes make', async () => {
    const made = await openApiText()
    expect(
      committed === made,
      `${document_path} is out of date: run "node scripts/openapi.ts" and commit what it writes`,
    ).toBe(true)
  })

  test('is valid OpenAPI 3.1', async () => {
    const document = JSON.parse(committed) as Record<string, unknown>
    expect(await new Validator().validate(document)).toEqual({ valid: true })
    expect(document['openapi']).toMatch(/^3\.1\./)
  })

  test('names every operation once, and shows no helper of development', () => {
    const { paths } = JSON.parse(committed) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const ids = Object.values(paths).flatMap(item =>
      Object.values(item).map(one => one.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(paths).filter(path => path.startsWith('/dev'))).toEqual([])
  })

  test('declares the replies that have no JSON of a resource', () => {
    const { paths } = JSON.parse(committed) as Document
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
    const { paths } = JSON.parse(committed) as Published
    const deletes = Object.values(paths).flatMap(item => item['delete'] ?? [])
    expect(deletes.length).toBeGreaterThan(20)
    for (const { description, responses } of deletes) {
      expect(description).toContain('A repeat returns 204 as well.')
      expect(Object.keys(responses).filter(status => status < '300')).toEqual(['204'])
    }
  })

  test('shows the cookie, its CSRF token and the limit of each operation', () => {
    const { paths, components } = JSON.parse(committed) as Published
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
    expect(incompatibilities(old, JSON.parse(committed) as Document)).toEqual([])
  })
})
