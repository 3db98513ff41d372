/**
 * The sandbox: simulated providers on this machine, in one process. `node src/sandbox/main.ts
 * <data_dir> [module…]` opens every vendor, those of the modules too, prints `ready` once all of them can be used, and stops at SIGTERM
 * or SIGINT. The platform may stop and restart meanwhile; the vendors keep their state.
 */
import { resolve } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { openSandbox } from './open-sandbox.ts'
import type { Vendor } from './vendor.ts'
import { vendors } from './vendors.ts'

async function main(): Promise<void> {
  const [, , data_dir, ...modules] = process.argv
  if (!data_dir) throw new StartError('Name the data folder: node src/sandbox/main.ts ./data')
  const own = await Promise.all(modules.map(vendorsIn))
  const sandbox = await openSandbox(resolve(data_dir), [...vendors, ...own.flat()])
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    sandbox.close().then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.stdout.write('ready\n')
}

/** Doubles of an application, by the URL of their module. */
async function vendorsIn(url: string): Promise<readonly Vendor[]> {
  const { vendors: found } = (await import(url)) as { vendors?: readonly Vendor[] }
  if (Array.isArray(found)) return found as readonly Vendor[]
  throw new StartError(`${url} must export the list of its vendors: export const vendors = [acme].`)
}

function fail(error: unknown): void {
  process.stderr.write(`${wordsOf(error)}\n`)
  process.exit(1)
}

function wordsOf(error: unknown): string {
  if (error instanceof StartError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

main().catch(fail)
