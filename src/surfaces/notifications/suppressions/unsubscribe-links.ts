/**
 * Links to unsubscribe from one category without logging in. The token contains the hash of the
 * address and a MAC over tenant, hash and category. It cannot be guessed, is not stored, and works
 * while the key that made it is in the keyring.
 */
import type { Kernel } from '../settings.ts'

export type Unsubscribed = {
  readonly tenant_id: string
  readonly hash: Buffer
  readonly category: string
}

export type UnsubscribeLinks = {
  linkFor(what: Unsubscribed): string
  /** Returns null if we did not issue the token. */
  read(token: string): Unsubscribed | null
}

export const masked_link = 'https://unsubscribe.invalid/'
const use = 'notifications.unsubscribe'
const mac_bytes = 16
const id_bytes = 16
const hash_bytes = 32

export function openUnsubscribeLinks({
  keys,
  public_url,
}: Pick<Kernel, 'keys' | 'public_url'>): UnsubscribeLinks {
  return {
    linkFor: ({ tenant_id, hash, category }) => {
      const head = Buffer.concat([
        Buffer.from(tenant_id.replaceAll('-', ''), 'hex'),
        hash,
        Buffer.from(category),
      ])
      const token = Buffer.concat([keys.mac(use, head).subarray(0, mac_bytes), head])
      return `${public_url}/v1/unsubscribe/${token.toString('base64url')}`
    },
    read: token => {
      const bytes = Buffer.from(token, 'base64url')
      const head = bytes.subarray(mac_bytes)
      const genuine =
        head.length > id_bytes + hash_bytes &&
        bytes.toString('base64url') === token &&
        keys.macMatches(use, head, bytes.subarray(0, mac_bytes))
      if (!genuine) return null
      const id = head.subarray(0, id_bytes).toString('hex')
      return {
        tenant_id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
        hash: Buffer.from(head.subarray(id_bytes, id_bytes + hash_bytes)),
        category: head.subarray(id_bytes + hash_bytes).toString('utf8'),
      }
    },
  }
}
