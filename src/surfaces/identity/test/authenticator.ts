/**
 * A security key in software, as the other side of WebAuthn: it makes real ES256 keys, writes the binary
 * structures of the specification byte by byte and signs them; attestation is `none`. It verifies the
 * person only where the page requires it, and names the account where the page names no key. What it
 * answers can be bent (origin, relying party, counter, handle, verification), as a phishing page or a
 * copied key would.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export type Bent = {
  origin?: string
  rp_id?: string
  challenge?: string
  counter?: number
  user_handle?: string
  verified?: boolean
}

type Creating = {
  challenge: string
  rp: { id?: string }
  user?: { id: string }
  authenticatorSelection?: { userVerification?: string }
}
type Getting = {
  challenge: string
  rpId?: string
  allowCredentials?: readonly unknown[]
  userVerification?: string
}

export type Authenticator = {
  /** What `navigator.credentials.create` would answer. */
  create(options: Creating, bent?: Bent): object
  /** What `navigator.credentials.get` would answer. */
  get(options: Getting, bent?: Bent): object
}

const present = 0x01
const verified = 0x04
const attested = 0x40

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** What browsers add, and nobody reads. */
const sent_along = {
  authenticatorAttachment: 'cross-platform',
  clientExtensionResults: { credProps: { rk: true } },
}

export function makeAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credential_id = randomBytes(16)
  const id = base64url(credential_id)
  const credential = { id, rawId: id, type: 'public-key', ...sent_along }
  let counter = 0
  let user_handle: string | undefined

  const clientData = (type: string, challenge: string, bent: Bent) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: bent.challenge ?? challenge,
        origin: bent.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authenticatorData = (rp_id: string, flags: number, bent: Bent, rest: Buffer) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    head.writeUInt32BE(bent.counter ?? counter, 1)
    return Buffer.concat([sha256(bent.rp_id ?? rp_id), head, rest])
  }

  return {
    create: ({ challenge, rp, user, authenticatorSelection }, bent = {}) => {
      user_handle = user?.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credential_id.length)
      const key = coseKey(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'))
      const rest = Buffer.concat([Buffer.alloc(16), length, credential_id, key])
      const flags = attested | shown(authenticatorSelection, bent)
      const data = authenticatorData(rp.id ?? '', flags, bent, rest)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, bent)),
          attestationObject: base64url(attestationObject(data)),
          transports: ['usb'],
          authenticatorData: base64url(data),
          publicKey: base64url(publicKey.export({ type: 'spki', format: 'der' })),
          publicKeyAlgorithm: -7,
        },
      }
    },
    get: ({ challenge, rpId = '', allowCredentials = [], ...asked }, bent = {}) => {
      const named = allowCredentials.length === 0 ? (bent.user_handle ?? user_handle) : undefined
      counter++
      const client = clientData('webauthn.get', challenge, bent)
      const data = authenticatorData(rpId, shown(asked, bent), bent, Buffer.alloc(0))
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
          ...(named === undefined ? {} : { userHandle: named }),
        },
      }
    },
  }
}

function shown(asked: { userVerification?: string } | undefined, bent: Bent): number {
  const does = bent.verified ?? asked?.userVerification === 'required'
  return does ? present | verified : present
}

/** CBOR: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
function coseKey(x: Buffer, y: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    x,
    Buffer.from([0x22, 0x58, 0x20]),
    y,
  ])
}

/** CBOR: {"fmt": "none", "attStmt": {}, "authData": bytes}. */
function attestationObject(data: Buffer): Buffer {
  const text = (value: string) =>
    Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x58, data.length]),
    data,
  ])
}
