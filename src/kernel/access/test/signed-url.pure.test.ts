/** A signed address is good for one method, one path, its exact limits and its time. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openKeyring } from '../../keys.ts'
import { openSignedUrls, type SignedGrant } from '../signed-url.ts'

const key_1 = randomBytes(32).toString('base64')
const key_2 = randomBytes(32).toString('base64')
const pepper = randomBytes(32).toString('base64')

async function urlsWith(keyring: string) {
  return openSignedUrls(await openKeyring({ keyring, pepper, file: '', may_create: false }))
}

const grant: SignedGrant = {
  method: 'PUT',
  path: '/_objects/u/019a/1',
  limits: { object_key: 'o/2026/01/01/x', size: 8_388_608, sha256: null },
}
const expires = 1_800_000_000

function queryOf(path: string): Record<string, string> {
  return Object.fromEntries(new URL(path, 'http://127.0.0.1').searchParams)
}

test('it is good until its second, and says expired from then on', async () => {
  const urls = await urlsWith(`k1:${key_1}`)
  const signed = urls.sign(grant, expires)
  expect(signed.startsWith(`${grant.path}?`)).toBe(true)
  const query = queryOf(signed)
  expect(Object.keys(query)).toEqual(['exp', 'kid', 'sig'])
  expect(urls.verify(grant, query, expires - 1)).toBe('ok')
  expect(urls.verify(grant, query, expires)).toBe('signed_url_expired')
})

test('another method, path or limit is invalid, also when expired', async () => {
  const urls = await urlsWith(`k1:${key_1}`)
  const query = queryOf(urls.sign(grant, expires))
  const others: SignedGrant[] = [
    { ...grant, method: 'GET' },
    { ...grant, path: '/_objects/u/019a/2' },
    { ...grant, limits: { ...grant.limits, size: 8_388_609 } },
    { ...grant, limits: { ...grant.limits, size: '8388608' } },
    { ...grant, limits: { ...grant.limits, more: 1 } },
    { ...grant, limits: {} },
  ]
  for (const other of others) {
    expect(urls.verify(other, query, expires - 1)).toBe('signed_url_invalid')
    expect(urls.verify(other, query, expires + 1)).toBe('signed_url_invalid')
  }
  const { object_key, sha256, size } = grant.limits
  const reordered = { sha256: sha256 ?? null, size: size ?? null, object_key: object_key ?? null }
  expect(urls.verify({ ...grant, limits: reordered }, query, expires - 1)).toBe('ok')
})

test('every altered, missing, repeated or respelled parameter is invalid', async () => {
  const urls = await urlsWith(`k1:${key_1},k2:${key_2}`)
  const query = queryOf(urls.sign(grant, expires))
  const sig = query['sig'] ?? ''
  const queries: Record<string, unknown>[] = [
    { ...query, exp: String(expires + 3600) },
    { ...query, exp: `0${expires}` },
    { ...query, exp: `${expires}.0` },
    { ...query, exp: undefined },
    { ...query, kid: 'k2' },
    { ...query, kid: 'k9' },
    { ...query, kid: undefined },
    { ...query, sig: `${sig.startsWith('A') ? 'B' : 'A'}${sig.slice(1)}` },
    { ...query, sig: sig.slice(0, 22) },
    { ...query, sig: `${sig}=` },
    { ...query, sig: [sig, sig] },
    { ...query, sig: '' },
    {},
  ]
  for (const other of queries) {
    expect(urls.verify(grant, other, expires - 1)).toBe('signed_url_invalid')
  }
  // 43 characters hold 258 bits: the last one has spellings that decode to the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const good = Array.from(alphabet).filter(
    last => urls.verify(grant, { ...query, sig: sig.slice(0, -1) + last }, expires - 1) === 'ok',
  )
  expect(good).toEqual([sig.at(-1)])
})

test('a URL for GET allows HEAD', async () => {
  const urls = await urlsWith(`k1:${key_1}`)
  const reading: SignedGrant = { method: 'GET', path: '/_objects/d/019a/original', limits: {} }
  const query = queryOf(urls.sign(reading, expires))
  expect(urls.verify({ ...reading, method: 'HEAD' }, query, expires - 1)).toBe('ok')
  expect(urls.verify({ ...reading, method: 'DELETE' }, query, expires - 1)).toBe(
    'signed_url_invalid',
  )
})

test('a rotation keeps it valid, revoking its key ends it', async () => {
  const query = queryOf((await urlsWith(`k1:${key_1}`)).sign(grant, expires))
  const rotated = await urlsWith(`k2:${key_2},k1:${key_1}`)
  expect(rotated.verify(grant, query, expires - 1)).toBe('ok')
  expect(queryOf(rotated.sign(grant, expires))['kid']).toBe('k2')
  const revoked = await urlsWith(`k2:${key_2}`)
  expect(revoked.verify(grant, query, expires - 1)).toBe('signed_url_invalid')
})

test('an expiry that is not a whole number of seconds cannot be signed', async () => {
  const urls = await urlsWith(`k1:${key_1}`)
  expect(() => urls.sign(grant, expires + 0.5)).toThrow('whole number of seconds')
  expect(() => urls.sign(grant, Number.NaN)).toThrow('whole number of seconds')
})
