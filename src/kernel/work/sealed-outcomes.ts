/** The column of recorded replies with a secret, for a rotation of the keyring. */
import type { KeyedName } from '../idempotency/records.ts'
import { placeOf, sealed_column, sealed_table, sealed_use } from '../idempotency/sealed-outcomes.ts'
import type { SealedColumn } from './reseal.ts'

export const sealedOutcomes: SealedColumn = {
  table: sealed_table,
  key: ['principal_id', 'operation', 'key'],
  column: sealed_column,
  use: sealed_use,
  place: row => placeOf(row as KeyedName),
}
