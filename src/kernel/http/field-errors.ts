/**
 * Lists the errors of a validator, as JSON Pointers and constraints and never as values. If a value
 * may have several forms, the error is about the form that the value resembles, and not about all
 * other forms.
 */
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FieldError } from '../errors/problem.ts'

export const field_errors_max = 20

export function fieldErrors(location: 'body' | 'query', fits: ValidateFunction): FieldError[] {
  return withoutBranches(fits.errors ?? [])
    .slice(0, field_errors_max)
    .map(error => ({
      location,
      pointer: pointerOf(error),
      constraint: error.keyword,
      params: paramsOf(error),
    }))
}

/** Without an error of a schema, the name is no UUID. */
export function pathError(name: string, error: ErrorObject | undefined): FieldError {
  const constraint = error?.keyword ?? 'format'
  const params = error ? paramsOf(error) : { format: 'uuid' }
  return { location: 'path', pointer: `/${name}`, constraint, params }
}

/** Handles the innermost unions first, so that each outer union works on the result. */
function withoutBranches(found: readonly ErrorObject[]): ErrorObject[] {
  const unions = found
    .filter(({ keyword }) => keyword === 'anyOf')
    .toSorted((one, other) => other.schemaPath.length - one.schemaPath.length)
  let left = [...found]
  for (const union of unions) {
    const inside = (error: ErrorObject) =>
      error !== union &&
      error.schemaPath.startsWith(`${union.schemaPath}/`) &&
      error.instancePath.startsWith(union.instancePath)
    const mine = left.filter(inside)
    const other_kind = new Set(
      mine.filter(error => isOtherKind(error, union)).map(error => branchOf(error, union)),
    )
    const telling = mine.filter(error => !other_kind.has(branchOf(error, union)))
    const kept = telling.length > 0 ? telling : [kindFault(union, mine)]
    left = left.flatMap(error => {
      if (error === union) return kept
      return inside(error) ? [] : [error]
    })
  }
  return left
}

function branchOf({ schemaPath }: ErrorObject, union: ErrorObject): string {
  return schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? ''
}

function isOtherKind({ keyword, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return instancePath === union.instancePath && (keyword === 'type' || keyword === 'const')
}

/** The value's type matches none of the forms. One sentence lists all types. */
function kindFault(union: ErrorObject, branches: readonly ErrorObject[]): ErrorObject {
  const params = branches.map(error => error.params as Record<string, unknown>)
  const constants = params.flatMap(one => ('allowedValue' in one ? [one['allowedValue']] : []))
  if (constants.length > 0) {
    return { ...union, keyword: 'enum', params: { allowedValues: constants } }
  }
  const type = [...new Set(params.flatMap(one => one['type'] ?? []))]
  return type.length > 0 ? { ...union, keyword: 'type', params: { type } } : union
}

function pointerOf(error: ErrorObject): string {
  if (error.keyword !== 'required') return error.instancePath
  return `${error.instancePath}/${(error.params as { missingProperty: string }).missingProperty}`
}

const shown = ['limit', 'type', 'format', 'pattern', 'allowedValues', 'allowedValue', 'multipleOf']

function paramsOf(error: ErrorObject): Record<string, unknown> {
  const params = Object.entries(error.params as Record<string, unknown>)
  return Object.fromEntries(params.filter(([name]) => shown.includes(name)))
}
