/**
 * Removes files of installed packages that nothing here loads: source maps, builds for browsers and
 * for other module systems, weights of engines that are not used. They are 100 of 680 MB. A later
 * `npm ci` brings them back, and nothing breaks if they stay.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'

/** By package, or by the packages of a scope: the paths in its folder that are removed. */
const unused = {
  '@opentelemetry': /^build\/esnext\//,
  // Weights for both engines of Tesseract; read-image.ts names the others.
  '@tesseract.js-data/eng': /^4\.0\.0\//,
  // Its program is linked into `bin`; some versions of npm leave the package that it came from here.
  node: /^node_modules\/node-\w+-\w+\//,
  'gpt-tokenizer': /^(cjs|data|src)\/|^esm\/model\/|^esm\/bpeRanks\/(?!o200k_base)/,
  // Under Node tesseract.js 7 takes the builds with both engines, whatever it is asked for.
  'tesseract.js-core': /\.wasm\.js$|-lstm\.(js|wasm)$/,
}
const source_map = /\.([cm]?js|d\.[cm]?ts)\.map$/

export function removeUnusedFiles(root) {
  for (const { path, name } of packagesOf(join(root, 'node_modules'))) {
    const here = unused[name] ?? unused[name.split('/')[0]]
    for (const file of filesOf(path)) {
      if (source_map.test(file) || here?.test(file)) fs.rmSync(join(path, file), { force: true })
    }
  }
}

function packagesOf(modules, scope = '') {
  return foldersOf(modules).flatMap(folder => {
    const path = join(modules, folder)
    if (folder.startsWith('@')) return packagesOf(path, `${folder}/`)
    return folder.startsWith('.') ? [] : [{ path, name: scope + folder }]
  })
}

/** With those of the packages that are installed within it. */
function filesOf(folder, above = '') {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(one => {
    if (one.isDirectory()) return filesOf(join(folder, one.name), `${above}${one.name}/`)
    return one.isFile() ? [above + one.name] : []
  })
}

/** Without links: a workspace is linked here, and its files are the person's. */
function foldersOf(folder) {
  const found = fs.readdirSync(folder, { withFileTypes: true })
  return found.filter(one => one.isDirectory()).map(({ name }) => name)
}
