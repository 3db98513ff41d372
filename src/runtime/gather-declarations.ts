/**
 * Gathers the declarations of all surfaces: errors, events, permissions. If two surfaces contradict
 * each other, the start fails.
 */
import { providerErrors, StartError } from '#dodeca/kernel'
import type {
  Declarations,
  EventDeclaration,
  Permission,
  PermissionCatalog,
  Route,
  Surface,
} from '#dodeca/kernel'
import { permissionCatalog } from '../kernel/access/permissions.ts'
import { scopeWords } from '../kernel/access/scopes.ts'
import { eventErrors } from '../kernel/events/operate.ts'
import { errors as publishErrors } from './events/errors.ts'
import { approvalErrors } from './mcp/approval.ts'
import { requestErrors } from './platform-routes/requests.ts'
import { catalogOf, type Catalog } from '../kernel/errors/problem.ts'

/** The declarations of a surface, without its dependencies. */
export type AnySurface = Omit<Surface, 'open'>

export type Gathered = {
  readonly catalog: Catalog
  readonly permissions: PermissionCatalog
  readonly declared: ReadonlyMap<string, EventDeclaration>
  readonly named: Required<Declarations>
}

const kernelPermissions: Record<string, Permission> = {
  'kernel.events.operate': {
    says: 'See event consumers, and retry or skip the events that they could not handle',
    roles: ['platform_operator'],
  },
  'kernel.audit_events.read': {
    says: 'Read the audit log',
    roles: ['tenant_admin', 'auditor'],
  },
  'kernel.requests.read': {
    says: 'See failed and slow requests of others in the tenant, without their contents',
    roles: ['tenant_admin', 'auditor', 'support_viewer'],
  },
  'kernel.requests.read_any': {
    says: 'See failed and slow requests without a caller, such as log-ins',
    roles: ['platform_operator'],
  },
  'kernel.event_types.write': {
    says: 'Declare event types, and archive them',
    roles: ['platform_operator'],
  },
  'kernel.events.publish': {
    says: 'Publish events of a type in the own tenant',
    roles: ['tenant_admin'],
    typed: true,
  },
  'kernel.events.publish_any': {
    says: 'Publish events of a type in any tenant',
    roles: ['platform_operator'],
    typed: true,
  },
  // Rules need it too, also where webhooks are off.
  'webhooks.events.read': {
    says: 'Read events of a type, and act on them with subscriptions and rules',
    roles: ['tenant_admin'],
    typed: true,
  },
  // No role has it: the yes of an API key is that of a program.
  'kernel.tools.approve': {
    says: 'Say yes with an API key to what a tool of a model asks before it acts',
    roles: [],
  },
  'kernel.metrics.read': { says: 'Read metrics', roles: ['platform_operator'] },
}

export function gather(surfaces: readonly AnySurface[]): Gathered {
  const declared = new Map<string, EventDeclaration>()
  for (const [type, event] of surfaces.flatMap(surface => Object.entries(surface.events))) {
    if (declared.has(type)) throw new Error(`the event ${type} is declared twice`)
    declared.set(type, event)
  }
  return {
    declared,
    named: {
      purposes: allOf(surfaces, 'purposes'),
      categories: allOf(surfaces, 'categories'),
      templates: allOf(surfaces, 'templates'),
    },
    catalog: catalogOf([
      eventErrors,
      publishErrors,
      requestErrors,
      approvalErrors,
      providerErrors,
      ...surfaces.map(surface => surface.errors),
    ]),
    permissions: permissionCatalog([
      kernelPermissions,
      ...surfaces.map(surface => surface.permissions),
    ]),
  }
}

/** What a surface names belongs to it: no two surfaces can mean the same name. */
function allOf<K extends keyof Declarations>(
  surfaces: readonly AnySurface[],
  kind: K,
): Required<Declarations>[K] {
  const all = surfaces.flatMap(surface =>
    Object.entries(surface[kind] ?? {}).map(([name, one]) => {
      if (/^[a-z]+\.[a-z][a-z_]{0,39}$/.test(name) && name.startsWith(`${surface.name}.`)) {
        return [name, one] as const
      }
      throw new StartError(
        `${surface.name} declares ${name} in \`${kind}\`. Call it ${surface.name}.<name>, in small letters and _.`,
      )
    }),
  )
  return Object.fromEntries(all) as Required<Declarations>[K]
}

/** Two routes for one operation, or a route with an undeclared permission, is a mistake in code. */
export function checkRoutes(routes: readonly Route[], { permissions, catalog }: Gathered): void {
  const seen = new Set<string>()
  const surfaces = new Set([...permissions.keys()].map(name => name.slice(0, name.indexOf('.'))))
  const words = new Set(['any', ...permissions.keys(), ...scopeWords(permissions, [...surfaces])])
  for (const { method, path, permission, for_others, for_types, narrow, fails = [] } of routes) {
    const operation = `${method} ${path}`
    if (narrow !== undefined && !words.has(narrow))
      throw new Error(`${operation} is open to the scope ${narrow}, which no one can have`)
    if (seen.has(operation)) throw new Error(`${operation} is declared twice`)
    seen.add(operation)
    for (const grant of [permission, for_others, for_types]) {
      const name = grant?.split(':')[0] ?? 'public'
      if (name !== 'public' && name !== 'authenticated' && !permissions.has(name)) {
        throw new Error(`${operation} requires the permission ${name}, which no surface declares`)
      }
    }
    for (const code of fails) {
      if (!catalog.has(code))
        throw new Error(`${operation} can fail with ${code}, which no surface declares`)
    }
  }
}
