/** A message that an external vendor sends for us. */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, text } from '#dodeca/kernel'

export const Message = Type.Object(
  {
    operation_id: Id,
    text: Type.String(),
    state: Type.String(),
    vendor_ref: nullable(Type.String()),
  },
  { title: 'RelayMessage' },
)
export type Message = Static<typeof Message>

export const SendMessage = closed({ text: text(1000) })
export const MessageRow = Type.Object({
  ...Message.properties,
  tenant_id: Id,
  version: Type.Integer(),
})
