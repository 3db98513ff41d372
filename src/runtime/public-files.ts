/**
 * The files of an application's front end. They are read at the start, and each request gets one of
 * them by its exact path: nothing else of the disk can be reached. In development the file of a
 * request is compared with the disk, so that a change is seen without a restart.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { codeOf, limit, StartError } from '#dodeca/kernel'

/** `dir` is absolute. */
export type PublicFolder = { readonly dir: string; readonly csp: string | undefined }

export type PublicFile = {
  readonly bytes: Buffer
  readonly changed_ms: number
  readonly type: string
  readonly etag: string
  readonly cache_control: string
}

export type PublicFiles = {
  readonly dir: string
  readonly csp: string
  readonly paths: readonly string[]
  /** `path` is decoded, and has no empty or hidden segment. */
  find(path: string): PublicFile | undefined | Promise<PublicFile | undefined>
}

const files_max = limit('public.files', 5000, 'files', 'Most files of a front end')
const bytes_max = limit('public.bytes', 64 * 2 ** 20, 'bytes', 'Most bytes of all its files')

const csp_default = "default-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  xml: 'application/xml',
  pdf: 'application/pdf',
  wasm: 'application/wasm',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  webm: 'video/webm',
}

export async function readPublicFiles(
  { dir: given, csp = csp_default }: PublicFolder,
  watches: boolean,
): Promise<PublicFiles> {
  const dir = await folderOf(given)
  const files = new Map<string, PublicFile>()
  let bytes = 0
  for (const path of await pathsIn(dir)) {
    const file = join(dir, path)
    const { size } = await stat(file)
    bytes += size
    if (bytes > bytes_max) {
      throw new StartError(
        `The files of ${given} have more than ${bytes_max / 2 ** 20} MiB. Upload what is large, or serve it from another place.`,
      )
    }
    files.set(path, await fileAt(file))
  }
  const paths = [...files.keys()]
  if (!watches) return { dir, csp, paths, find: path => files.get(path) }
  const find = async (path: string) => {
    const found = await fresh(dir, path, files.get(path))
    if (found) files.set(path, found)
    return found
  }
  return { dir, csp, paths, find }
}

async function folderOf(given: string): Promise<string> {
  try {
    if ((await stat(given)).isDirectory()) return await realpath(given)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  throw new StartError(
    `There is no folder ${given}, which \`public\` names in dodeca.config.ts. Create it, or remove \`public\`.`,
  )
}

/** Names that begin with a dot are left out: they are of tools, and may be secret. */
async function pathsIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (/(^|\/)\./.test(path) || entry.isDirectory()) continue
    if (!entry.isFile()) {
      throw new StartError(
        `${join(dir, path)} is a link or no file. Put the file itself there: links of \`public\` are not followed.`,
      )
    }
    paths.push(`/${path}`)
  }
  if (paths.length > files_max) {
    throw new StartError(
      `The folder ${dir} has ${paths.length} files, and \`public\` may have ${files_max}. Name the folder that your build writes.`,
    )
  }
  return paths.sort()
}

async function fileAt(file: string): Promise<PublicFile> {
  const [bytes, { mtimeMs }] = await Promise.all([readFile(file), stat(file)])
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const type = types[extname(file).slice(1).toLowerCase()] ?? 'application/octet-stream'
  const cache_control = hasHash(file) ? 'public, max-age=31536000, immutable' : 'no-cache'
  return { bytes, changed_ms: mtimeMs, type, etag: `"${digest}"`, cache_control }
}

/**
 * Whether a build has put a hash of the content into the name, as in `app-BfA1x9_k.js`. What only
 * may be a hash is none: then the browser asks again each time, and gets a 304.
 */
export function hasHash(file: string): boolean {
  const name = basename(file).replace(/\.\w+(\.map)?$/, '')
  const [plain = ''] = /[^.-]*$/.exec(name) ?? []
  const [, vite = ''] = /[.-]([\w-]{8})$/.exec(name) ?? []
  return (
    isMixed(plain, /^[0-9a-f]{8,64}$/, /[a-f]/) ||
    isMixed(plain, /^[A-Z2-7]{8}$/, /[A-Z]/) ||
    isMixed(vite, /[a-z]/, /[A-Z]/)
  )
}

function isMixed(text: string, ...forms: readonly RegExp[]): boolean {
  return text.length >= 8 && [/\d/, ...forms].every(one => one.test(text))
}

/** The file as it is now, unless a link leads to it. */
async function fresh(
  dir: string,
  path: string,
  known: PublicFile | undefined,
): Promise<PublicFile | undefined> {
  const file = join(dir, path)
  try {
    if ((await realpath(file)) !== file) return undefined
    const { size, mtimeMs, isFile } = await statOf(file)
    if (!isFile || size > bytes_max) return undefined
    if (known?.changed_ms === mtimeMs && known.bytes.length === size) return known
    return await fileAt(file)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

async function statOf(file: string) {
  const found = await stat(file)
  return { size: found.size, mtimeMs: found.mtimeMs, isFile: found.isFile() }
}
