/** Three tools for the operations that are no tools by themselves: find one, read by it, write by it. */
import type { Operation } from '../../kernel/http/tools/operations.ts'

const found_max = 5
const words_max = 12

const calling = (does: string) => ({
  type: 'object',
  properties: {
    operation: { type: 'string', description: 'The name that find_operation gave.' },
    arguments: { type: 'object', description: `Its \`input\`. ${does}` },
  },
  required: ['operation'],
  additionalProperties: false,
})

export const general_tools = [
  {
    name: 'find_operation',
    description:
      'Find an operation of this platform that none of the other tools does, by what it does. Returns the best ones with their input.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A few English words.', maxLength: 200 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'read',
    description: 'Call an operation that find_operation returned with `call: read`.',
    inputSchema: calling('Nothing is changed.'),
    annotations: { readOnlyHint: true },
  },
  {
    name: 'write',
    description:
      'Call an operation that find_operation returned with `call: write`. The person is asked first.',
    inputSchema: calling('The person sees all of it.'),
    annotations: { destructiveHint: true },
  },
] as const

export type GeneralTool = (typeof general_tools)[number]['name']

export function isGeneral(name: string): name is GeneralTool {
  return general_tools.some(one => one.name === name)
}

export function findOperations(reach: readonly Operation[], query: string): object[] {
  const words = wordsOf(query).slice(0, words_max)
  const rated = reach.map(one => ({ one, rate: rateOf(one, words) }))
  return rated
    .filter(({ rate }) => rate > 0)
    .toSorted((a, b) => b.rate - a.rate)
    .slice(0, found_max)
    .map(({ one }) => ({
      operation: one.name,
      says: one.says,
      call: one.mode === 'read' ? 'read' : 'write',
      input: one.input,
    }))
}

/** A word of the name says more than one of the description. */
function rateOf({ name, says, compiled: { route } }: Operation, words: readonly string[]): number {
  const named = new Set(wordsOf(`${name} ${route.path}`))
  const described = new Set(wordsOf(says))
  const hits = words.map(word => (named.has(word) ? 3 : 0) + (described.has(word) ? 1 : 0))
  return hits.reduce((sum, hit) => sum + hit, 0) - named.size / 100
}

/** In small letters and without the `s` of the plural: `listOrders` is `list order`. */
function wordsOf(text: string): string[] {
  const words = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return (words.match(/[a-z0-9]+/g) ?? []).map(word => word.replace(/(?<=..)s$/, ''))
}
