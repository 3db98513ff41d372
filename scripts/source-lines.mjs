/**
 * Makes errors of a bundled program name files and lines of the sources. Each program of a bundle
 * loads this first. Node's own `--enable-source-maps` keeps all maps in memory, 22 MB; here a map is
 * read when an error is printed.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(import.meta.url)
const maps = new Map()

Error.prepareStackTrace = (error, calls) => {
  const { name, code } = error
  const title =
    typeof code === 'string' && code.startsWith('ERR_')
      ? `${name} [${code}]: ${error.message}`
      : Error.prototype.toString.call(error)
  return [title, ...calls.map(call => named('    at '.concat(call)))].join('\n')
}

function named(call) {
  const [place, file, line, column] = /(file:[^()]+\.mjs):(\d+):(\d+)/.exec(call) ?? []
  if (!file?.startsWith(folder)) return call
  try {
    const path = fileURLToPath(file)
    const { originalSource, originalLine, originalColumn } = mapOf(`${path}.map`).findEntry(
      line - 1,
      column - 1,
    )
    const source = resolve(dirname(path), originalSource)
    return call.replace(place, `file://${source}:${originalLine + 1}:${originalColumn + 1}`)
  } catch {
    return call
  }
}

/** Memory gives a map back when it is needed. */
function mapOf(path) {
  const kept = maps.get(path)?.deref()
  if (kept) return kept
  const map = new SourceMap(JSON.parse(readFileSync(path, 'utf8')))
  maps.set(path, new WeakRef(map))
  return map
}
