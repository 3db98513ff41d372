/**
 * The signing secrets. They are stored sealed, bound to their subscription and version, and shown
 * once when they are created. During a rotation, older secrets sign together with the newest one
 * until their time is over.
 */
import { newStandardSecret, ownRing, parseStandardSecret, sql } from '#dodeca/kernel'
import type { Ring, SealedColumn } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'
import { problem } from './errors.ts'

export type Secrets = {
  /** Uses the given secret, or makes a new one. An invalid secret is refused. */
  make(given: string | undefined): { text: string; bytes: Buffer }
  seal(subscription_id: string, version: number, bytes: Buffer): Buffer
  open(subscription_id: string, version: number, sealed: Buffer): Buffer
  /** For the kernel: it seals the secrets again when the keyring is rotated. */
  readonly sealed: readonly SealedColumn[]
}

export const live_secrets_max = 3
const use = 'webhooks.secrets'

/** The keyring for secrets that webhooks must be able to read again. */
export function ringOf({ keys, settings }: Pick<Kernel, 'keys' | 'settings'>): Ring {
  const given = settings['webhooks.keyring']
  return given === null ? keys : ownRing(given)
}

export function openSecrets(kernel: Pick<Kernel, 'keys' | 'settings'>): Secrets {
  const ring = ringOf(kernel)
  const column = 'secret_ciphertext'
  const place = (id: string, version: number) => ({
    table: 'webhooks.subscriptions',
    id,
    column: `${column} ${version}`,
  })
  const open: Secrets['open'] = (id, version, sealed) => ring.open(use, sealed, place(id, version))
  const seal: Secrets['seal'] = (id, version, bytes) => ring.seal(use, bytes, place(id, version))
  return {
    make: text => {
      const made = text ?? newStandardSecret()
      const bytes = parseStandardSecret(made)
      if (!bytes) {
        throw problem('validation_failed', {
          detail: 'A secret is whsec_ and the base64 of 24 to 64 bytes.',
          errors: [{ location: 'body', pointer: '/secret', constraint: 'secret' }],
        })
      }
      return { text: made, bytes }
    },
    seal,
    open,
    sealed: [
      {
        table: 'webhooks.subscriptions',
        key: ['id'],
        column,
        use,
        ring,
        also: ['secret_version'],
        place: row => place(String(row['id']), Number(row['secret_version'])),
      },
      {
        table: 'webhooks.previous_secrets',
        key: ['subscription_id', 'secret_version'],
        column,
        use,
        ring,
        where: sql`t.valid_until > kernel.now()`,
        place: row => place(String(row['subscription_id']), Number(row['secret_version'])),
      },
    ],
  }
}
