/**
 * The certificate with which this PayPal signs its messages. It is made once, with its key, and signs
 * itself. It is written in DER here, because Node reads certificates but makes none.
 */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../write-whole.ts'

export type Signer = { readonly key: KeyObject; readonly pem: string }

const name = 'messageverificationcerts.sandbox.paypal.com'

export function openSigner(folder: string, now_ms: number): Signer {
  const file = join(folder, 'certificate.json')
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
    writeWhole(file, JSON.stringify({ key, pem: makeCertificate(privateKey, name, now_ms) }))
  }
  const { key, pem } = JSON.parse(readFileSync(file, 'utf8')) as { key: string; pem: string }
  return { key: createPrivateKey(key), pem }
}

const oids = {
  // sha256WithRSAEncryption, commonName, subjectAltName
  signature: '06092a864886f70d01010b',
  name: '0603550403',
  alternatives: '0603551d11',
}

export function makeCertificate(key: KeyObject, host: string, now_ms: number, years = 20): string {
  const algorithm = part(0x30, Buffer.from(oids.signature, 'hex'), Buffer.from([5, 0]))
  const common = part(0x30, Buffer.from(oids.name, 'hex'), part(0x0c, Buffer.from(host)))
  const holder = part(0x30, part(0x31, common))
  const now = new Date(now_ms)
  const until = new Date(now)
  until.setUTCFullYear(until.getUTCFullYear() + years)
  const hosts = part(0x30, part(0x82, Buffer.from(host)))
  const alternatives = part(0x30, Buffer.from(oids.alternatives, 'hex'), part(0x04, hosts))
  const body = part(
    0x30,
    part(0xa0, part(0x02, Buffer.from([2]))),
    part(0x02, Buffer.from([1])),
    algorithm,
    holder,
    part(0x30, timeIn(now), timeIn(until)),
    holder,
    publicPart(key),
    part(0xa3, part(0x30, alternatives)),
  )
  const signature = sign('sha256', body, key)
  const whole = part(0x30, body, algorithm, part(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function publicPart(key: KeyObject): Buffer {
  const { n = '', e = '' } = key.export({ format: 'jwk' })
  const number = (text: string) => part(0x02, Buffer.from([0]), Buffer.from(text, 'base64url'))
  const exponent = part(0x02, Buffer.from(e, 'base64url'))
  const kind = part(0x30, Buffer.from('06092a864886f70d010101', 'hex'), Buffer.from([5, 0]))
  return part(0x30, kind, part(0x03, Buffer.from([0]), part(0x30, number(n), exponent)))
}

const timeIn = (at: Date) =>
  part(0x18, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`))

/** A tag, the length of its contents, and the contents. */
function part(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents)
  const { length } = body
  // Two bytes are enough, and a short length is its own byte.
  const bytes = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...bytes]), body])
}
