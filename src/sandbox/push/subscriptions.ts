/**
 * The browsers that this vendor simulates. Each has an endpoint, a key pair and a secret, which are
 * kept over restarts.
 */
import { createECDH, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../write-whole.ts'

export type Browser = { readonly private_key: string; readonly auth: string }

export type Subscriptions = {
  /** The subscription in the form that a browser gives to its page. */
  make(id: string): { endpoint: string; keys: { p256dh: string; auth: string } }
  find(id: string): Browser | undefined
}

export function openSubscriptions(folder: string, api: string): Subscriptions {
  const file = join(folder, 'subscriptions.json')
  const known = read(file)
  return {
    find: id => known.get(id),
    make: id => {
      const pair = createECDH('prime256v1')
      pair.generateKeys()
      const auth = randomBytes(16).toString('base64url')
      known.set(id, { private_key: pair.getPrivateKey('base64url'), auth })
      writeWhole(file, JSON.stringify(Object.fromEntries(known)))
      const p256dh = pair.getPublicKey('base64url')
      return { endpoint: `${api}/push/${id}`, keys: { p256dh, auth } }
    },
  }
}

function read(file: string): Map<string, Browser> {
  try {
    return new Map(
      Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Browser>),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}
