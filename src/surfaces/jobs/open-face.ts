/** The face of jobs: what other surfaces may do with long work. */
import type { Deps } from './deps.ts'
import type { Face, FileLookup } from './face.ts'
import { openOperator } from './operating/open.ts'
import { viewJob } from './seeing/view.ts'
import { cancelJob } from './steering/cancel-job.ts'
import { submitJob } from './submitting/submit-job.ts'
import { passFence } from './types/fence.ts'

export function openFace(deps: Deps, plugFiles: (files: FileLookup) => void): Face {
  return {
    offer: types => deps.types.offer(types),
    activities: names => deps.types.activities(names),
    plugFiles,
    submit: (tx, order) => submitJob(tx, deps, order),
    view: (reader, key) => viewJob(reader, deps, key),
    cancel: (tx, key, reason) => cancelJob(tx, deps, key, reason ?? null),
    pauseFence: passFence,
    operator: openOperator(deps),
  }
}
