/**
 * Opens the sandbox of one data folder, each vendor in its own folder. At the end it writes one
 * file with all addresses, in one step, so that every address in the file can be used. One process
 * at a time owns a data folder; a second process is refused.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { openClock, StartError } from '#dodeca/kernel'
import { restoreClock } from './clock-control.ts'
import { openKept, type Kept } from './kept.ts'
import type { OpenVendor, Vendor } from './vendor.ts'
import { writeWhole } from './write-whole.ts'

export type Addresses = Readonly<Record<string, OpenVendor['addresses']>>
export type Sandbox = { readonly addresses: Addresses; close(): Promise<void> }

export async function openSandbox(data_dir: string, vendors: readonly Vendor[]): Promise<Sandbox> {
  const folder = join(data_dir, 'sandbox')
  const file = join(folder, 'addresses.json')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await refuseSecond(file, folder)
  rmSync(file, { force: true })
  const open: { name: string; vendor: OpenVendor }[] = []
  const close = async () => {
    rmSync(file, { force: true })
    for (const { vendor } of open.toReversed()) await vendor.close()
  }
  try {
    for (const one of vendors) {
      open.push({ name: one.name, vendor: await openVendor(one, join(folder, one.name)) })
    }
  } catch (error) {
    await close()
    throw error
  }
  const addresses = Object.fromEntries(open.map(one => [one.name, one.vendor.addresses]))
  writeWhole(file, `${JSON.stringify(addresses, null, 2)}\n`)
  return { addresses, close }
}

async function openVendor(vendor: Vendor, folder: string): Promise<OpenVendor> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const kept = openKept(folder)
  const clock = openClock()
  restoreClock(clock, kept)
  return vendor.open({ folder, kept, clock, listen: (name, server) => listen(kept, name, server) })
}

/**
 * Two writers would destroy the journals. So we ask the control plane at the old address: it
 * returns the folder that it uses.
 */
async function refuseSecond(file: string, folder: string): Promise<void> {
  for (const { control } of Object.values(lastAddresses(file))) {
    const about = await ask(control)
    if (about?.folder?.startsWith(`${folder}/`)) {
      throw new StartError(
        `A sandbox is running on ${folder} already. Stop it first, or choose another DATA_DIR.`,
      )
    }
  }
}

function lastAddresses(file: string): Addresses {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Addresses
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

async function ask(control: string): Promise<{ folder?: string } | null> {
  try {
    const answer = await fetch(control, { signal: AbortSignal.timeout(1000) })
    return (await answer.json()) as { folder?: string }
  } catch {
    // No process replies, or another program does. The addresses are left over from a process that
    // has ended.
    return null
  }
}

async function listen(kept: Kept, name: string, server: Server): Promise<number> {
  const known = kept.number(`port.${name}`) ?? 0
  const port = (await tryPort(server, known)) ?? (await tryPort(server, 0))
  if (port === null) throw new StartError('No loopback port is free for the sandbox.')
  kept.keep(`port.${name}`, port)
  return port
}

/** Returns null if the port is in use. */
function tryPort(server: Server, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      server.off('listening', listening)
      if (error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    }
    const listening = () => {
      server.off('error', failed)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : null)
    }
    server.once('error', failed)
    server.once('listening', listening)
    server.listen(port, '127.0.0.1')
  })
}
