/** Which rows of jobs belong to no tenant. */
import type { Tenancy } from '#dodeca/kernel'

const registry = 'job types are registered for the platform; register the same in each cell'

export const tenancy: Tenancy = {
  'jobs.job_types': { cell: registry },
  'jobs.job_type_versions': { cell: registry },
  'jobs.last_beat': { cell: 'when the scheduler of the cell ran' },
  'jobs.outages': { cell: 'when the scheduler of the cell did not run' },
  // A run that was moved waits for the events of its new cell.
  'jobs.runs': { positions: ['from_position'] },
  'jobs.job_steps': { positions: ['position'] },
  'jobs.step_waits': { positions: ['scanned_through'] },
  'jobs.worker_capabilities': { stays: 'a worker registers again in the new cell' },
}
