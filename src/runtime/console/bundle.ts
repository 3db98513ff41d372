/**
 * The files of the console, and the client, in the form that a browser gets. esbuild bundles them at
 * the first visit, in about a tenth of a second. So they do not delay the start, and there is no build step. The names
 * of the files contain a hash of their content. The catalog of operations is made from this
 * platform's own OpenAPI document.
 */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { BuildOptions, OutputFile, Plugin } from 'esbuild'
import { keyedOperations, operationCatalog } from './operation-catalog.ts'
import { ownPlaces } from './own-places.ts'

export type Asset = {
  readonly name: string
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly br: Buffer
}

export type Bundle = { readonly script: Asset; readonly style: Asset }

const folder = fileURLToPath(new URL('../../../console/src/', import.meta.url))
const client = fileURLToPath(new URL('../../../client/src/index.ts', import.meta.url))
const elements = fileURLToPath(new URL('../../../client/elements/main.ts', import.meta.url))
const preact = { jsx: 'automatic', jsxImportSource: 'preact' } as const
const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const

export async function bundleConsole(document: string): Promise<Bundle> {
  const files = await joined(document, {
    entryPoints: { console: `${folder}main.tsx`, style: `${folder}style.css` },
    outdir: 'console',
    ...preact,
  })
  return { script: await asset('js', files), style: await asset('css', files) }
}

/** The typed client as one module, for pages without a build of their own. */
export async function bundleClient(document: string): Promise<Asset> {
  return await asset('js', await joined(document, { entryPoints: { client }, outdir: 'client' }))
}

/** The elements for pages. They load the client only where it is not given to them. */
export async function bundleElements(document: string): Promise<Asset> {
  const entryPoints = { elements }
  const plugins = [besideClient]
  return await asset(
    'js',
    await joined(document, { entryPoints, outdir: 'client', plugins, ...preact }),
  )
}

/** The same for programs, with the names that their errors have in a log. */
export async function joinClient(document: string): Promise<string> {
  const options = { entryPoints: { client }, outdir: 'client', minify: false }
  const [file] = await joined(document, options)
  return file?.text ?? ''
}

let last: Promise<unknown> = Promise.resolve()

/** One at a time, because its end stops esbuild's own process. */
function joined(document: string, options: BuildOptions): Promise<OutputFile[]> {
  const next = last.then(async () => {
    const { build, stop } = await import('esbuild')
    try {
      const { outputFiles } = await build({
        minify: true,
        ...options,
        bundle: true,
        write: false,
        format: 'esm',
        target: 'es2022',
        legalComments: 'none',
        logLevel: 'silent',
        plugins: [...(options.plugins ?? []), operationsPlugin(document)],
      })
      return outputFiles
    } finally {
      await stop()
    }
  })
  last = next.catch(() => undefined)
  return next
}

const besideClient: Plugin = {
  name: 'client',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: './client.js', external: true }))
  },
}

const made: Readonly<Record<string, (document: string) => unknown>> = {
  'dodeca:operations': operationCatalog,
  'dodeca:places': ownPlaces,
}

/**
 * `dodeca:operations` is the catalog of operations, and `dodeca:places` the places of the surfaces of
 * an application. The client gets its list of the operations with a
 * key from the same document, so that both know those of the application too.
 */
function operationsPlugin(document: string): Plugin {
  const namespace = 'operations'
  return {
    name: namespace,
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^dodeca:/ }, ({ path }) => ({ path, namespace }))
      onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: JSON.stringify(made[path]?.(document)),
        loader: 'json',
      }))
      onLoad({ filter: /[/\\]client[/\\]src[/\\]operations\.ts$/ }, () => ({
        contents: `export const keyed = ${JSON.stringify(keyedOperations(document))}`,
        loader: 'js',
      }))
    },
  }
}

async function asset(kind: 'js' | 'css', files: readonly OutputFile[]): Promise<Asset> {
  const file = files.find(({ path }) => path.endsWith(`.${kind}`))
  if (!file) throw new Error(`the bundle has no ${kind} file`)
  const plain = Buffer.from(file.contents)
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16)
  return {
    name: `console-${hash}.${kind}`,
    type: types[kind],
    plain,
    gzip: await promisify(gzip)(plain, { level: 9 }),
    // The first visitor waits for it. Level 11 saves 5 KB more, but takes 0.6 s instead of 0.04.
    br: await promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  }
}
