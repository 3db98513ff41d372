/**
 * A plain thing that callers create, list, read, change and delete. One declaration gives its five
 * routes, permissions, limit, refusals and events, and what an export, an erasure and retention do
 * with its rows. A step that is special to the thing is a function of its own.
 */
import { type TSchema, Type } from 'typebox'
import type { Permission } from '../access/permissions.ts'
import type { Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import type { ErrorEntry } from '../errors/problem.ts'
import type { EventDeclaration } from '../events/event.ts'
import type { FacesOf } from '../faces.ts'
import type { Route } from '../http/contract/route.ts'
import { Id } from '../http/contract/shapes.ts'
import { setting, type SettingTable } from '../settings.ts'
import type { Kernel } from '../surface.ts'
import type { PersonalRows } from '../work/personal-rows.ts'
import type { Retention } from '../work/retention.ts'
import type { Fields } from './fields.ts'
import type { RecordOf, Scope } from './record.ts'
import { creation, emitter, routesFrom } from './resource-routes.ts'
import {
  existsOf,
  namesOf,
  settingOf,
  type AnyRecord,
  type AnySpec,
  type Of,
  type Parts,
  type ResourceDeps,
  type ResourceSpec,
  type RowOf,
  type Verb,
} from './resource-spec.ts'

/** What a surface gets of a resource. `surface()` joins it with its own declarations. */
export type Resource<Deps extends ResourceDeps = ResourceDeps> = {
  readonly needs: Readonly<Record<string, string>>
  readonly permissions: Readonly<Record<string, Permission>>
  readonly settings: SettingTable
  readonly errors: Readonly<Record<string, ErrorEntry>>
  readonly events: Readonly<Record<string, EventDeclaration>>
  routes(deps: Deps): readonly Route[]
  retention(kernel: Kernel): Retention
  readonly personal: readonly PersonalRows[]
  /** Creates one as its owner would, for demo data. */
  make(tx: Tx, scope: Scope, body: unknown, deps: Deps): Promise<{ readonly id: string }>
}

type Needing<Needs> = {
  /** The surfaces that its functions call, as in `needs` of a surface. */
  readonly needs?: Needs
}

export function resource<
  const F extends Fields,
  Deps extends ResourceDeps = ResourceDeps,
  const Needs extends Readonly<Record<string, string>> = Record<never, never>,
  O extends Of = Of,
>(
  rows: RecordOf<F>,
  spec: ResourceSpec<F, Deps & FacesOf<Needs>, RowOf<F>, O> & Needing<Needs>,
): Resource<Deps & FacesOf<Needs>> {
  const { noun, view } = rows
  const names = namesOf(rows, spec)
  if (!rows.tombstone) throw new Error(`${noun}: the record of a resource needs a tombstone`)
  const parts = { rows: rows as unknown as AnyRecord, spec: spec as unknown as AnySpec, names }
  const emit = emitter(parts)
  const make = creation(parts, emit)
  const eventData = Type.Object({
    [names.id]: Id,
    ...(spec.of === 'owner' ? { owner_id: Id } : {}),
    ...Object.fromEntries(
      (spec.data ?? []).map(name => [name, rows.fields[name]?.schema as TSchema]),
    ),
  })
  const event = { version: 1, data: eventData }
  return {
    needs: spec.needs ?? {},
    permissions: permissionsOf(parts),
    settings: {
      [names.most]: setting.count(
        spec.most,
        names.words,
        `${names.title} of one ${spec.of}`,
        1,
        1e6,
      ),
      [names.kept]: setting.count(
        spec.kept_days,
        'days',
        `How long deleted ${names.words} are kept`,
        1,
        3650,
      ),
    },
    errors: { ...rows.errors, ...existsOf(parts) },
    events: eventsOf(parts, event),
    routes: routesFrom(parts, emit, make),
    retention: ({ settings }) => ({
      table: rows.table,
      key: ['tenant_id', 'id'],
      where: sql`t.deleted_at < kernel.now()
        - make_interval(days => ${settingOf(settings, names.kept)})`,
    }),
    personal:
      spec.of === 'owner'
        ? [
            {
              kind: noun,
              table: rows.table,
              owner: 'owner_id',
              view: Object.keys(view.properties),
              erase: 'delete',
            },
          ]
        : [],
    make,
  }
}

/** Its own operations may announce what a usual one, which it does not have, would. */
function eventsOf({ rows: { noun }, spec }: Parts, event: EventDeclaration) {
  const has = (verb: Verb) => spec.routes !== undefined || !spec.without?.includes(verb)
  return {
    ...(has('create') ? { [`${noun}.created`]: event } : {}),
    ...(has('change') ? { [`${noun}.changed`]: event } : {}),
    ...(has('remove') ? { [`${noun}.deleted`]: event } : {}),
  }
}

function permissionsOf({ spec, names }: Parts): Record<string, Permission> {
  const owned = spec.of === 'owner'
  const given = spec.roles ?? (owned ? ['member'] : [])
  const { read, write } = 'read' in given ? given : { read: given, write: given }
  const words = `${owned ? 'own ' : ''}${names.words}`
  return {
    [names.read]: { says: `See ${words}`, roles: read },
    [names.write]: { says: `Create, change and delete ${words}`, roles: write },
    ...(owned
      ? {
          [names.read_any]: {
            says: `See ${names.words} of others in the tenant`,
            roles: ['tenant_admin', 'support_viewer'],
          },
        }
      : {}),
  }
}
