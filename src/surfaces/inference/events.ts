/** The events of inference. They contain ids, numbers and states, never a prompt or an output. */
import { Type } from 'typebox'
import { Id, nullable } from '#dodeca/kernel'

const word = Type.String({ maxLength: 64 })
const ended = {
  version: 1,
  data: Type.Object({
    operation_id: Id,
    actor_id: Id,
    model_deployment_id: Id,
    finish_reason: nullable(word),
    error_code: nullable(word),
    usage: Type.Object({
      input_units: Type.Integer({ minimum: 0 }),
      output_units: Type.Integer({ minimum: 0 }),
      cost_amount: Type.String({ maxLength: 40 }),
      currency: Type.String({ maxLength: 3 }),
    }),
  }),
}

export const events = {
  'inference.succeeded': ended,
  'inference.failed': ended,
  'inference.cancelled': ended,
  'inference.blocked': ended,
  'model_provider.changed': {
    version: 1,
    data: Type.Object({ model_provider_id: Id, name: word, state: word }),
  },
  'model_deployment.state_changed': {
    version: 1,
    data: Type.Object({ model_deployment_id: Id, from: word, to: word }),
  },
} as const
