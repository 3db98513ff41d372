/** What became of a message. */
import { Type } from 'typebox'
import { Id } from '#dodeca/kernel'

export const events = {
  'message.settled': { version: 1, data: Type.Object({ operation_id: Id, state: Type.String() }) },
} as const
