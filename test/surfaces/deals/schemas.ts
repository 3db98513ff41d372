/** A deal, as its row and as the list shows it. */
import { Type } from 'typebox'
import { Id, nullable, oneOf, Time } from '#dodeca/kernel'

export const State = oneOf('open', 'won', 'lost')
export const Row = Type.Object({
  id: Id,
  owner_id: Id,
  number: Type.Integer(),
  title: Type.String(),
  state: State,
  currency: Type.String(),
  amount_minor: Type.Integer(),
  note: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  created_at: Time,
})
export const Deal = Type.Object(
  {
    ...Type.Omit(Row, ['state', 'owner_id']).properties,
    owner: Type.Object({ id: Id }),
    state: State,
  },
  { title: 'Deal' },
)
