/** The parts of inference, opened once and connected here. */
import { sql, type Retention, type Surface } from '#dodeca/kernel'
import { checks } from './checks.ts'
import type { Deps, Needs } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Inside } from './face.ts'
import { generateJob } from './jobs/generate-job.ts'
import { jobTypes } from './jobs/job-types.ts'
import { openFace } from './open-face.ts'
import { KnownModels } from './models/known-models.ts'
import { Calls } from './operations/calls.ts'
import { sealedContents } from './operations/contents.ts'
import { sealedSecrets } from './providers/own-secrets.ts'
import { Places } from './operations/places.ts'
import { reaper } from './operations/reaper.ts'
import { permissions } from './permissions.ts'
import { personalInference } from './personal.ts'
import { providerEventsQueue } from './provider-events/process-events.ts'
import { openProviders } from './providers/open-providers.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { openPolicy } from './safety/policy.ts'
import { seed } from './seed.ts'
import { adviceOnProvider, settings, type Kernel } from './settings.ts'
import { tenancy } from './tenancy.ts'

export const inference: Surface<Inside, Needs, typeof settings> = {
  name: 'inference',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  needs: { jobs: 'jobs', people: 'identity', files: 'uploads?' },
  open: (kernel, needs) => {
    const calls = new Calls(kernel)
    const providers = openProviders(kernel)
    const models = new KnownModels(kernel)
    const deps: Deps = {
      ...needs,
      kernel,
      providers,
      policy: openPolicy(kernel),
      calls,
      places: new Places(kernel.settings['inference.deployment_concurrency']),
      models,
    }
    return {
      face: openFace(deps),
      routes: routes(deps),
      queues: [providerEventsQueue(deps)],
      loops: [reaper(deps)],
      jobTypes: [...jobTypes(deps), generateJob(deps)],
      advice: () => Promise.resolve(adviceOnProvider(kernel.settings)),
      checks: checks(deps),
      retention: retention(kernel),
      sealed: [sealedContents, sealedSecrets],
      personal: personalInference(deps),
      seed: tenants => seed(deps, tenants),
      close: async () => {
        models.close()
        await calls.close()
        await providers.close()
      },
    }
  },
}

function retention({ settings: given }: Kernel): Retention[] {
  const days = given['inference.usage_kept_days']
  const old = sql`now() - make_interval(days => ${days})`
  return [
    {
      table: 'inference.contents',
      key: ['tenant_id', 'id'],
      where: sql`t.erase_at < kernel.now()`,
    },
    {
      table: 'inference.quota_counters',
      key: ['tenant_id', 'scope_type', 'scope_id'],
      where: sql`t.day_start < now() - interval '40 days' and t.operations = 0
        and t.day_reserved = 0`,
    },
    {
      table: 'inference.tags',
      key: ['tenant_id', 'tag'],
      where: sql`
        t.used_at < kernel.now() - make_interval(days => ${given['inference.tags_kept_days']})
        and not exists (select from inference.quota_limits l where l.tenant_id = t.tenant_id
          and (l.scope_type = 'tag' and l.scope_id = t.tag or t.tag = any(l.tags)))`,
    },
    {
      table: 'inference.inference_operations',
      key: ['tenant_id', 'id'],
      where: sql`t.completed_at is not null and t.created_at < ${old}`,
    },
    {
      table: 'inference.usage_records',
      key: ['tenant_id', 'id'],
      where: sql`t.measured_at < ${old}`,
    },
    {
      table: 'inference.generation_usage',
      key: ['tenant_id', 'id'],
      where: sql`t.completed_at < ${old}`,
    },
    {
      table: 'inference.provider_events',
      key: ['provider', 'event_id'],
      where: sql`t.processed_at is not null and t.received_at
        < now() - make_interval(days => ${given['inference.events_retention_days']})`,
    },
  ]
}
