/**
 * One comparison from start to end: reads the options, starts PostgreSQL, measures, prints, writes
 * the report if requested, and leaves nothing behind.
 */
import { StartError } from '#dodeca/kernel'
import { openDatabase, type Database } from './database.ts'
import { machineFacts } from './machine.ts'
import { readOptions, type Options } from './options.ts'
import { print, write, type Section } from './report.ts'

export type Bench = { readonly options: Options; readonly database: Database }

export async function comparison(
  name: string,
  measure: (bench: Bench) => Promise<readonly Section[]>,
): Promise<void> {
  try {
    const options = readOptions()
    const database = await openDatabase()
    try {
      const sections = await measure({ options, database })
      const facts = machineFacts(database.version, database.date)
      for (const section of sections) print(section, facts)
      if (options.report) await write(name, sections, facts, options.only !== null)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`\n${error.message}\n`)
    process.exitCode = 1
  }
}
