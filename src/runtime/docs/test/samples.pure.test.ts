/** The samples of the reference, read by the programs that they are written for. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ensureGenerated } from '../../../../scripts/generated.mjs'
import { openApiText } from '../../../../scripts/openapi.ts'
import type { Document } from '../reference/document.ts'
import { samplesFromCurl } from '../reference/from-curl.ts'
import { withSamples } from '../reference/samples.ts'
import type { Sample } from '../tabs.ts'

const run = promisify(execFile)
/** All samples together are longer than an argument may be. */
const runOn = (input: string, program: string, args: readonly string[]) => {
  const running = run(program, args)
  running.child.stdin?.end(input)
  return running
}
const root = resolve(import.meta.dirname, '../../../..')
const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find(one => existsSync(one))

type Shown = Readonly<
  Record<string, { operationId: string; requestBody?: object; 'x-codeSamples': Sample[] }>
>

const text = await openApiText()

/** The tabs of the guides, whose requests by curl another test runs. */
async function guideSamples(): Promise<Sample[]> {
  const document = JSON.parse(text) as Document
  const folder = join(root, 'docs/guides')
  const guides = (await readdir(folder)).map(name => readFile(join(folder, name), 'utf8'))
  return (await Promise.all(guides)).flatMap(guide =>
    [...guide.matchAll(/^```sh tabs\n([\s\S]*?)\n```$/gm)].flatMap(([, source = '']) =>
      samplesFromCurl(document, source),
    ),
  )
}

function allSamples(): readonly (Sample & { of: string })[] {
  const { paths } = JSON.parse(withSamples(text)) as { paths: Record<string, Shown> }
  return Object.values(paths).flatMap(item =>
    Object.values(item).flatMap(operation =>
      operation['x-codeSamples'].map(one => ({ ...one, of: operation.operationId })),
    ),
  )
}

const all = allSamples()
const in_guides = await guideSamples()
/** A variable of the shell comes from the step before. */
const variables = in_guides.map(({ source }) => [...source.matchAll(/\$([A-Z]+)/g)])
const names = variables.flat().map(([, name = '']) => name.toLowerCase())
const declared = new Set(names.filter(name => name !== 'api'))
const of = (lang: string) => all.filter(one => one.lang === lang)

test('there is a sample of each operation in each language', () => {
  expect(of('shell').length).toBeGreaterThan(300)
  expect(of('python')).toHaveLength(of('shell').length)
  // The client sends JSON; these bodies are bytes, forms or messages of providers.
  expect(of('shell').length - of('typescript').length).toBe(9)
})

test('the samples in TypeScript fit the types of the client', { timeout: 120_000 }, async () => {
  await ensureGenerated()
  const folder = await mkdtemp(join(root, 'node_modules/.samples-'))
  try {
    const shown = [...of('typescript'), ...in_guides.filter(({ lang }) => lang === 'typescript')]
    const variable_lines = [...declared].map(name => `declare const ${name}: string`)
    const lines = [...variable_lines, ...shown.map(({ source }) => `{\n${source}\nvoid data\n}`)]
    const head = `import { createClient } from '${root}/client/src/index.ts'\nconst api = createClient({ base_url: '' })\n`
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'src/samples.ts'), `${head}${lines.join('\n')}\n`)
    const options = { extends: join(root, 'tsconfig.json'), include: ['src'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['--noEmit', '-p', folder]).catch(
      (error: unknown) => error as { stdout: string },
    )
    expect(stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a guide shows each request in each language, with its variables', () => {
  const labels = in_guides.map(({ label }) => label)
  expect(labels.length).toBeGreaterThan(40)
  const three = ['curl', 'TypeScript', 'Python']
  expect(labels).toEqual(Array.from({ length: labels.length / 3 }, () => three).flat())
  const complete = in_guides.filter(({ source }) => /uploads.*complete/.test(source))
  expect(complete[1]?.source)
    .toBe(`const { data } = await api.POST('/v1/uploads/{upload_id}/complete', {
  params: { path: {
    upload_id: upload
  } },
  body: {
    checksum: sum
  },
})`)
  expect(complete[2]?.source).toContain('/v1/uploads/{upload}/complete"')
})

test('a sample sends the members that belong together', () => {
  const curl = (operation: string) =>
    of('shell')
      .find(one => one.of === operation)
      ?.source.replaceAll(/\s/g, '')
  expect(curl('logIn')).toContain(
    '{"email":"ada@example.com","password":"correcthorsebatterystaple"}',
  )
  expect(curl('createPaymentIntent')).toContain(
    '{"amount":"49.90","currency":"EUR","order_ref":"order-1"}',
  )
})

test('the samples in curl are shell', async () => {
  const script = of('shell').map(({ source }) => source)
  const { stderr } = await runOn(script.join('\n'), 'bash', ['-n'])
  expect(stderr).toBe('')
})

test.skipIf(!python)('the samples in Python are Python', async () => {
  const program = 'import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one)'
  const shown = [...of('python'), ...in_guides.filter(({ lang }) => lang === 'python')]
  const sources = shown.map(({ source }) => source)
  const { stderr } = await runOn(JSON.stringify(sources), python ?? '', ['-c', program])
  expect(stderr).toBe('')
})
