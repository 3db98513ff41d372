/**
 * The keyring. Every secret that the platform seals or signs uses a key that is derived for one use
 * (HKDF-SHA-256), so that two uses never share a key. The first key of the ring is the current one.
 * The other keys can still read, so a rotation breaks nothing. The pepper never rotates, because
 * its hashes must stay equal forever. Development creates `keys.json` once. Production requires
 * both the keyring and the pepper, or the platform does not start.
 */
import { Buffer } from 'node:buffer'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartError } from './errors/start-error.ts'
import { newNonce, nonce_bytes } from './ids.ts'

export type RingKey = { readonly kid: string; readonly key: Buffer }

/**
 * The place of a sealed value. The value cannot be opened at any other place, so values cannot be
 * swapped between rows.
 */
export type Associated = { readonly table: string; readonly id: string; readonly column: string }

export type Keyring = {
  /** Ids of all readable keys, the current one first. */
  readonly kids: readonly [string, ...string[]]
  seal(use: string, plaintext: Buffer, associated: Associated): Buffer
  open(use: string, sealed: Buffer, associated: Associated): Buffer
  /**
   * Returns the id of the key that sealed the value. If it is not `kids[0]`, the value should be
   * sealed again.
   */
  sealedWith(sealed: Buffer): string
  mac(use: string, data: Buffer): Buffer
  /** Signs with the key of that id. Returns null if the ring has no such key. */
  macWith(kid: string, use: string, data: Buffer): Buffer | null
  /**
   * Verifies with any key of the ring. A MAC may be cut, but must have at least its first 16 bytes.
   */
  macMatches(use: string, data: Buffer, mac: Buffer): boolean
  /** A keyed hash that never changes. A reader without the pepper learns nothing from it. */
  fingerprint(use: string, value: string | Buffer): Buffer
}

const key_bytes = 32
const tag_bytes = 16
const mac_bytes = 32
const shortest_mac_bytes = 16
const version = 1
const kid_form = /^[A-Za-z0-9_-]{1,32}$/

/** Reads `kid:base64,kid2:base64`, the current key first. */
export function parseKeyring(text: string): [RingKey, ...RingKey[]] {
  const keys = text.split(',').map(entry => {
    const [kid = '', encoded = '', ...rest] = entry.trim().split(':')
    const key = decodeKey(encoded)
    if (!kid_form.test(kid) || !key || rest.length > 0) {
      throw new StartError(
        'The keyring cannot be read. Write it as kid:key, several separated by commas, where kid is up to 32 letters, digits, "-" or "_" and key is base64 of 32 bytes (openssl rand -base64 32).',
      )
    }
    return { kid, key }
  })
  const [first, ...others] = keys
  if (!first || new Set(keys.map(({ kid }) => kid)).size !== keys.length) {
    throw new StartError('The keyring names one key id twice. Give every key its own id.')
  }
  return [first, ...others]
}

export const keys_missing =
  'KERNEL_KEYRING and KERNEL_PEPPER must both be set here. A new deployment makes both with "dodeca keys init".'

export async function openKeyring(options: {
  keyring: string | null
  pepper: string | null
  /** The file in which development stores keys if the settings contain none. */
  file: string
  may_create: boolean
}): Promise<Keyring> {
  const { keyring, pepper } = options
  if (keyring !== null && pepper !== null) return ringOf(parseKeyring(keyring), parsePepper(pepper))
  if (!options.may_create) throw new StartError(keys_missing)
  const kept = await keptKeys(options.file)
  return ringOf(parseKeyring(keyring ?? kept.keyring), parsePepper(pepper ?? kept.pepper))
}

/** The keyring of one surface. It seals and opens. Hashes still use the platform's keyring. */
export function ownRing(text: string): Pick<Keyring, 'kids' | 'seal' | 'open' | 'sealedWith'> {
  return ringOf(parseKeyring(text), Buffer.alloc(0))
}

function decodeKey(encoded: string): Buffer | null {
  const key = Buffer.from(encoded, 'base64')
  return key.length === key_bytes && key.toString('base64') === encoded ? key : null
}

export function parsePepper(text: string): Buffer {
  const key = decodeKey(text.trim())
  if (key) return key
  throw new StartError(
    'The pepper is not base64 of 32 bytes. Use the value that this deployment has always had; a new deployment makes one with "openssl rand -base64 32".',
  )
}

type Kept = { readonly keyring: string; readonly pepper: string }

/** A new keyring of one key, and a new pepper. */
export function newKeys(): Kept {
  const key = () => randomBytes(key_bytes).toString('base64')
  return { keyring: `k${randomBytes(4).toString('hex')}:${key()}`, pepper: key() }
}

async function keptKeys(file: string): Promise<Kept> {
  const text = (await readOrNull(file)) ?? (await makeKeys(file))
  try {
    const { keyring, pepper } = JSON.parse(text) as Partial<Kept>
    if (typeof keyring === 'string' && typeof pepper === 'string') return { keyring, pepper }
  } catch {
    // A broken file and a file without these properties get the same error, below.
  }
  throw new StartError(
    `${file} does not hold a keyring and a pepper. Put the right file back; only if nothing sealed with it is needed any more, delete it and a new one is made.`,
  )
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartError(`${file} cannot be read. Start as the user who owns it.`, { cause: error })
  }
}

/**
 * The file is complete before it gets its name, and never replaces another file. So if two
 * processes start for the first time together, the keys of one of them are kept.
 */
async function makeKeys(file: string): Promise<string> {
  const text = `${JSON.stringify(newKeys(), null, 2)}\n`
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await mkdir(dirname(file), { recursive: true })
  try {
    const handle = await open(draft, 'wx', 0o600)
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    await link(draft, file)
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return await readFile(file, 'utf8')
    throw new StartError(`${file} cannot be written. Make its folder writable for this user.`, {
      cause: error,
    })
  } finally {
    await rm(draft, { force: true })
  }
}

function hmac(key: KeyObject, data: Buffer | string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

function ringOf(keys: readonly [RingKey, ...RingKey[]], pepper: Buffer): Keyring {
  const derived = new Map<string, KeyObject>()
  const derive = (secret: Buffer, id: string, purpose: string, use: string): KeyObject => {
    const name = `${purpose} ${id} ${use}`
    const known = derived.get(name)
    if (known) return known
    // oxlint-disable-next-line node/no-sync -- four hashes and no I/O, once per use
    const bytes = hkdfSync('sha256', secret, '', `dodeca ${purpose} ${use}`, key_bytes)
    const key = createSecretKey(Buffer.from(bytes))
    derived.set(name, key)
    return key
  }
  const macBy = ({ kid, key }: RingKey, use: string, data: Buffer) =>
    hmac(derive(key, kid, 'mac', use), data)
  const [current, ...older] = keys
  return {
    kids: [current.kid, ...older.map(({ kid }) => kid)],
    seal: (use, plaintext, associated) =>
      seal(derive(current.key, current.kid, 'seal', use), current.kid, plaintext, associated),
    open: (use, sealed, associated) => {
      const kid = kidOf(sealed)
      const found = keys.find(one => one.kid === kid)
      if (!found) throw new Error(`sealed with the key ${kid}, which is not in the keyring`)
      return unseal(derive(found.key, kid, 'seal', use), kid, sealed, associated)
    },
    sealedWith: kidOf,
    mac: (use, data) => macBy(current, use, data),
    macWith: (kid, use, data) => {
      const found = keys.find(one => one.kid === kid)
      return found ? macBy(found, use, data) : null
    },
    macMatches: (use, data, mac) => {
      if (mac.length < shortest_mac_bytes || mac.length > mac_bytes) return false
      // Tries every key, even after a match, so that the time reveals nothing.
      const verdicts = keys.map(one =>
        timingSafeEqual(macBy(one, use, data).subarray(0, mac.length), mac),
      )
      return verdicts.includes(true)
    },
    fingerprint: (use, value) => hmac(derive(pepper, '', 'fingerprint', use), value),
  }
}

/**
 * The header has the version, the length of the key id and the key id. It is authenticated together
 * with the place.
 */
function headOf(kid: string): Buffer {
  return Buffer.concat([Buffer.from([version, kid.length]), Buffer.from(kid)])
}

function aadOf(head: Buffer, { table, id, column }: Associated): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([table, id, column]))])
}

function kidOf(sealed: Buffer): string {
  const length = sealed[1]
  const whole = length !== undefined && sealed.length >= 2 + length + nonce_bytes + tag_bytes
  if (sealed[0] !== version || !whole) throw new Error('this is not a sealed value')
  return sealed.toString('latin1', 2, 2 + length)
}

function seal(key: KeyObject, kid: string, plaintext: Buffer, associated: Associated): Buffer {
  const head = headOf(kid)
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aadOf(head, associated))
  return Buffer.concat([head, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function unseal(key: KeyObject, kid: string, sealed: Buffer, associated: Associated): Buffer {
  const head = headOf(kid)
  const text_at = head.length + nonce_bytes
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(head.length, text_at), {
    authTagLength: tag_bytes,
  })
  decipher.setAAD(aadOf(head, associated)).setAuthTag(sealed.subarray(-tag_bytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(text_at, -tag_bytes)), decipher.final()])
  } catch (error) {
    throw new Error('a sealed value was changed, or belongs to another place', { cause: error })
  }
}
