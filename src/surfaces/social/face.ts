/** Functions of social that other surfaces of the platform may call. */
import type { Reader, Sql } from '#dodeca/kernel'

export type Inside = {
  /** Returns for each pair whether one of the two blocks the other, in the order of the pairs. */
  blockedPairs(
    reader: Reader,
    tenant_id: string,
    pairs: readonly (readonly [string, string])[],
  ): Promise<boolean[]>
  /** The same for one pair, as a condition in a statement of the caller. */
  blocked(pair: { readonly tenant_id: Sql; readonly one: Sql; readonly other: Sql }): Sql
}
