/**
 * What one hostile pattern or schema costs: the longest single check in this process, which is the
 * longest time that the event loop can stand still. It does not measure other requests beside it.
 */
import { compileSchema } from '../src/kernel/bounded/json-schema.ts'
import { Refused } from '../src/kernel/bounded/work.ts'

const list = (length: number) => Array.from({ length }, (_, n) => ({ n, text: `item ${n}` }))
const doubling = (depth: number) => {
  const level = (n: number) => ({ anyOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] })
  const levels = Array.from({ length: depth }, (_, n) => [`d${n}`, level(n + 1)] as const)
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), [`d${depth}`]: false } }
}

const cases: readonly (readonly [string, object, unknown])[] = [
  ['^(a|a)*$', { pattern: '^(a|a)*$' }, `${'a'.repeat(16_000)}!`],
  ['(.*a){20}b', { pattern: '(.*a){20}b' }, 'a'.repeat(16_000)],
  ['long program', { pattern: '(?:[ab]?){500}[^x]{400}$' }, 'ab'.repeat(8000)],
  ['unicode classes', { pattern: '^(?:\\p{L}|\\p{Lu}|[\\p{N}]){900}$' }, 'é'.repeat(8000)],
  ['doubling references', doubling(40), 1],
  [
    'alternatives',
    { items: { anyOf: list(240).map(({ n }) => ({ const: n })) } },
    list(5000).map(() => 239),
  ],
  ['unique items', { uniqueItems: true, items: { uniqueItems: true } }, list(3000)],
  [
    'large enum',
    { items: { enum: list(2000) } },
    list(300).map(() => ({ n: 1999, text: 'item 1999' })),
  ],
]

let worst_ms = 0
for (const [name, schema, value] of cases) {
  const compiled = performance.now()
  let outcome = 'refused'
  let check_ms = 0
  try {
    const fits = compileSchema(schema)
    const checked = performance.now()
    const [fault] = fits(value, '')
    check_ms = performance.now() - checked
    outcome = fault?.constraint ?? 'fits'
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
  const whole_ms = performance.now() - compiled
  worst_ms = Math.max(worst_ms, whole_ms)
  console.log(
    `${name.padEnd(22)} check ${check_ms.toFixed(1).padStart(7)} ms   with compiling ${whole_ms.toFixed(1).padStart(7)} ms   ${outcome}`,
  )
}
console.log(`longest: ${worst_ms.toFixed(1)} ms`)
