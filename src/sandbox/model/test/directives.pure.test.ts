/** What a prompt tells the model of the sandbox to do. */
import { expect, test } from 'vitest'
import { promptOf } from '../prompt.ts'

const prompt = {
  path: '/v1/responses',
  model: 'm',
  instructions: '',
  max_output_tokens: 1,
  schema: null,
  operation_id: null,
  tools: [],
  tool_choice: 'auto',
  results: 0,
}

test.each([
  ['[[sandbox tokens=5 fault=slow]]', { tokens: '5', fault: 'slow' }],
  [
    'Do it. [[sandbox call=a args={"b":"c d","e":[1,{"f":"]] }"}]} steps=2]] Now.',
    {
      call: 'a',
      args: '{"b":"c d","e":[1,{"f":"]] }"}]}',
      steps: '2',
    },
  ],
  ['[[sandbox args={"a":"\\"}"}]]', { args: '{"a":"\\"}"}' }],
  ['[[sandbox call=a]] [[sandbox call=b]]', { call: 'b' }],
  ['[[sandbox args={"a":', { args: '{"a":' }],
  ['[[sandboxes call=a]] call=b', {}],
])('%s', (input, directives) => {
  expect(promptOf({ ...prompt, input }).directives).toEqual(directives)
})
