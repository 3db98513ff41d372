/** One more engine on the same database: what the worker protocol gives to a worker outside. */
import type { Kernel } from '../../settings.ts'
import { settleDependents } from '../../dependencies/settle-dependents.ts'
import { openJobTypes, type JobTypes } from '../../types/job-types.ts'
import type { EndListeners } from '../ends/announce-ends.ts'
import { openEngine, type Engine } from '../engine.ts'
import type { TypeRules } from '../rules.ts'
import { toils } from './toils.ts'

export type Outside = {
  readonly engine: Engine
  readonly types: JobTypes
  rules(...types: string[]): TypeRules[]
}

export function engineOf(kernel: Kernel): Outside {
  const types = openJobTypes(kernel)
  types.offer(toils)
  const listeners: EndListeners = {
    ended: () => undefined,
    settleDependents: async (tx, ended) => void (await settleDependents(listeners, tx, ended)),
  }
  // Jobs of the engine's tests belong to the platform, which needs no right.
  const rights = { recentGrantsOf: () => Promise.resolve([]) }
  const { rulesOf } = types
  // It claims for workers outside, which run no workflows.
  const openSteps = () => {
    throw new Error('this engine runs nothing')
  }
  return {
    engine: openEngine({ kernel, listeners, rights, openSteps, ...types }),
    types,
    rules: (...names) => names.map(type => rulesOf({ type, schema_version: 1 })),
  }
}
