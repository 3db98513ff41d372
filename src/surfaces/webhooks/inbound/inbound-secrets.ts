/**
 * The secrets of providers. A client can write them but never read them. They are stored sealed,
 * and bound to their source and version.
 */
import type { SealedColumn } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { ringOf } from '../sealed-secrets.ts'

export type InboundSecrets = {
  seal(source_id: string, version: number, value: string): Buffer
  open(source_id: string, version: number, sealed: Buffer): Buffer
  /** For the kernel: it seals the secrets again when the keyring is rotated. */
  readonly sealed: readonly SealedColumn[]
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
    sealed: [
      {
        table: 'webhooks.inbound_secrets',
        key: ['source_id', 'version'],
        column: 'secret_ciphertext',
        use,
        ring,
        place: row => place(String(row['source_id']), Number(row['version'])),
      },
    ],
  }
}
