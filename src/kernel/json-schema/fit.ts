/** Whether a value fits a JSON Schema that a tenant wrote, said in pointers and keywords, never in values. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { formats } from '../http/compile-route.ts'
import type { FieldError } from '../errors/problem.ts'

/** What does not fit, with `pointer` before each place; empty where all does. */
export type Fit = (value: unknown, pointer: string) => FieldError[]

const shown_max = 20

/** Throws where the schema itself is none. Each has a compiler of its own, so that no two share names. */
export function compileFit(schema: object): Fit {
  const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false, formats })
  const compiled = ajv.compile(schema)
  return (value, pointer) => {
    const verdict = endsWith(() => compiled(value))
    if (verdict === 'endless') return [{ location: 'body', pointer, constraint: '$ref' }]
    if (verdict) return []
    return (compiled.errors ?? []).slice(0, shown_max).map(({ instancePath, keyword, params }) => {
      const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : ''
      return {
        location: 'body',
        pointer: `${pointer}${instancePath}${missing}`,
        constraint: keyword,
      }
    })
  }
}

/**
 * A schema may refer to itself without coming closer to an end: then it fits nothing. Values are nested too
 * little for the stack to end otherwise.
 */
function endsWith(judge: () => boolean): boolean | 'endless' {
  try {
    return judge()
  } catch (error) {
    if (error instanceof RangeError) return 'endless'
    throw error
  }
}
