/** Templates, and the files that are made of them. No file that is there is replaced. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '#dodeca/kernel'

const templates = fileURLToPath(new URL('../../../templates/', import.meta.url))

export type Made = { readonly files: string[]; readonly say: string[] }

export async function template(path: string): Promise<string> {
  return await readFile(join(templates, path), 'utf8')
}

export async function templatesOf(folder: string): Promise<string[]> {
  const found = await readdir(join(templates, folder), { recursive: true, withFileTypes: true })
  return found
    .filter(one => one.isFile())
    .map(one => relative(join(templates, folder), join(one.parentPath, one.name)))
    .toSorted()
}

export async function writeNew(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new StartError(`${path} is there already. Choose another name, or remove the file.`)
  }
}

/**
 * Adds an import and a member of a list, such as `surfaces: [...]`, to a source. Undefined if it is
 * written in another way than a template.
 */
export function joined(text: string, list: string, name: string, from: string): string | undefined {
  const imports = [...text.matchAll(/^import [^;]*? from '[^']+';?$/gm)].at(-1)
  const found = new RegExp(`\\b${list}: \\[([^\\]]*)\\]`).exec(text)
  if (!imports || !found) return undefined
  const members = found[1]?.trim().replace(/,$/, '') ?? ''
  const all = members === '' ? name : `${members}, ${name}`
  const end = imports.index + imports[0].length
  const line = `import { ${name} } from '${from}'`
  const before = `${text.slice(0, end)}\n${line}${text.slice(end, found.index)}`
  return `${before}${list}: [${all}]${text.slice(found.index + found[0].length)}`
}
