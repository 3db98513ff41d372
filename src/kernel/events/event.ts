/** The shape of an event in the log, and the schema with which consumers read events. */
import { type Static, type TSchema, Type } from 'typebox'

export const LoggedEvent = Type.Object({
  position: Type.Integer(),
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  aggregate_type: Type.String(),
  aggregate_id: Type.String(),
  aggregate_version: Type.Integer(),
  payload: Type.Unknown(),
  payload_ref: Type.Union([Type.String(), Type.Null()]),
  traceparent: Type.Union([Type.String(), Type.Null()]),
  occurred_at: Type.String(),
  created_at: Type.String(),
})
export type LoggedEvent = Static<typeof LoggedEvent>

export type EventDeclaration = {
  readonly version: number
  readonly data: TSchema
  /**
   * Whether the event is internal, which means that subscribers outside the platform do not get it.
   */
  readonly internal?: true
}
