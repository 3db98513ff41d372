/**
 * The client as a package of npm, of this version and with the operations of this platform. It needs
 * no other package. Every process makes the same bytes, because times, owners and the order of the
 * files are fixed.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { problem } from '#dodeca/kernel'

export type ClientPackage = { readonly name: string; readonly bytes: Buffer; readonly etag: string }

const folder = new URL('../../../client/', import.meta.url)

/** The declarations, by their files. A checkout has them when its generated files were made. */
export async function readTypes(): Promise<Record<string, string>> {
  const read = (name: string) => readFile(new URL(`src/${name}`, folder), 'utf8')
  try {
    const declared = JSON.parse(await read('declarations.json')) as Record<string, string>
    return { ...declared, 'dist/schema.d.ts': await read('schema.d.ts') }
  } catch (cause) {
    const detail =
      'This platform has no types of the client. Run `npm run generate` where it is built.'
    throw problem('not_found', { detail }, { cause })
  }
}

/** `script` is the client with its packages, as JavaScript. */
export async function clientPackage(
  script: string,
  types: Readonly<Record<string, string>>,
): Promise<ClientPackage> {
  const read = (path: string) => readFile(new URL(path, folder), 'utf8')
  const described = JSON.parse(await read('package.json')) as Record<string, unknown>
  const files: Record<string, string> = {
    'package.json': `${JSON.stringify(published(described), null, 2)}\n`,
    'README.md': withoutLinks(await read('README.md')),
    LICENSE: await read('../LICENSE'),
    'dist/index.js': script,
    ...types,
  }
  const archive = pack()
  for (const path of Object.keys(files).toSorted()) {
    archive.entry({ name: `package/${path}`, mtime: new Date(0), mode: 0o644 }, files[path] ?? '')
  }
  archive.finalize()
  const bytes = await buffer(archive.pipe(createGzip({ level: 9 })))
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { name: `dodeca-client-${String(described['version'])}.tgz`, bytes, etag }
}

/** The pages are at the platform, whose address is not in the package: it is the same for all. */
function withoutLinks(readme: string): string {
  return readme.replaceAll(
    /\[([^\]]+)\]\(\.\.\/(docs\/[^)#]+)\.md(#[^)]*)?\)/g,
    (_, text: string, page: string, anchor = '') =>
      `${text} (\`/${page}${anchor}\` of the platform)`,
  )
}

/** What it depends on is in `dist/index.js`, so nothing is installed beside it. */
function published(described: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const left_out = new Set(['scripts', 'dependencies', 'devDependencies', 'files'])
  return Object.fromEntries(Object.entries(described).filter(([name]) => !left_out.has(name)))
}
