/** Routes about the organizations of a person, and the one in which the caller works. */
import { Type } from 'typebox'
import { routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { refusals } from '../login-policy/policy.ts'
import { theme_body_bytes } from '../pages/theme.ts'
import { requirePerson } from '../require-person.ts'
import { requireStepUp } from '../step-up.ts'
import { changeTenant, ChangeOrganization } from '../tenants/change-tenant.ts'
import { requireTenant, Tenant, TenantDetails } from '../tenants/find-tenant.ts'
import { createOrganization, CreateOrganization } from './create-organization.ts'
import { listOrganizations, MyOrganization } from './list-organizations.ts'

const { version: _version, ...made } = Tenant.properties
const CreatedOrganization = Type.Object(made, { title: 'CreatedOrganization' })
const { version: _too, ...shown } = TenantDetails.properties
const Organization = Type.Object(shown, { title: 'Organization' })

const { open, create, get, list, patch, del } = routesOf<Deps>({
  permission: 'identity.organization.write',
  added: true,
})

export const organizationRoutes = open({
  listOrganizations: list(
    '/v1/organizations',
    'List my organizations, newest first',
    { permission: 'authenticated', item: MyOrganization, fails: ['permission_denied'] },
    async ({ tx, principal, list: scope }) => {
      requirePerson(principal)
      return await listOrganizations(tx, principal.id, scope)
    },
  ),

  createOrganization: create(
    '/v1/organizations',
    'Create an organization',
    {
      sends: ['etag'],
      description:
        'You are its administrator and a guest in it. To work there, refresh your session with its id as `tenant_id`, or get a token with `POST /v1/sessions/current/access-tokens`.',
      permission: 'identity.organizations.write',
      asks_grants: true,
      idempotency: 'optional',
      body: CreateOrganization,
      reply: CreatedOrganization,
      fails: ['already_exists', 'permission_denied', 'quota_exceeded', 'session_bound'],
    },
    async ({ tx, body, principal, grants, request }, deps) => {
      const maker = { principal, grants: await grants() }
      return await createOrganization(tx, deps, body, maker, request)
    },
  ),

  getOrganization: get(
    '/v1/organization',
    'Get the organization in which I work',
    { permission: 'authenticated', sends: ['etag'], reply: Organization },
    async ({ tx, principal }) => await requireTenant(tx, principal.tenant_id),
  ),

  updateOrganization: patch(
    '/v1/organization',
    'Change my organization',
    {
      sends: ['etag'],
      description:
        'Changing `login`, the log-in policy, requires a recent authentication. It counts from the next log-in and refresh of each session. Members of `login` that are null are removed; `profile_schema`, `claims` and `theme` are replaced as a whole. The account pages and the payment pages show the theme of a trusted organization.',
      body: ChangeOrganization,
      body_limit_bytes: theme_body_bytes,
      reply: Organization,
      fails: ['precondition_failed', 'step_up_required', ...refusals],
    },
    async ({ tx, body, principal, if_match }, deps) => {
      const by = { actor: principal.id, if_match, principal }
      return await changeTenant(tx, deps, principal.tenant_id, body, by)
    },
  ),

  disableOrganization: del(
    '/v1/organization',
    'Disable my organization',
    {
      description:
        'Requires a recent authentication. Every session that works in it ends, also yours, and its API keys are no longer accepted. An operator can enable it again.',
      fails: ['invalid_transition', 'last_operator', 'step_up_required'],
    },
    async ({ tx, principal }, deps) => {
      await requireStepUp(tx, deps.kernel, principal)
      const change = { state: 'disabled' } as const
      await changeTenant(tx, deps, principal.tenant_id, change, { actor: principal.id })
    },
  ),
})
