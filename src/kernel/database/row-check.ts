/**
 * In tests and in development every row is compared with the schema in the code that reads it. So a
 * migration and the code that reads its tables cannot drift apart unnoticed.
 */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { Sql } from './sql.ts'

const validators = new WeakMap<TSchema, Validator>()

export function checkRow(schema: TSchema, row: unknown, statement: Sql): void {
  let validator = validators.get(schema)
  if (!validator) {
    validator = Compile(schema) as Validator
    validators.set(schema, validator)
  }
  if (validator.Check(row)) return
  const faults = validator.Errors(row).slice(0, 5)
  const where = faults.map(fault => `${fault.instancePath || '/'} ${fault.message}`).join('; ')
  throw new Error(`a row does not fit its schema (${where}): ${statement.strings.join('?')}`)
}
