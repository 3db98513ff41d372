/**
 * The permissions on jobs. Most are granted by job type. Types belong to the platform and not to a
 * tenant, so pausing and registering them is for platform operators.
 */
import type { Permission } from '#dodeca/kernel'

const admin = ['tenant_admin']
const operator = ['platform_operator']

export const permissions: Readonly<Record<string, Permission>> = {
  'jobs.jobs.submit': { says: 'Submit jobs of a type', roles: admin, typed: true },
  'jobs.jobs.read': {
    says: 'See the jobs of a type, their attempts and progress',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
    typed: true,
  },
  'jobs.jobs.cancel': { says: 'Cancel jobs of a type', roles: admin, typed: true },
  'jobs.jobs.signal': { says: 'Send signals to workflows of a type', roles: admin, typed: true },
  'jobs.jobs.retry': { says: 'Retry jobs of a type', roles: admin, typed: true },
  'jobs.jobs.update': { says: 'Reorder waiting jobs of a type', roles: admin, typed: true },
  'jobs.results.read': { says: 'Fetch the results of a type', roles: admin, typed: true },
  'jobs.schedules.write': { says: 'Schedule jobs of a type', roles: admin, typed: true },
  'jobs.workers.claim': {
    says: 'Run jobs of a type in the own tenant',
    roles: admin,
    typed: true,
  },
  'jobs.workers.claim_any': {
    says: 'Run jobs of a type of all tenants',
    roles: operator,
    typed: true,
  },
  'jobs.types.read': { says: 'See the job types', roles: ['platform_operator', 'tenant_admin'] },
  'jobs.types.write': { says: 'Register job types for external workers', roles: operator },
  'jobs.types.pause': { says: 'Pause and resume a job type', roles: operator },
  'jobs.stats.read': { says: 'See how many jobs wait and run', roles: operator },
}
