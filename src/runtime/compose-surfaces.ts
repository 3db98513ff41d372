/**
 * Puts surfaces together: each is opened after those that it needs, and gets their faces. There is no
 * dependency injection container.
 */
import { StartError, type Access, type Opened, type Surface, type Tx } from '#dodeca/kernel'
import type { Composition, KernelFor } from './platform-parts.ts'
import type { Rights } from './events/publish-events.ts'

/** Any surface, as it is opened here. */
export type Openable = Omit<Surface<unknown, never>, 'settings' | 'open' | 'needs'> & {
  readonly settings: Surface['settings']
  readonly needs?: Readonly<Record<string, string>>
  // A method, so that surfaces with kernels and needs of their own fit.
  open(kernel: ReturnType<KernelFor>, needs: never): Opened
}

/** What the surface that owns the accounts provides in its face. */
type Gate = Pick<ReturnType<Composition['open']>, 'prepare' | 'demoTenants'> &
  Partial<Rights> & { readonly access: Access }

/**
 * `own` are the surfaces of an application. `identity` owns the accounts.
 */
export function compose(ours: readonly Openable[], own: readonly Openable[] = []): Composition {
  const surfaces = inOrder([...ours, ...own])
  return {
    surfaces,
    open: kernelFor => {
      const opened: Record<string, Opened> = {}
      for (const one of surfaces) {
        const needs = portsOf(one).map(({ port, name }) => {
          const foreign = own.includes(one) && ours.some(other => other.name === name)
          const face = foreign ? faceFor(one, name, opened[name]) : opened[name]?.face
          return [port, face]
        })
        opened[one.name] = openOne(one, kernelFor(one), Object.fromEntries(needs) as never)
      }
      const keeper = opened['identity']?.face as Gate | undefined
      if (!keeper) throw new StartError('The surface identity, which owns the accounts, is off.')
      const { access, prepare, demoTenants, isOpen, grantsOf } = keeper
      return {
        opened,
        access,
        ...(prepare && { prepare }),
        ...(demoTenants && { demoTenants }),
        ...(isOpen && grantsOf && { rights: { isOpen, grantsOf } }),
      }
    },
  }
}

/**
 * What a surface of the application gets of one of the platform. A call in its transaction is a part
 * of it: if the call throws and the caller goes on, nothing of the call stays.
 */
function faceFor(caller: Openable, name: string, opened: Opened | undefined): object {
  const face = opened?.faceFor?.(caller)
  if (!face) {
    throw new StartError(
      `${name} has no functions for other surfaces. Remove it from \`needs\` of ${caller.name}.`,
    )
  }
  const parts = Object.entries(face).map(
    ([key, call]: [string, (...given: unknown[]) => unknown]) => [
      key,
      (first: unknown, ...rest: unknown[]) =>
        isTx(first) ? first.savepoint(async tx => await call(tx, ...rest)) : call(first, ...rest),
    ],
  )
  return Object.fromEntries(parts) as object
}

function isTx(given: unknown): given is Tx {
  return typeof given === 'object' && given !== null && 'savepoint' in given
}

/** Its workflows become job types, with the faces that it needs. */
function openOne(one: Openable, kernel: ReturnType<KernelFor>, needs: never): Opened {
  const opened = one.open(kernel, needs)
  const { workflows = [] } = one
  if (workflows.length === 0) return opened
  const own = workflows.map(each => each.jobType({ kernel, needs }))
  return { ...opened, jobTypes: [...(opened.jobTypes ?? []), ...own] }
}

type Port = { readonly port: string; readonly name: string; readonly optional: boolean }

function portsOf({ needs = {} }: Openable): Port[] {
  return Object.entries(needs).map(([port, name]) => ({
    port,
    name: name.replace('?', ''),
    optional: name.endsWith('?'),
  }))
}

/** The given order, but each after those that it needs. */
function inOrder(given: readonly Openable[]): Openable[] {
  const byName = new Map(given.map(one => [one.name, one]))
  if (byName.size < given.length) throw new StartError('Two surfaces have the same name.')
  const done = new Set<Openable>()
  const visit = (one: Openable, path: readonly string[]) => {
    if (done.has(one)) return
    if (path.includes(one.name)) {
      throw new StartError(`Surfaces need each other: ${[...path, one.name].join(' -> ')}.`)
    }
    for (const { name, optional } of portsOf(one)) {
      const needed = byName.get(name)
      if (needed) visit(needed, [...path, one.name])
      else if (!optional) {
        throw new StartError(
          `The surface ${one.name} needs ${name}, which is off. Add '${name}' to \`surfaces\` in dodeca.config.ts, or remove '${one.name}'.`,
        )
      }
    }
    done.add(one)
  }
  for (const one of given) visit(one, [])
  return [...done]
}
