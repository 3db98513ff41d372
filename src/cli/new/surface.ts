/** A new surface of an application. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { nameFaults } from '../../runtime/reserved-names.ts'
import { joined, template, writeNew, type Made } from './files.ts'

export async function makeSurface(folder: string, name: string): Promise<Made> {
  const [fault] = nameFaults({ name, events: {} })
  if (fault !== undefined) throw new StartError(fault)
  const config = await readFile(join(folder, 'dodeca.config.ts'), 'utf8').catch(() => {
    throw new StartError(
      'There is no dodeca.config.ts here. Go to the folder of your application, or make one with `dodeca new app <name>`.',
    )
  })
  const rename = (text: string) => text.replaceAll('example', name)
  const files = [`surfaces/${name}/surface.ts`, `surfaces/${name}/migrations/0001-${name}.sql`]
  const [code = '', tables = ''] = files
  await writeNew(join(folder, code), rename(await template('surface/surface.ts')))
  await writeNew(
    join(folder, tables),
    rename(await template('surface/migrations/0001-example.sql')),
  )
  const from = `./${code}`
  const next = joined(config, 'surfaces', name, from)
  if (next === undefined) {
    const line = `import { ${name} } from '${from}'`
    return { files, say: [`Add ${name} to \`surfaces\` in dodeca.config.ts, and: ${line}`] }
  }
  await writeFile(join(folder, 'dodeca.config.ts'), next)
  return { files: [...files, 'dodeca.config.ts'], say: [] }
}
