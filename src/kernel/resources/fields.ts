/**
 * The fields of a record: the schema of a column, and who sets it when. From them follow the row,
 * the shapes of the requests, and the columns of the statements.
 */
import { Type, type Static, type TOptional, type TSchema } from 'typebox'

/**
 * `asked`: whether the body that creates a record has the field. `changes`: whether the body that
 * changes it may have it. `value` is stored if a new record gets none.
 */
export type Field<
  S extends TSchema = TSchema,
  Asked extends 'required' | 'optional' | 'never' = 'required' | 'optional' | 'never',
  Changes extends boolean = boolean,
> = {
  readonly schema: S
  readonly asked: Asked
  readonly changes: Changes
  readonly value?: unknown
}
export type Fields = Readonly<Record<string, Field>>

/** The caller must give it at creation and may change it. */
export function given<S extends TSchema>(schema: S): Field<S, 'required', true> {
  return { schema, asked: 'required', changes: true }
}

/** The caller may give it at creation and may change it. */
export function defaulted<S extends TSchema>(
  schema: S,
  value: Static<S>,
): Field<S, 'optional', true> {
  return { schema, asked: 'optional', changes: true, value }
}

/** The caller must give it at creation. It never changes by a request. */
export function once<S extends TSchema>(schema: S): Field<S, 'required', false> {
  return { schema, asked: 'required', changes: false }
}

/** Only code sets it. Without a value here or from the code, it has the default of its column. */
export function shown<S extends TSchema>(schema: S, value?: Static<S>): Field<S, 'never', false> {
  const field = { schema, asked: 'never', changes: false } as const
  return value === undefined ? field : { ...field, value }
}

export type ViewOf<F extends Fields> = { readonly [K in keyof F]: F[K]['schema'] }
export type CreateOf<F extends Fields> = {
  readonly [K in keyof F as F[K]['asked'] extends 'required' ? K : never]: F[K]['schema']
} & {
  readonly [K in keyof F as F[K]['asked'] extends 'optional' ? K : never]: TOptional<F[K]['schema']>
}
export type ChangeOf<F extends Fields> = {
  readonly [K in keyof F as F[K]['changes'] extends true ? K : never]: TOptional<F[K]['schema']>
}
/** What code may store: any field. */
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]?: Static<F[K]['schema']> }

export function viewProperties<F extends Fields>(fields: F): ViewOf<F> {
  return mapped(fields, ({ schema }) => schema) as ViewOf<F>
}

export function createProperties<F extends Fields>(fields: F): CreateOf<F> {
  return mapped(fields, ({ schema, asked }) => {
    if (asked === 'never') return undefined
    return asked === 'required' ? schema : Type.Optional(schema)
  }) as CreateOf<F>
}

export function changeProperties<F extends Fields>(fields: F): ChangeOf<F> {
  return mapped(fields, ({ schema, changes }) =>
    changes ? Type.Optional(schema) : undefined,
  ) as ChangeOf<F>
}

function mapped(fields: Fields, make: (field: Field) => TSchema | undefined): object {
  const made = Object.entries(fields).map(([name, field]) => [name, make(field)] as const)
  return Object.fromEntries(made.filter(([, schema]) => schema !== undefined))
}
