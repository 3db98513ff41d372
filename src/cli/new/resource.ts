/** A new resource of an own surface: its declaration, and its table with the indexes it needs. */
import { access, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { nameFaults, pathFaults } from '../../runtime/reserved-names.ts'
import type { NewField } from './fields.ts'
import { joined, template, writeNew, type Made } from './files.ts'
import { makeSurface } from './surface.ts'

export async function makeResource(
  folder: string,
  name: string,
  fields: readonly NewField[],
  one?: string,
): Promise<Made> {
  const [, surface = '', many = ''] = /^([a-z]+)\.([a-z][a-z0-9_]{1,40})$/.exec(name) ?? []
  if (many === '') {
    throw new StartError(
      `Name the surface and the resource, in small letters and in the plural, such as crm.deals; ${name} is not such a name.`,
    )
  }
  const noun = one ?? singularOf(many)
  const path = many.replaceAll('_', '-')
  const events = { [`${noun}.created`]: {} }
  const faults = [...nameFaults({ name: surface, events }), ...pathFaults(surface, [`/v1/${path}`])]
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  const home = join(folder, 'surfaces', surface)
  const found = await access(join(home, 'surface.ts')).then(
    () => true,
    () => false,
  )
  const before = found ? { files: [], say: [] } : await makeSurface(folder, surface)
  const rename = renaming({ surface, many, noun, path })
  const code = `${path}.ts`
  const tables = `migrations/${await nextNumber(join(home, 'migrations'))}-${path}.sql`
  await writeNew(join(home, code), rename(withFields(await template('resource/things.ts'), fields)))
  const columns = fields.map(({ name, column }) => `  ${name} ${column} not null,`).join('\n')
  const sql = (await template('resource/things.sql')).replace('  title text not null,', columns)
  await writeNew(join(home, tables), rename(sql))
  const files = [...before.files, ...[code, tables].map(file => `surfaces/${surface}/${file}`)]
  const from = `./${code}`
  const source = join(home, 'surface.ts')
  const next = joined(await readFile(source, 'utf8'), 'resources', camel(many), from)
  if (next === undefined) {
    const line = `import { ${camel(many)} } from '${from}'`
    const where = `\`resources\` in surfaces/${surface}/surface.ts`
    return { files, say: [...before.say, `Add ${camel(many)} to ${where}, and: ${line}`] }
  }
  await writeFile(source, next)
  const changed = `surfaces/${surface}/surface.ts`
  return { files: found ? [...files, changed] : files, say: before.say }
}

type Names = { surface: string; many: string; noun: string; path: string }

/** The words of a template are whole words or parts of snake case. */
function renaming({ surface, many, noun, path }: Names): (text: string) => string {
  return text =>
    text
      .replaceAll("'/v1/things'", `'/v1/${path}'`)
      .replaceAll("many: 'things'", `many: '${camel(many)}'`)
      .replaceAll("one: 'thing'", `one: '${camel(noun)}'`)
      .replaceAll('const things', `const ${camel(many)}`)
      .replaceAll('const thing ', `const ${camel(noun)} `)
      .replaceAll('resource(thing,', `resource(${camel(noun)},`)
      .replaceAll('A thing ', `${/^[aeio]/.test(noun) ? 'An' : 'A'} ${noun.replaceAll('_', ' ')} `)
      .replaceAll('-- Things', `-- ${capital(many.replaceAll('_', ' '))}`)
      .replaceAll('example.', `${surface}.`)
      .replaceAll(/\bthings(?=\b|_)/g, many)
      .replaceAll(/\bthing\b/g, noun)
}

function withFields(text: string, fields: readonly NewField[]): string {
  const uses = new Set(['record', 'resource', ...fields.flatMap(one => one.uses)])
  const imports = `import { ${[...uses].toSorted().join(', ')} } from 'dodeca'`
  const lines = fields.map(({ name, code }) => `    ${name}: ${code},`).join('\n')
  return text.replace(/^import .*$/m, imports).replace('    title: given(text(200)),', lines)
}

async function nextNumber(folder: string): Promise<string> {
  const numbers = (await readdir(folder)).map(file => Number(/^\d+/.exec(file)?.[0] ?? 0))
  return String(Math.max(0, ...numbers) + 1).padStart(4, '0')
}

function singularOf(many: string): string {
  if (many.endsWith('ies')) return `${many.slice(0, -3)}y`
  if (/(s|x|ch|sh)es$/.test(many)) return many.slice(0, -2)
  if (/[^s]s$/.test(many)) return many.slice(0, -1)
  throw new StartError(`What is one of ${many} called? Name it: --one=<noun>.`)
}

const camel = (name: string) =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
