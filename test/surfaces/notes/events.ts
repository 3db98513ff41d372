/** What happens to a note. */
import { Type } from 'typebox'
import { Id } from '#dodeca/kernel'

const Named = Type.Object({ note_id: Id })

export const events = {
  'note.written': { version: 1, data: Named },
  'note.reminded': { version: 1, data: Named },
  'note.expired': { version: 1, data: Named },
} as const
