/**
 * The contract between the sandbox and one simulated vendor. A vendor owns a folder and speaks its
 * wire protocol on loopback ports. You control it through a control plane under `/_sandbox/`. A new
 * vendor is a folder here and a line in main.ts. It depends neither on the platform nor on other
 * vendors; `model/` is what those of models share.
 */
import type { Server } from 'node:net'
import type { Clock } from '#dodeca/kernel'
import type { Kept } from './kept.ts'

export type Setup = {
  /** The vendor's own folder. It exists, and other accounts cannot read it. */
  readonly folder: string
  /** Values that must be the same after a restart: credentials, ports, the offset of the clock. */
  readonly kept: Kept
  /** The vendor's own time; it differs from the platform's. */
  readonly clock: Clock
  /** Listens on loopback, on the port of the last run if it is still free, and returns the port. */
  listen(name: string, server: Server): Promise<number>
}

export type Vendor = {
  readonly name: string
  open(setup: Setup): Promise<OpenVendor>
}

export type OpenVendor = {
  /** The addresses of the vendor. `control` is the address of its control plane. */
  readonly addresses: Readonly<Record<string, string>> & { readonly control: string }
  close(): Promise<void>
}
