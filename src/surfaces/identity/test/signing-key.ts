/** The platform's own signing key, opened from its row, so that a test can forge tokens well. */
import { importJWK, type CryptoKey, type JWK } from 'jose'
import { Type } from 'typebox'
import type { Platform } from '../../../runtime/open-platform.ts'
import { sql } from '#dodeca/kernel'

const Row = Type.Object({ kid: Type.String(), private_key: Type.Any() })

export async function signingKeyOf({ kernel }: Platform): Promise<{ kid: string; key: CryptoKey }> {
  const { kid, private_key } = await kernel.db.one(
    Row,
    sql`select kid, private_key from identity.signing_keys where state = 'active'`,
  )
  const place = { table: 'identity.signing_keys', id: kid, column: 'private_key' }
  const jwk = kernel.keys.open('identity.signing', private_key as Buffer, place).toString()
  return { kid, key: (await importJWK(JSON.parse(jwk) as JWK, 'ES256')) as CryptoKey }
}
