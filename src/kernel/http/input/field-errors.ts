/**
 * Lists the errors of a validator, as JSON Pointers and constraints and never as values. If a value
 * may have several forms, the error is about the form that the value resembles, and not about all
 * other forms.
 */
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FieldError } from '../../errors/problem.ts'
import { escapePointer } from './content.ts'

export const field_errors_max = 20

export function fieldErrors(location: 'body' | 'query', fits: ValidateFunction): FieldError[] {
  const found = (fits.errors ?? []).filter(one => one.keyword !== 'propertyNames')
  return withoutLengths(withoutForms(withoutBranches(found), fits.schema))
    .slice(0, field_errors_max)
    .map(error => ({
      location,
      pointer: pointerOf(error),
      constraint: error.propertyName === undefined ? error.keyword : 'propertyNames',
      params: paramsOf(error),
    }))
}

/** A text of the wrong format also has the wrong length; only the format says what is wanted. */
export function withoutLengths(found: readonly ErrorObject[]): ErrorObject[] {
  const formatted = new Set(
    found.filter(one => one.keyword === 'format').map(one => one.instancePath),
  )
  const is_length = ({ keyword }: ErrorObject) => keyword === 'minLength' || keyword === 'maxLength'
  return found.filter(one => !is_length(one) || !formatted.has(one.instancePath))
}

const forms_path = '#/oneOf'

/** A body that has one of several forms: one error lists the forms, and not what each of them lacks. */
function withoutForms(found: readonly ErrorObject[], schema: unknown): ErrorObject[] {
  const { oneOf = [] } = schema as { readonly oneOf?: readonly { readonly required: string[] }[] }
  const forms = oneOf.map(one => one.required)
  return found
    .filter(one => !one.schemaPath.startsWith(`${forms_path}/`))
    .map(one => (one.schemaPath === forms_path ? { ...one, params: { forms } } : one))
}

/** Without an error of a schema, the name is no UUID. */
export function pathError(name: string, error: ErrorObject | undefined): FieldError {
  const constraint = error?.keyword ?? 'format'
  const params = error ? paramsOf(error) : { format: 'uuid' }
  return { location: 'path', pointer: `/${name}`, constraint, params }
}

/**
 * The validator reports a union directly after the errors of its branches, so one pass is enough and
 * inner unions come first.
 */
function withoutBranches(found: readonly ErrorObject[]): ErrorObject[] {
  const left: ErrorObject[] = []
  for (const error of found) {
    if (error.keyword !== 'anyOf') {
      left.push(error)
      continue
    }
    let from = left.length
    while (from > 0 && isInside(left[from - 1] as ErrorObject, error)) from--
    const mine = left.splice(from)
    const other_kind = new Set(
      mine.filter(one => isOtherKind(one, error)).map(one => branchOf(one, error)),
    )
    const telling = mine.filter(one => !other_kind.has(branchOf(one, error)))
    left.push(...(telling.length > 0 ? telling : [kindFault(error, mine)]))
  }
  return left
}

function isInside({ schemaPath, instancePath }: ErrorObject, union: ErrorObject): boolean {
  const at = union.instancePath
  return (
    schemaPath.startsWith(`${union.schemaPath}/`) &&
    (instancePath === at || instancePath.startsWith(`${at}/`))
  )
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

/** The name of a member may be as long as the body. */
const pointer_max = 500

function pointerOf({ keyword, instancePath, propertyName, params }: ErrorObject): string {
  const name =
    propertyName === undefined
      ? keyword === 'required' && (params as { missingProperty: string }).missingProperty
      : escapePointer(propertyName)
  return (name === false ? instancePath : `${instancePath}/${name}`).slice(0, pointer_max)
}

const shown = [
  'limit',
  'type',
  'format',
  'pattern',
  'allowedValues',
  'allowedValue',
  'multipleOf',
  'forms',
]

/** Of a schema from outside: a rule without a bound has no sentence, so it has no `params` either. */
export function boundsOf(error: { readonly params: object }): Pick<FieldError, 'params'> {
  const params = paramsOf(error)
  return Object.keys(params).length > 0 ? { params } : {}
}

function paramsOf(error: { readonly params: object }): Record<string, unknown> {
  const params = Object.entries(error.params)
  return Object.fromEntries(params.filter(([name]) => shown.includes(name)))
}
