/** The product and the types that tests steer; for this process and for those that are killed. */
import { withJobTypes } from '../../../../../test/with-job-types.ts'
import { runs } from '../../steps/test/runs.ts'
import { toils } from './toils.ts'

export const engineComposition = withJobTypes((_, kernel) => [...toils, ...runs(kernel)])
