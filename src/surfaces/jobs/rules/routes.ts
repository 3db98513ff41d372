/** Routes of a tenant's rules, by name. A caller must be allowed to write rules of the job's type. */
import { allowsType, page, reply, routesOf, sql, viewTag } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { deleteRule } from './delete-rule.ts'
import { putRule } from './put-rule.ts'
import { permission, PutRule, Rule, ruleColumns, RuleName } from './schemas.ts'

const path = '/v1/job-rules/{name}'
const absent = 'job_rule_not_found'

const { open, get, list, put, del } = routesOf<Deps>({
  absent,
  permission,
  added: true,
  params: { name: RuleName },
})

export const ruleRoutes = open({
  listJobRules: list(
    '/v1/job-rules',
    'List the rules of the tenant whose job types I may use in rules, by name',
    { item: Rule },
    async ({ tx, principal, grants, list }) => {
      const held = await grants()
      const types = [...held].flatMap(grant =>
        grant.startsWith(`${permission}:`) ? [grant.slice(permission.length + 1)] : [],
      )
      return page(tx, {
        scope: list,
        row: Rule,
        place: ['name'],
        fetch: ({ name }, n) => sql`
          select ${ruleColumns} from jobs.job_rules r
          where r.tenant_id = ${principal.tenant_id} and r.state <> 'deleted'
            and (${types.includes('*')} or r.type = any(${types}::text[]))
            and (${name}::text is null or r.name > ${name}::text)
          order by r.name
          limit ${n}`,
      })
    },
  ),

  getJobRule: get(
    path,
    'A rule',
    { reply: Rule },
    async ({ tx, params: { name }, principal, grants }) => {
      const found = await tx.maybe(
        Rule,
        sql`
        select ${ruleColumns} from jobs.job_rules r
        where r.tenant_id = ${principal.tenant_id} and r.name = ${name} and r.state <> 'deleted'`,
      )
      if (!found || !allowsType(await grants(), permission, found.job.type)) throw problem(absent)
      return reply(200, found, { etag: tagOf(found) })
    },
  ),

  putJobRule: put(
    path,
    'Create or replace a rule: at an event, submit a job',
    {
      description:
        'The caller becomes the owner, and needs `jobs.rules.write` for the type of the job (and for ' +
        'that of a rule that is replaced) and `webhooks.events.read` for the events; both are asked ' +
        'again at each event. In the parameters, `{"$event": "/data/order_id"}` becomes that value.',
      sends: ['etag', 'location'],
      absent: 'validation_failed',
      body: PutRule,
      replies: { 200: Rule, 201: Rule },
      fails: [
        'permission_denied',
        'precondition_failed',
        'content_too_large',
        'quota_exceeded',
        'event_type_unknown',
        'unknown_job_type',
        'unsupported_schema_version',
      ],
    },
    async ({ tx, params: { name }, body, principal, grants, request }, deps) => {
      const conditions = {
        if_match: request.headers['if-match'],
        if_none_match: request.headers['if-none-match'],
      }
      const by = { principal, grants: await grants(), conditions }
      const { rule, made } = await putRule(tx, deps, name, body, by)
      const headers = { etag: tagOf(rule) }
      if (!made) return reply(200, rule, headers)
      return reply(201, rule, { ...headers, location: `/v1/job-rules/${name}` })
    },
  ),

  deleteJobRule: del(
    path,
    'Delete a rule; jobs that it created stay',
    {},
    async ({ tx, params: { name }, principal, grants }) => {
      await deleteRule(tx, { tenant_id: principal.tenant_id, name }, await grants())
    },
  ),
})

/** A run changes the representation and not the version, so the tag contains both. */
function tagOf({ version, runs, missed }: Rule): string {
  return viewTag(version, [String(runs), String(missed)])
}
