/** The secrets of providers: written, never shown, kept sealed and bound to their source and version. */
import type { Kernel } from '../settings.ts'
import { ringOf } from '../secrets.ts'

export type InboundSecrets = {
  seal(source_id: string, version: number, value: string): Buffer
  open(source_id: string, version: number, sealed: Buffer): Buffer
  /** The same secret under the current key, or null where it is so already. */
  reseal(source_id: string, version: number, sealed: Buffer): Buffer | null
}

const use = 'webhooks.inbound'

export function openInboundSecrets(kernel: Pick<Kernel, 'keys' | 'settings'>): InboundSecrets {
  const ring = ringOf(kernel)
  const place = (id: string, version: number) => ({
    table: 'webhooks.inbound_secrets',
    id,
    column: `secret_ciphertext ${version}`,
  })
  const open: InboundSecrets['open'] = (id, version, sealed) =>
    ring.open(use, sealed, place(id, version))
  return {
    open,
    seal: (id, version, value) => ring.seal(use, Buffer.from(value), place(id, version)),
    reseal: (id, version, sealed) =>
      ring.sealedWith(sealed) === ring.kids[0]
        ? null
        : ring.seal(use, open(id, version, sealed), place(id, version)),
  }
}
