/** What a resource says of itself, and the names that follow from it. */
import type { Static, TObject } from 'typebox'
import type { Tx } from '../database/db.ts'
import type { ErrorEntry } from '../errors/problem.ts'
import type { ToolMode } from '../http/contract/route.ts'
import type { Instead } from '../http/input/known-fields.ts'
import type { FindKey, SortColumn } from '../http/lists/members.ts'
import type { RouteMaker, Verbs } from '../http/routes-of.ts'
import type { Kernel } from '../surface.ts'
import type { ChangeOf, CreateOf, Fields } from './fields.ts'
import type { RecordOf, Scope } from './record.ts'
import type { AnyRow } from './statements.ts'

export type RowOf<F extends Fields> = Static<RecordOf<F>['view']>
export type Verb = 'create' | 'read' | 'list' | 'change' | 'remove'

/** What the functions of a resource share: the kernel, and the ports that the surface needs. */
export type ResourceDeps = { readonly kernel: Kernel }

/** Rows of people always have an owner. */
export type Of = 'owner' | 'tenant'
type ScopeOf<O extends Of> = O extends 'owner' ? Required<Scope> : Scope

export type ResourceSpec<
  F extends Fields,
  Deps extends ResourceDeps,
  R = RowOf<F>,
  O extends Of = Of,
> = {
  /** Of the list. */
  readonly path: string
  /** In camel case: names of operations, permissions and settings are made of them. */
  readonly one: string
  readonly many: string
  /** Whether a row belongs to one person of the tenant, or to the whole tenant. */
  readonly of: O
  /**
   * The roles with both permissions, or those of each. By default `member` for an owner's rows,
   * otherwise none.
   */
  readonly roles?: readonly string[] | Readonly<Record<'read' | 'write', readonly string[]>>
  /** How many one owner or tenant may have, unless a setting says otherwise. */
  readonly most: number
  /** How long a deleted row stays, so that a repeated DELETE succeeds. At least 1. */
  readonly kept_days: number
  /** Fields by which the list can be filtered. An index finds them. */
  readonly filters?: readonly (keyof F & string)[]
  /** Orders and keys of the list besides the usual ones. An index has each. */
  readonly sort?: Readonly<Record<string, SortColumn>>
  readonly find?: readonly FindKey[]
  /** Unique indexes `where deleted_at is null`. A second one is `<noun>_exists`. */
  readonly unique?: readonly string[]
  /** Fields that the events contain beside the ids. */
  readonly data?: readonly (keyof F & string)[]
  /** Names of other APIs, with what to use instead. */
  readonly instead?: Instead
  /** Models get its usual operations as tools; they delete only with the yes of their caller. */
  readonly tools?: true
  /** Operations that it does not have. */
  readonly without?: readonly Verb[]
  /** Further refusals of the functions below, for the published document. */
  readonly fails?: Partial<Readonly<Record<'create' | 'change' | 'remove', readonly string[]>>>
  create?(tx: Tx, scope: ScopeOf<O>, body: Static<TObject<CreateOf<F>>>, deps: Deps): Promise<R>
  change?(
    tx: Tx,
    scope: ScopeOf<O>,
    asked: Asked & { readonly body: Static<TObject<ChangeOf<F>>> },
    deps: Deps,
  ): Promise<R>
  /** Returns the last row, or undefined if it was removed before. */
  remove?(tx: Tx, scope: ScopeOf<O>, asked: Asked, deps: Deps): Promise<R | undefined>
  /** Further operations on the same noun. */
  routes?(verbs: Verbs<Deps>, its: Its<R, O>): Readonly<Record<string, RouteMaker<Deps>>>
}
/** What further operations use as the usual ones do. */
type Its<R, O extends Of> = {
  /** The rows of the caller. */
  scopeOf(principal: Caller): ScopeOf<O>
  emit(tx: Tx, act: 'created' | 'changed' | 'deleted', scope: Scope, row: R): void
}
export type Caller = { readonly id: string; readonly tenant_id: string }
type Asked = { readonly id: string; readonly if_match: string | string[] | undefined }

export type AnyRecord = RecordOf<Fields, AnyRow>
export type AnySpec = ResourceSpec<Fields, ResourceDeps, AnyRow>
type Names = ReturnType<typeof namesOf>
export type Parts = { readonly rows: AnyRecord; readonly spec: AnySpec; readonly names: Names }

export function namesOf(
  rows: { readonly table: string; readonly noun: string },
  { one, many, path, unique }: Pick<AnySpec, 'one' | 'many' | 'path' | 'unique'>,
) {
  const { table, noun } = rows
  const snake = many.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  const base = `${table.split('.')[0]}.${snake}` as const
  const all = snake.replaceAll('_', ' ')
  return {
    a_word: `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun.replaceAll('_', ' ')}`,
    words: all,
    title: capital(all),
    One: capital(one),
    Many: capital(many),
    id: `${noun}_id`,
    at: `${path}/{${noun}_id}`,
    exists: unique?.length ? [`${noun}_exists`] : [],
    read: `${base}.read`,
    read_any: `${base}.read_any`,
    write: `${base}.write`,
    most: `${base}_most`,
    kept: `${base}_kept_days`,
  } as const
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`
}

/** A tool that writes takes a key, so that what a model asks for again is done once. */
export function toolOf({ tools }: Pick<AnySpec, 'tools'>, tool: ToolMode) {
  if (!tools) return {}
  return tool === 'read' ? { tool } : ({ tool, idempotency: 'optional' } as const)
}

export function settingOf(settings: object, name: string): number {
  return (settings as Readonly<Record<string, number>>)[name] ?? 0
}

/** A unique index names what there may be only one of. */
export function existsOf({ rows: { noun }, spec }: Parts): Record<string, ErrorEntry> {
  if (!spec.unique?.length) return {}
  const words = noun.replaceAll('_', ' ')
  return {
    [`${noun}_exists`]: {
      status: 409,
      title: `There is such a ${words} already`,
      cause: `Another ${words} has the same value, which may be there only once.`,
      cure: 'Use another value, or change the one that is there.',
      violated: spec.unique,
    },
  }
}
