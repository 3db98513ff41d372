/** Ids as the vendors of models write them. */
import { newId } from '#dodeca/kernel'

/** The prefix gives the kind of object. The rest is unique and ordered by time. */
export function idOf(prefix: string): string {
  return `${prefix}_${newId().replaceAll('-', '')}`
}
