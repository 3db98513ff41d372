/** What is asked and answered when a delivery is sent again. */
import { Type } from 'typebox'
import { closed, Id, text } from '../../../kernel/http/shapes.ts'

export const Replay = closed({ reason: text(500) })
export const Replayed = Type.Object({
  id: Id,
  status: Type.Literal('pending'),
  replay_id: Id,
  event_id: Id,
  attempt_count: Type.Integer(),
})
