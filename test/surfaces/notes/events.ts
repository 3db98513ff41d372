/** What happens to a note. */
import { Type } from 'typebox'
import { Id } from '../../../src/kernel/http/shapes.ts'

export const events = {
  'note.written': { version: 1, data: Type.Object({ note_id: Id }) },
} as const
