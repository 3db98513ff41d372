/**
 * Makes the declarations of the client's own files, and of the types that it takes from its two
 * packages, so that the package which a running platform gives out needs no other one.
 * scripts/generated.mjs writes them into one file.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'

const source = join(import.meta.dirname, 'src')
const packages = {
  'openapi-fetch': 'dist/index.d.mts',
  'openapi-typescript-helpers': 'dist/index.d.mts',
}

/** The files of the package and their content, without the types of the operations. */
export async function declarations(): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const name of (await readdir(source)).filter(one => !one.endsWith('.d.ts')).sort()) {
    const text = await readFile(join(source, name), 'utf8')
    files[`dist/${name.replace('.ts', '.d.ts')}`] = byName(declared(name, text))
  }
  for (const [name, types] of Object.entries(packages)) {
    files[`dist/${name}.d.ts`] = byName(await readFile(join(await folderOf(name), types), 'utf8'))
  }
  const licences = ['openapi-fetch', 'openapi-typescript-helpers', 'eventsource-parser']
  const texts = licences.map(async name => {
    return `${name}\n\n${await readFile(join(await folderOf(name), 'LICENSE'), 'utf8')}`
  })
  files['THIRD-PARTY-NOTICES.txt'] = (await Promise.all(texts)).join('\n\n')
  return files
}

function declared(fileName: string, text: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, isolatedDeclarations: true }
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
    fileName,
    compilerOptions,
    reportDiagnostics: true,
  })
  const [fault] = diagnostics
  if (!fault) return outputText
  const says = ts.flattenDiagnosticMessageText(fault.messageText, ' ')
  throw new Error(`client/src/${fileName} has a type that is not written: ${says}`)
}

/** In the package, a file is imported as JavaScript, and a package is a file beside it. */
function byName(text: string): string {
  return text
    .replaceAll(/(['"])(\.\/[a-z-]+)(?:\.d)?\.ts\1/g, "'$2.js'")
    .replaceAll(/(['"])(openapi-fetch|openapi-typescript-helpers)\1/g, "'./$2.js'")
}

/** npm puts packages beside the client or at the root. */
async function folderOf(name: string): Promise<string> {
  const places = createRequire(join(source, 'index.ts')).resolve.paths(name) ?? []
  for (const folder of places.map(place => join(place, name))) {
    if (await stat(folder).catch(() => null)) return folder
  }
  throw new Error(`${name} is not installed`)
}
