/** What tests of tools send and read. The sandbox stands for the model: the input says what it calls. */
import { newKey } from '../../../../../test/world.ts'
import type { Someone } from '../../test/inference-world.ts'

export const operation = (name: string, more: object = {}) => ({ type: 'operation', name, ...more })
export const asks = (call: string, args: object, more = '') =>
  `Do it. [[sandbox call=${call} args=${JSON.stringify(args)} ${more}]]`
export const given = (...tools: object[]) => ({ parameters: { tools } })

export const target = 'https://example.com/a'
export const makesLink = asks('createLink', { destination_url: target })
export const links = async (one: Someone): Promise<{ destination_url: string }[]> =>
  (await one.ask('GET', '/v1/links')).body.data

/** The answer to all that a call asked. */
export const answering = (body: { id: string; output: { steps: Step[] } }, approve: boolean) => ({
  previous_id: body.id,
  input: askedIn(body).map(tool_call_id => ({ type: 'approval', tool_call_id, approve })),
})
export type Step = { tool_calls: { id: string; state: string }[] }
export const askedIn = ({ output }: { output: { steps: Step[] } }) =>
  output.steps.flatMap(step =>
    step.tool_calls.filter(one => one.state === 'asked').map(one => one.id),
  )
export const send = (one: Someone, body: object, key = newKey()) =>
  one.ask('POST', '/v1/inferences', { model: 'default', ...body }, { key })
