/**
 * The secrets that sign: kept sealed, bound to their subscription and version, shown once when they are
 * made. During a rotation older ones sign beside the newest until their time is over.
 */
import { newStandardSecret, parseStandardSecret } from '../../kernel/outside/signatures.ts'
import { ownRing, type Keyring } from '../../kernel/keys.ts'
import type { Kernel } from '../../kernel/surface.ts'
import { problem } from './errors.ts'

export type Secrets = {
  /** A new secret, or the one that is given; refuses what is none. */
  make(given: string | undefined): { text: string; bytes: Buffer }
  seal(subscription_id: string, version: number, bytes: Buffer): Buffer
  open(subscription_id: string, version: number, sealed: Buffer): Buffer
  /** The same secret under the current key, or null where it is so already. */
  reseal(subscription_id: string, version: number, sealed: Buffer): Buffer | null
}

export const live_secrets_max = 3
const use = 'webhooks.secrets'

export function openSecrets({ keys, settings }: Pick<Kernel, 'keys' | 'settings'>): Secrets {
  const given = settings['webhooks.keyring']
  const ring: Pick<Keyring, 'kids' | 'seal' | 'open' | 'sealedWith'> =
    given === null ? keys : ownRing(given)
  const place = (id: string, version: number) => ({
    table: 'webhooks.subscriptions',
    id,
    column: `secret_ciphertext ${version}`,
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
    reseal: (id, version, sealed) =>
      ring.sealedWith(sealed) === ring.kids[0]
        ? null
        : seal(id, version, open(id, version, sealed)),
  }
}
