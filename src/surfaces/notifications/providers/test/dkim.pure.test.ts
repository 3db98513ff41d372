/** Another library accepts our DKIM signature, which covers the headers for unsubscribing. */
import { generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { expect, test } from 'vitest'
import { compose, openDkim } from '../smtp.ts'

test('a signed mail verifies', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const dkim = openDkim({ domainName: 'dodeca.test', keySelector: 'k1', privateKey: pem })
  const message = {
    channel: 'email',
    locale: 'en',
    subject: 'x',
    html: '<p>x</p>',
    text: 'x',
    url: null,
  } as const
  const bytes = await compose({ from: 'a@dodeca.test', host: 'dodeca.test' }, dkim, {
    ref: 'one.email',
    to: 'b@example.test',
    message,
    category: 'news',
    unsubscribe_url: 'https://dodeca.test/v1/unsubscribe/x',
    created_at: '2026-11-22T00:00:00.000Z',
    ttl_seconds: 60,
  })
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const resolver = () => Promise.resolve([[`v=DKIM1; k=rsa; p=${key}`]])
  const { results } = (await dkimVerify(bytes, { resolver })) as {
    results: { status: { result: string }; signingHeaders: { keys: string } }[]
  }
  expect(results[0]?.status.result).toBe('pass')
  const signed = results[0]?.signingHeaders.keys.toLowerCase().split(/[\s:;]+/)
  expect(signed).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']))
})
