/** Only the exact bytes under a live secret and within the window are accepted. */
import { Buffer } from 'node:buffer'
import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  newStandardSecret,
  parseStandardSecret,
  signStandard,
  verifySigned,
  verifyStandard,
} from '../signatures.ts'

const now_seconds = 1_800_000_000

function whsec(bytes: number): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`
}

describe('Standard Webhooks', () => {
  test('the published example has the published signature', () => {
    const secret = parseStandardSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    const headers = signStandard({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp_seconds: 1_614_265_330,
      body: Buffer.from('{"test": 2432232314}'),
      secrets: secret ? [secret] : [],
    })
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  test('any body signed is verified, any other body is not', () => {
    const secrets = [randomBytes(32)]
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (bytes, others) => {
        const body = Buffer.from(bytes)
        const other = Buffer.from(others)
        const headers = signStandard({ id: 'e1', timestamp_seconds: now_seconds, body, secrets })
        const verdict = verifyStandard({ headers, body: other, secrets, now_seconds })
        return (verdict.outcome === 'ok') === body.equals(other)
      }),
    )
    const body = Buffer.from('{"a":1,"b":"\\u00e9"}')
    const headers = signStandard({ id: 'e1', timestamp_seconds: now_seconds, body, secrets })
    expect(verifyStandard({ headers, body, secrets, now_seconds }).outcome).toBe('ok')
    const reencoded = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
    expect(verifyStandard({ headers, body: reencoded, secrets, now_seconds }).outcome).toBe(
      'signature_invalid',
    )
  })

  test('with several secrets either side may rotate first, and the verdict names the match', () => {
    const [old, fresh, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const body = Buffer.from('{}')
    const sign = (secrets: Buffer[]) =>
      signStandard({ id: 'e1', timestamp_seconds: now_seconds, body, secrets })
    const verify = (headers: ReturnType<typeof sign>, secrets: Buffer[]) =>
      verifyStandard({ headers, body, secrets, now_seconds })
    const both = sign([fresh, old])
    expect(both['webhook-signature'].split(' ')).toHaveLength(2)
    expect(verify(both, [old])).toEqual({ outcome: 'ok', secret: 0 })
    expect(verify(both, [fresh])).toEqual({ outcome: 'ok', secret: 0 })
    expect(verify(sign([old]), [fresh, old])).toEqual({ outcome: 'ok', secret: 1 })
    expect(verify(both, [foreign])).toEqual({ outcome: 'signature_invalid' })
    expect(verify(both, [])).toEqual({ outcome: 'signature_invalid' })
    expect(verify(sign([]), [old])).toEqual({ outcome: 'signature_invalid' })
  })

  test('the window is 300 s both ways, and a bad signature is reported before a bad time', () => {
    const secrets = [randomBytes(32)]
    const body = Buffer.from('{}')
    const outcomeAt = (offset: number, known = secrets) => {
      const timestamp_seconds = now_seconds + offset
      const headers = signStandard({ id: 'e1', timestamp_seconds, body, secrets })
      return verifyStandard({ headers, body, secrets: known, now_seconds }).outcome
    }
    expect([-300, 0, 300].map(offset => outcomeAt(offset))).toEqual(['ok', 'ok', 'ok'])
    expect([-301, 301].map(offset => outcomeAt(offset))).toEqual([
      'timestamp_out_of_window',
      'timestamp_out_of_window',
    ])
    expect(outcomeAt(301, [randomBytes(32)])).toBe('signature_invalid')
  })

  test('missing, repeated, altered and foreign headers are refused', () => {
    const secrets = [randomBytes(32)]
    const body = Buffer.from('{}')
    const headers = signStandard({ id: 'e1', timestamp_seconds: now_seconds, body, secrets })
    const mac = headers['webhook-signature'].slice('v1,'.length)
    const altered: Record<string, string | string[] | undefined>[] = [
      { 'webhook-id': undefined },
      { 'webhook-id': 'e2' },
      { 'webhook-id': ['e1', 'e1'] },
      { 'webhook-timestamp': undefined },
      { 'webhook-timestamp': `${now_seconds}.0` },
      { 'webhook-timestamp': `+${now_seconds}` },
      { 'webhook-signature': undefined },
      { 'webhook-signature': '' },
      { 'webhook-signature': mac },
      { 'webhook-signature': `v1a,${mac}` },
      { 'webhook-signature': `v1,${mac.slice(0, -4)}` },
      { 'webhook-signature': `v1,${'A'.repeat(43)}= `.repeat(16) + headers['webhook-signature'] },
    ]
    for (const other of altered) {
      const verdict = verifyStandard({
        headers: { ...headers, ...other },
        body,
        secrets,
        now_seconds,
      })
      expect(verdict.outcome).toBe('signature_invalid')
    }
    const among = { 'webhook-signature': `v1a,xyz v1,AAAA ${headers['webhook-signature']}` }
    expect(
      verifyStandard({ headers: { ...headers, ...among }, body, secrets, now_seconds }).outcome,
    ).toBe('ok')
  })

  test('an id with a dot is not signed: it would move the seam between id and time', () => {
    const message = {
      id: 'e.1',
      timestamp_seconds: now_seconds,
      body: Buffer.from(''),
      secrets: [],
    }
    expect(() => signStandard(message)).toThrow('dot')
  })

  test('secrets have 24 to 64 bytes and one spelling', () => {
    const made = newStandardSecret()
    expect(parseStandardSecret(made)).toHaveLength(32)
    expect(newStandardSecret()).not.toBe(made)
    expect(parseStandardSecret(whsec(24))).toHaveLength(24)
    expect(parseStandardSecret(whsec(64))).toHaveLength(64)
    for (const text of [
      whsec(23),
      whsec(65),
      '',
      'whsec_',
      made.slice(6),
      `${made}\n`,
      `${made}!`,
    ]) {
      expect(parseStandardSecret(text)).toBeNull()
    }
  })
})

describe('other schemes', () => {
  test('parts are signed as one text, in the algorithm of the scheme', () => {
    const secret = randomBytes(20)
    const body = Buffer.from([0, 255, 10, 13])
    for (const algorithm of ['sha1', 'sha256', 'sha512'] as const) {
      const content = [`v0:${now_seconds}:`, body]
      const mac = createHmac(algorithm, secret)
        .update(Buffer.concat([Buffer.from(`v0:${now_seconds}:`), body]))
        .digest()
      const message = { algorithm, secrets: [secret], content, now_seconds }
      const timestamp = String(now_seconds)
      expect(verifySigned({ ...message, signatures: [mac], timestamp }).outcome).toBe('ok')
      const cut = mac.subarray(0, 16)
      expect(verifySigned({ ...message, signatures: [cut], timestamp }).outcome).toBe(
        'signature_invalid',
      )
      // GitHub signs no time: then there is no window.
      expect(verifySigned({ ...message, signatures: [mac], timestamp: null }).outcome).toBe('ok')
      expect(verifySigned({ ...message, signatures: [mac], timestamp: 'soon' }).outcome).toBe(
        'timestamp_out_of_window',
      )
    }
  })
})
