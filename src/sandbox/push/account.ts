/**
 * The service account of this Firebase. Its key is created once, and signed requests get tokens.
 */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importSPKI, jwtVerify } from 'jose'
import { newSecret } from '#dodeca/kernel'
import { writeWhole } from '../write-whole.ts'

export type Account = {
  /** The credentials file for the platform. */
  readonly file: string
  readonly project_id: string
  /** Null if the account's key did not sign the request. */
  tokenFor(form: URLSearchParams): Promise<string | null>
  isGiven(token: string): boolean
}

const project_id = 'dodeca-sandbox'
const email = `sender@${project_id}.iam.gserviceaccount.com`

export async function openAccount(folder: string, token_uri: string): Promise<Account> {
  const file = join(folder, 'service-account.json')
  const kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { private_key: string; public_key: string })
    : generateKeyPairSync('rsa', {
        modulusLength: 2048,
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      })
  const pair =
    'public_key' in kept ? kept : { private_key: kept.privateKey, public_key: kept.publicKey }
  writeWhole(
    file,
    JSON.stringify({
      type: 'service_account',
      project_id,
      client_email: email,
      token_uri,
      ...pair,
    }),
  )
  const key = await importSPKI(pair.public_key, 'RS256')
  const given = new Set<string>()
  return {
    file,
    project_id,
    tokenFor: async form => {
      try {
        await jwtVerify(form.get('assertion') ?? '', key, { issuer: email, audience: token_uri })
      } catch {
        return null
      }
      const token = newSecret()
      given.add(token)
      return token
    },
    isGiven: token => given.has(token),
  }
}
