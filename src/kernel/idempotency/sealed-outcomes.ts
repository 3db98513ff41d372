/**
 * Recorded replies with a secret that is shown once, such as a new API key. They are sealed with the
 * keyring, and each can be opened only in its own row.
 */
import type { Associated, Keyring } from '../keys.ts'
import type { KeyedName, Seal } from './records.ts'

export const sealed_use = 'kernel.idempotency'
export const sealed_table = 'kernel.idempotency_records'
export const sealed_column = 'sealed_body'

export function placeOf({ principal_id, operation, key }: KeyedName): Associated {
  const id = `${principal_id}\n${operation}\n${key}`
  return { table: sealed_table, id, column: sealed_column }
}

export function sealOf(keys: Pick<Keyring, 'seal' | 'open'>, name: KeyedName): Seal {
  const place = placeOf(name)
  return {
    close: body => keys.seal(sealed_use, body, place),
    open: sealed => keys.open(sealed_use, sealed, place),
  }
}
