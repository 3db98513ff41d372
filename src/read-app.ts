/** Reads what an application is made of from its folder. */
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '#dodeca/kernel'
import type { App } from './app.ts'

/** Without a file it is the platform with its twelve surfaces. */
export async function readApp(folder = process.cwd()): Promise<App> {
  const files = await readdir(folder)
  const name = ['dodeca.config.ts', 'dodeca.config.js'].find(one => files.includes(one))
  if (name === undefined) return {}
  const path = resolve(folder, name)
  const { default: found } = (await import(pathToFileURL(path).href)) as { default?: App }
  if (!found)
    throw new StartError(`${path} must export the application: export default app({ … }).`)
  return found
}
