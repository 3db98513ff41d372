/** The permissions of models. Every account may call models within its quota. */
import type { Permission } from '#dodeca/kernel'

const everyone = ['member']
const operators = ['platform_operator']
const administrators = ['model_administrator']

export const permissions: Readonly<Record<string, Permission>> = {
  'inference.operations.create': { says: 'Call models', roles: everyone },
  'inference.operations.read_any': {
    says: 'See the calls of others, with their inputs and outputs',
    roles: administrators,
  },
  // No role has it: a model that acts unasked.
  'inference.tools.unattended': {
    says: 'Let models write with tools of the platform without a yes',
    roles: [],
  },
  'inference.jobs.create': { says: 'Call models in jobs', roles: everyone },
  'inference.generations.create': { says: 'Generate text', roles: everyone },
  'inference.reports.create': { says: 'Generate reports in jobs', roles: everyone },
  'inference.models.read': { says: 'See the models', roles: everyone },
  'inference.models.write': {
    says: 'Change models of the tenant and add them at its own providers; add others with inference.platform.write',
    roles: [...administrators, ...operators],
  },
  'inference.providers.write': {
    says: 'See and change the own model providers of the tenant, with their keys',
    roles: [...administrators, ...operators],
  },
  'inference.prices.write': {
    says: 'Set prices of models at own providers of the tenant; of others with inference.platform.write',
    roles: [...administrators, ...operators],
  },
  'inference.quotas.write': {
    says: 'Set quotas within those of the tenant',
    roles: administrators,
  },
  'inference.usage.read': { says: 'See the usage of the whole tenant', roles: administrators },
  'inference.platform.write': {
    says: 'Change the models, prices and quotas that the platform gives to tenants',
    roles: operators,
  },
}
