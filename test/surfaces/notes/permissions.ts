/** What may be done with notes, and who may do it from the start. */
import type { Permission } from '#dodeca/kernel'

export const permissions: Readonly<Record<string, Permission>> = {
  'notes.notes.write': { says: 'Write notes of a kind', roles: ['writer'], typed: true },
}
