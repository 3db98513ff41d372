/** What other surfaces may ask of social. */
import type { Reader } from '../../kernel/database/db.ts'

export type Face = {
  /** Whether one of the two blocks the other, for each pair, in their order. */
  blockedPairs(
    reader: Reader,
    tenant_id: string,
    pairs: readonly (readonly [string, string])[],
  ): Promise<boolean[]>
}
