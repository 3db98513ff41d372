/**
 * The operations that models can reach: those that are declared as tools, and all others that are
 * not closed to them. An operation takes its parameters, its query and its body as one object.
 */
import { StartError } from '../../errors/start-error.ts'
import type { CompiledRoute } from '../server/compile-route.ts'
import type { Route, ToolMode } from '../contract/route.ts'
import { inputOf, type InputSchema } from './input-schema.ts'
import { modeOf, placesOf, whyNever, type Place } from './never.ts'

/** An operation as a model sees it. */
export type Tool = {
  /** The operationId. */
  readonly name: string
  /** What it does, and what a model must know before it calls. */
  readonly says: string
  readonly mode: ToolMode
  /** Whether it is a tool by itself, and not only found. */
  readonly is_tool: boolean
  /** Null for the operations of the platform itself. */
  readonly surface: string | null
  readonly input: InputSchema
}

export type Operation = Tool & {
  readonly places: ReadonlyMap<string, Place>
  readonly compiled: CompiledRoute
}

export type Operations = ReadonlyMap<string, Operation>

/** Throws at the start if a declared tool cannot be one. */
export function checkTools(routes: readonly Route[]): void {
  const said = routes.filter(({ tool }) => tool !== undefined && tool !== 'never')
  const faults = said.flatMap(route => {
    const why = whyNever(route)
    return why ? [`${route.method} ${route.path} cannot be a tool: the operation ${why}.`] : []
  })
  if (faults.length > 0) throw new StartError(faults.join('\n'))
}

/** By name, in the order of the names. */
export function operationsOf(
  routes: readonly CompiledRoute[],
  surfaces: ReadonlyMap<Route, string>,
): Operations {
  const all = routes.flatMap(compiled => {
    const { route, declared } = compiled
    const places = whyNever(route) === null ? placesOf(route) : null
    return places ? [operationOf(compiled, places, surfaces.get(declared) ?? null)] : []
  })
  return new Map(all.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(one => [one.name, one]))
}

function operationOf(
  compiled: CompiledRoute,
  places: Operation['places'],
  surface: string | null,
): Operation {
  const { route } = compiled
  const { name = '', tool } = route
  let input: InputSchema | undefined
  return {
    name,
    says: saysOf(route),
    mode: modeOf(route),
    is_tool: tool !== undefined,
    surface,
    places,
    // Made at the first use: a process may never be asked for it.
    get input() {
      return (input ??= inputOf(route))
    },
    compiled,
  }
}

const says_max = 240

/** Whole sentences, as many as a list of tools has room for. */
function saysOf({ summary, description = '' }: Route): string {
  let says = `${summary}.`
  for (const sentence of description.split(/(?<=\.) /)) {
    if (sentence === '' || says.length + sentence.length >= says_max) break
    says += ` ${sentence}`
  }
  return says
}
