/**
 * Texts are encrypted with a key of their conversation (AES-256-GCM). The platform's keyring seals
 * that key. So a rotation of the keyring seals one value for each conversation again, not every
 * message. A text is bound to its conversation, message and version.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { boundedCache, newNonce, nonce_bytes, type SealedColumn } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

const format = 1
const tag_bytes = 16
const use = 'chat.data_keys'
const known_max = 10_000

/** Identifies the text. */
export type Place = {
  readonly conversation_id: string
  readonly message_id: string
  readonly version: number
}

export type BodyCipher = {
  /** A new key, sealed for the row of its conversation. */
  newKey(conversation_id: string): Buffer
  seal(data_key: Buffer, place: Place, text: string): Buffer
  open(data_key: Buffer, place: Place, sealed: Buffer): string
}

const placeOf = (id: string) => ({ table: 'chat.conversations', id, column: 'data_key' })

export function openBodyCipher({ keys }: Pick<Kernel, 'keys'>): BodyCipher {
  // The key in the sealed value never changes, so it stays cached even when the value is sealed again.
  const known = boundedCache<KeyObject>(known_max)
  const keyOf = (conversation_id: string, data_key: Buffer): KeyObject => {
    const found = known.get(conversation_id)
    if (found) return found
    const key = createSecretKey(keys.open(use, data_key, placeOf(conversation_id)))
    known.set(conversation_id, key)
    return key
  }
  return {
    newKey: conversation_id => keys.seal(use, randomBytes(32), placeOf(conversation_id)),
    seal: (data_key, place, text) => {
      const nonce = newNonce()
      const cipher = createCipheriv('aes-256-gcm', keyOf(place.conversation_id, data_key), nonce)
      cipher.setAAD(aadOf(place))
      const head = Buffer.from([format])
      return Buffer.concat([head, nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
    },
    open: (data_key, place, sealed) => {
      if (sealed[0] !== format) throw new Error('this is not an encrypted text')
      const nonce = sealed.subarray(1, 1 + nonce_bytes)
      const key = keyOf(place.conversation_id, data_key)
      const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tag_bytes })
      cipher.setAAD(aadOf(place)).setAuthTag(sealed.subarray(-tag_bytes))
      const text = cipher.update(sealed.subarray(1 + nonce_bytes, -tag_bytes))
      return Buffer.concat([text, cipher.final()]).toString()
    },
  }
}

function aadOf({ conversation_id, message_id, version }: Place): Buffer {
  return Buffer.from(`${conversation_id} ${message_id} ${version}`)
}

export const sealedDataKeys: SealedColumn = {
  table: 'chat.conversations',
  key: ['tenant_id', 'id'],
  column: 'data_key',
  use,
  place: row => placeOf(String(row['id'])),
}
