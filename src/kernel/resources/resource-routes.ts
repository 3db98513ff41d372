/** The routes of a resource, what they emit, and the limit that a creation checks. */
import type { TSchema } from 'typebox'
import { allowsSome } from '../access/permissions.ts'
import type { Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import { equal, owner } from '../http/lists/members.ts'
import { routesOf, type RouteMaker, type Verbs } from '../http/routes-of.ts'
import type { Scope } from './record.ts'
import {
  settingOf,
  toolOf,
  type Caller,
  type Parts,
  type ResourceDeps,
  type Verb,
} from './resource-spec.ts'
import type { AnyRow } from './statements.ts'

type Act = 'created' | 'changed' | 'deleted'
export type Emit = (tx: Tx, act: Act, scope: Scope, row: AnyRow) => void

export function emitter({ rows: { noun }, spec, names }: Parts): Emit {
  return (tx, act, { tenant_id, owner_id }, row) => {
    const data = (spec.data ?? []).map(name => [name, row[name]])
    tx.emit({
      type: `${noun}.${act}`,
      tenant_id,
      aggregate_type: noun,
      aggregate_id: row.id,
      aggregate_version: row.version,
      data: {
        [names.id]: row.id,
        ...(owner_id === undefined ? {} : { owner_id }),
        ...Object.fromEntries(data),
      },
    })
  }
}

export type Make = (tx: Tx, scope: Scope, body: never, deps: ResourceDeps) => Promise<AnyRow>

/** Counts, inserts and emits in the caller's transaction. */
export function creation(parts: Parts, emit: Emit): Make {
  const { rows, spec, names } = parts
  return async (tx, scope, body, deps) => {
    const { counted, settings } = deps.kernel
    const { tenant_id, owner_id } = scope
    const owner = owner_id === undefined ? sql.empty : sql`and t.owner_id = ${owner_id}`
    const limited = [rows.table, tenant_id, ...(owner_id ? [owner_id] : [])].join(':')
    await counted(
      tx,
      limited,
      settingOf(settings, names.most),
      sql`
        select from ${sql.id(...rows.table.split('.'))} t
        where t.tenant_id = ${tenant_id} ${owner} and t.deleted_at is null`,
    )
    const insert = spec.create ?? ((...given) => rows.insert(given[0], given[1], given[2]))
    const row = await insert(tx, scope, body, deps)
    emit(tx, 'created', scope, row)
    return row
  }
}

export function routesFrom(parts: Parts, emit: Emit, make: Make) {
  const { rows, spec, names } = parts
  const verbs = routesOf<ResourceDeps>({
    absent: `${rows.noun}_not_found`,
    added: true,
    read: names.read,
    write: names.write,
  })
  const all: Readonly<Record<Verb, () => Named>> = {
    list: () => [`list${names.Many}`, listRoute(parts, verbs)],
    create: () => [`create${names.One}`, createRoute(parts, verbs, make)],
    read: () => [`get${names.One}`, readRoute(parts, verbs)],
    change: () => [`change${names.One}`, changeRoute(parts, verbs, emit)],
    remove: () => [`delete${names.One}`, removeRoute(parts, verbs, emit)],
  }
  const usual = (Object.keys(all) as Verb[]).filter(verb => !spec.without?.includes(verb))
  return verbs.open({
    ...Object.fromEntries(usual.map(verb => all[verb]())),
    ...spec.routes?.(verbs, { scopeOf: one => scopeOf(parts, one), emit }),
  })
}

type Ours = Verbs<ResourceDeps>
type Maker = RouteMaker<ResourceDeps>
type Named = readonly [name: string, route: Maker]

function listRoute({ rows, spec, names }: Parts, { list }: Ours): Maker {
  const { filters = [], sort, find } = spec
  const equals = filters.map(name => [name, equal(rows.fields[name]?.schema as TSchema)] as const)
  return list(spec.path, `List ${names.words}, newest first`, {
    ...toolOf(spec, 'read'),
    from: rows.table,
    row: rows.view,
    stored: Object.keys(rows.view.properties),
    where: sql`t.deleted_at is null`,
    time: 'id',
    filters: Object.fromEntries(equals),
    ...(spec.of === 'owner'
      ? { of: owner('owner_id', names.read_any, 'own') }
      : { unset: ['owner_id'] }),
    ...(sort ? { sort } : {}),
    ...(find ? { find } : {}),
  })
}

function createRoute(parts: Parts, { create }: Ours, make: Make): Maker {
  const { rows, spec, names } = parts
  return create(
    spec.path,
    `Create ${names.a_word}`,
    {
      body: rows.create,
      reply: rows.view,
      ...toolOf(spec, 'write'),
      idempotency: 'optional',
      ...hinting(spec),
      fails: ['quota_exceeded', ...names.exists, ...(spec.fails?.create ?? [])],
    },
    ({ tx, principal, body }, deps) => make(tx, scopeOf(parts, principal), body as never, deps),
  )
}

function readRoute(parts: Parts, { get }: Ours): Maker {
  const { rows, spec, names } = parts
  return get(
    names.at,
    `Get ${names.a_word}`,
    { ...toolOf(spec, 'read'), reply: rows.view },
    async ({ tx, principal, params, grants }) => {
      const own = scopeOf(parts, principal)
      const id = idOf(parts, params)
      const found = await rows.find(tx, own, id)
      if (found) return found
      // The grants are only read for a row that is not the caller's.
      const any = spec.of === 'owner' && allowsSome(await grants(), names.read_any)
      return rows.required(tx, any ? { tenant_id: own.tenant_id } : own, id)
    },
  )
}

function changeRoute(parts: Parts, { patch }: Ours, emit: Emit): Maker {
  const { rows, spec, names } = parts
  return patch(
    names.at,
    `Change ${names.a_word}`,
    {
      ...toolOf(spec, 'write'),
      body: rows.change,
      reply: rows.view,
      ...hinting(spec),
      fails: ['precondition_failed', ...names.exists, ...(spec.fails?.change ?? [])],
    },
    async ({ tx, principal, params, body, if_match }, deps) => {
      const scope = scopeOf(parts, principal)
      const id = idOf(parts, params)
      const row = spec.change
        ? await spec.change(tx, scope, { id, if_match, body }, deps)
        : await rows.update(tx, scope, id, body, { if_match })
      // The usual change of nothing changes nothing.
      if (spec.change || Object.keys(body).length > 0) emit(tx, 'changed', scope, row)
      return row
    },
  )
}

function removeRoute(parts: Parts, { del }: Ours, emit: Emit): Maker {
  const { rows, spec, names } = parts
  return del(
    names.at,
    `Delete ${names.a_word}`,
    {
      ...toolOf(spec, 'confirm'),
      fails: ['precondition_failed', ...(spec.fails?.remove ?? [])],
    },
    async ({ tx, principal, params, if_match }, deps) => {
      const scope = scopeOf(parts, principal)
      const asked = { id: idOf(parts, params), if_match }
      const removed = spec.remove
        ? await spec.remove(tx, scope, asked, deps)
        : await rows.remove(tx, scope, asked.id, asked)
      if (removed) emit(tx, 'deleted', scope, removed)
    },
  )
}

function hinting({ instead }: Parts['spec']) {
  return instead ? { instead } : {}
}

function scopeOf({ spec }: Parts, { id, tenant_id }: Caller): Scope {
  return spec.of === 'owner' ? { tenant_id, owner_id: id } : { tenant_id }
}

/** The id of the path. A path that code puts together has lost the types of its parameters. */
function idOf({ names }: Parts, params: unknown): string {
  return (params as Readonly<Record<string, string>>)[names.id] ?? ''
}
