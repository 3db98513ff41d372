/** Ids as OpenAI writes them. */
import { newId } from '../../kernel/ids.ts'

/** Its prefix says what it is; the rest is unique and ordered by time. */
export function idOf(prefix: string): string {
  return `${prefix}_${newId().replaceAll('-', '')}`
}
