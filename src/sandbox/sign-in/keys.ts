/**
 * The key with which the OpenID providers sign, and the key of the team with which an application
 * authenticates at Apple.
 */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, importPKCS8, importSPKI, jwtVerify, SignJWT, type JWK } from 'jose'
import { writeWhole } from '../write-whole.ts'

const alg = 'ES256'
const kid = 'sandbox'
const token_seconds = 600
export const apple_team_id = 'SANDBOXTM1'
export const apple_key_id = 'SANDBOXKY1'

export type Keys = {
  /** The file that Apple gives to a team. */
  readonly apple_file: string
  jwks(): Promise<{ keys: JWK[] }>
  sign(claims: Record<string, unknown>, now_seconds: number): Promise<string>
  /** Whether the team has signed this client secret. */
  isOfTeam(client_secret: string, client_id: string): Promise<boolean>
}

export function openKeys(folder: string): Keys {
  const own = pairIn(join(folder, 'signing'))
  const apple = pairIn(join(folder, 'apple'))
  return {
    apple_file: join(folder, 'apple.p8'),
    jwks: async () => {
      const jwk = await exportJWK(await importSPKI(own.public_key, alg))
      return { keys: [{ ...jwk, kid, alg, use: 'sig' }] }
    },
    sign: async (claims, now_seconds) =>
      await new SignJWT(claims)
        .setProtectedHeader({ alg, kid })
        .setIssuedAt(now_seconds)
        .setExpirationTime(now_seconds + token_seconds)
        .sign(await importPKCS8(own.private_key, alg)),
    isOfTeam: async (client_secret, client_id) => {
      try {
        const { protectedHeader } = await jwtVerify(
          client_secret,
          await importSPKI(apple.public_key, alg),
          {
            issuer: apple_team_id,
            subject: client_id,
            audience: 'https://appleid.apple.com',
            algorithms: [alg],
            maxTokenAge: '180 days',
          },
        )
        return protectedHeader.kid === apple_key_id
      } catch {
        return false
      }
    },
  }
}

function pairIn(file: string): { private_key: string; public_key: string } {
  const [secret, open] = [`${file}.p8`, `${file}.pem`]
  if (!existsSync(open)) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    writeWhole(secret, privateKey)
    writeWhole(open, publicKey)
  }
  return { private_key: readFileSync(secret, 'utf8'), public_key: readFileSync(open, 'utf8') }
}
