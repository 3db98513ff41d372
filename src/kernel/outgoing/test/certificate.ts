/**
 * A certificate that signs itself, made afresh for each run, so that no key lies in the repository and
 * none expires. Node makes keys and signatures; the few lines of DER around them are here.
 */
import { Buffer } from 'node:buffer'
import { generateKeyPairSync, sign } from 'node:crypto'

export type Certificate = { readonly cert: string; readonly key: string }

const tags = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  text: 12,
  time: 24,
  sequence: 48,
  set: 49,
  dns_name: 130,
  version: 160,
  extensions: 163,
} as const

export function makeCertificate(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const subject = sequence(
    der(tags.set, sequence(oid('550403'), der(tags.text, Buffer.from('test')))),
  )
  const validity = sequence(time('20200101000000Z'), time('21200101000000Z'))
  const alternatives = sequence(...names.map(name => der(tags.dns_name, Buffer.from(name))))
  const extensions = sequence(
    sequence(oid('551d11'), der(tags.octets, alternatives)),
    sequence(oid('551d13'), der(tags.octets, sequence(der(tags.boolean, Buffer.from([255]))))),
  )
  const body = sequence(
    der(tags.version, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, Buffer.from([1])),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(tags.extensions, extensions),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)])
  const whole = sequence(body, algorithm, der(tags.bits, signature))
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.length
  const length = size < 128 ? [size] : [130, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(tags.sequence, Buffer.concat(parts))
}

function oid(hexadecimal: string): Buffer {
  return der(tags.oid, Buffer.from(hexadecimal, 'hex'))
}

function time(text: string): Buffer {
  return der(tags.time, Buffer.from(text))
}
