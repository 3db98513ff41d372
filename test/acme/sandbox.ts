/** The doubles of the vendors of this application. The sandbox opens them. */
import { acme } from '../../src/sandbox/acme/acme.ts'

export const vendors = [acme]
