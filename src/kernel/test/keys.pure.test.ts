/** What is sealed opens only where it belongs, and a rotation of keys loses nothing. */
import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openKeyring, parseKeyring, type Keyring } from '../keys.ts'
import { StartError } from '../errors/start-error.ts'

const newKey = () => randomBytes(32).toString('base64')
const key_1 = newKey()
const key_2 = newKey()
const pepper = newKey()
const place = { table: 'webhooks.subscriptions', id: 'a', column: 'secret' }

function ring(keyring: string): Promise<Keyring> {
  return openKeyring({ keyring, pepper, file: '/nonexistent/keys.json', may_create: false })
}

describe('sealing', () => {
  test('what was sealed opens unchanged', async () => {
    const keys = await ring(`k1:${key_1}`)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), (bytes, id) => {
        const plaintext = Buffer.from(bytes)
        const sealed = keys.seal('identity.totp', plaintext, { ...place, id })
        return keys.open('identity.totp', sealed, { ...place, id }).equals(plaintext)
      }),
    )
  })

  test('one flipped bit anywhere, or a cut, makes it unreadable', async () => {
    const keys = await ring(`k1:${key_1}`)
    const sealed = keys.seal('identity.totp', Buffer.from('a secret'), place)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed)
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(() => keys.open('identity.totp', altered, place)).toThrow(Error)
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => keys.open('identity.totp', sealed.subarray(0, length), place)).toThrow(Error)
    }
  })

  test('it opens for no other use, table, row or column', async () => {
    const keys = await ring(`k1:${key_1}`)
    const sealed = keys.seal('identity.totp', Buffer.from('a secret'), place)
    expect(() => keys.open('webhooks.secrets', sealed, place)).toThrow('a sealed value was changed')
    for (const other of [{ table: 'b' }, { id: 'b' }, { column: 'b' }]) {
      expect(() => keys.open('identity.totp', sealed, { ...place, ...other })).toThrow(
        'a sealed value was changed',
      )
    }
    // The three parts must not be exchangeable at their seams.
    const seam = keys.seal('identity.totp', Buffer.from('x'), { table: 'ab', id: 'c', column: 'd' })
    const shifted = { table: 'a', id: 'bc', column: 'd' }
    expect(() => keys.open('identity.totp', seam, shifted)).toThrow('a sealed value was changed')
  })

  test('the same text is sealed differently each time', async () => {
    const keys = await ring(`k1:${key_1}`)
    const texts = Array.from({ length: 50 }, () =>
      keys.seal('identity.totp', Buffer.from('a secret'), place).toString('hex'),
    )
    expect(new Set(texts).size).toBe(50)
  })
})

describe('rotation', () => {
  test('old ciphertexts stay readable and say which key sealed them', async () => {
    const before = await ring(`k1:${key_1}`)
    const after = await ring(`k2:${key_2},k1:${key_1}`)
    const old = before.seal('identity.totp', Buffer.from('a secret'), place)
    expect(after.open('identity.totp', old, place).toString()).toBe('a secret')
    expect(after.sealedWith(old)).toBe('k1')
    expect(after.kids).toEqual(['k2', 'k1'])
    const renewed = after.seal('identity.totp', Buffer.from('a secret'), place)
    expect(after.sealedWith(renewed)).toBe('k2')
    expect(() => before.open('identity.totp', renewed, place)).toThrow('k2')
  })

  test('old signatures stay valid until their key leaves the ring', async () => {
    const before = await ring(`k1:${key_1}`)
    const after = await ring(`k2:${key_2},k1:${key_1}`)
    const without = await ring(`k2:${key_2}`)
    const data = Buffer.from('a cursor')
    const mac = before.mac('kernel.cursors', data)
    expect(after.macMatches('kernel.cursors', data, mac)).toBe(true)
    expect(after.mac('kernel.cursors', data)).not.toEqual(mac)
    expect(after.macWith('k1', 'kernel.cursors', data)).toEqual(mac)
    expect(without.macMatches('kernel.cursors', data, mac)).toBe(false)
    expect(without.macWith('k1', 'kernel.cursors', data)).toBeNull()
  })

  test('fingerprints stay equal over a rotation and differ between uses', async () => {
    const before = await ring(`k1:${key_1}`)
    const after = await ring(`k2:${key_2},k1:${key_1}`)
    const mark = before.fingerprint('notifications.suppressed', 'ada@example.com')
    expect(after.fingerprint('notifications.suppressed', 'ada@example.com')).toEqual(mark)
    expect(after.fingerprint('inference.user', 'ada@example.com')).not.toEqual(mark)
  })
})

describe('signing', () => {
  test('a signature may be cut to 16 bytes, not below, and fits one use and one text', async () => {
    const keys = await ring(`k1:${key_1}`)
    const data = Buffer.from('a cursor')
    const mac = keys.mac('kernel.cursors', data)
    expect(keys.macMatches('kernel.cursors', data, mac.subarray(0, 16))).toBe(true)
    expect(keys.macMatches('kernel.cursors', data, mac.subarray(0, 15))).toBe(false)
    expect(keys.macMatches('kernel.cursors', data, Buffer.alloc(0))).toBe(false)
    expect(keys.macMatches('kernel.cursors', data, Buffer.concat([mac, mac]))).toBe(false)
    expect(keys.macMatches('kernel.csrf', data, mac)).toBe(false)
    expect(keys.macMatches('kernel.cursors', Buffer.from('another'), mac)).toBe(false)
  })
})

describe('where keys come from', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dodeca-keys-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('production does not start without either', async () => {
    const file = join(folder, 'never.json')
    for (const given of [
      { keyring: null, pepper: null },
      { keyring: `k1:${key_1}`, pepper: null },
      { keyring: null, pepper },
    ]) {
      await expect(openKeyring({ ...given, file, may_create: false })).rejects.toThrow(StartError)
    }
    expect(await readdir(folder)).toEqual([])
  })

  test('development makes a file once, for its owner only; simultaneous starts agree', async () => {
    const file = join(folder, 'data', 'keys.json')
    const open = () => openKeyring({ keyring: null, pepper: null, file, may_create: true })
    const rings = await Promise.all(Array.from({ length: 8 }, open))
    const again = await open()
    const sealed = again.seal('identity.totp', Buffer.from('a secret'), place)
    for (const keys of rings) {
      expect(keys.open('identity.totp', sealed, place).toString()).toBe('a secret')
      expect(keys.fingerprint('a', 'b')).toEqual(again.fingerprint('a', 'b'))
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'data'))).toEqual(['keys.json'])
    expect(await readFile(file, 'utf8')).toContain('"pepper"')
  })

  test('a given keyring is used with the kept pepper', async () => {
    const file = join(folder, 'mixed.json')
    const given = await openKeyring({
      keyring: `mine:${key_1}`,
      pepper: null,
      file,
      may_create: true,
    })
    const kept = await openKeyring({ keyring: null, pepper: null, file, may_create: true })
    expect(given.kids).toEqual(['mine'])
    expect(given.fingerprint('a', 'b')).toEqual(kept.fingerprint('a', 'b'))
  })

  test('a broken file stops the start and is left as it is', async () => {
    const file = join(folder, 'broken.json')
    for (const text of ['', '{"keyring":', '{"keyring":"k1:x"}', '[]']) {
      await writeFile(file, text)
      const opening = openKeyring({ keyring: null, pepper: null, file, may_create: true })
      await expect(opening).rejects.toThrow(StartError)
      expect(await readFile(file, 'utf8')).toBe(text)
    }
  })

  test('a keyring or pepper that is not understood stops the start', async () => {
    const short = randomBytes(16).toString('base64')
    for (const text of [
      '',
      'k1',
      `k1:${short}`,
      `:${key_1}`,
      `k 1:${key_1}`,
      `k1:${key_1}:x`,
      `k1:${key_1},`,
      `k1:${key_1},k1:${key_2}`,
      `${'k'.repeat(33)}:${key_1}`,
      `k1:${key_1.replace('=', '')}`,
    ]) {
      expect(() => parseKeyring(text)).toThrow(StartError)
    }
    expect(parseKeyring(`k1:${key_1}, k2:${key_2}`).map(({ kid }) => kid)).toEqual(['k1', 'k2'])
    const opening = openKeyring({
      keyring: `k1:${key_1}`,
      pepper: 'salt',
      file: '',
      may_create: false,
    })
    await expect(opening).rejects.toThrow(StartError)
  })
})
