/** Reads what an application is made of from its folder. */
import { readdir } from 'node:fs/promises'
import { registerHooks } from 'node:module'
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
  shareModules()
  const { default: found } = (await import(pathToFileURL(path).href)) as { default?: App }
  if (!found)
    throw new StartError(`${path} must export the application: export default app({ … }).`)
  return found
}

/**
 * In a checkout an application imports sources while the platform runs from its bundle. It gets the
 * modules that run: with a second copy of the kernel its problems would be unknown errors, and the
 * memory twice as much. A package names the modules that run in its `exports`.
 */
function shareModules(): void {
  const source = import.meta.url
  const running = new Map([
    [new URL('index.ts', source).href, new URL('./index.ts', import.meta.url).href],
    [new URL('kernel/entry.ts', source).href, new URL('./kernel/entry.ts', import.meta.url).href],
  ])
  if ([...running].every(([own, other]) => own === other)) return
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      const url = running.get(found.url)
      return url === undefined ? found : { ...found, url, format: 'module' }
    },
  })
}
