/** What tests of rules stand on: declared types, rules and published events of real accounts. */
import { Type } from 'typebox'
import { expect } from 'vitest'
import { newId, sql, type Db } from '#dodeca/kernel'
import { openProductWorld, type Member } from '../../../../../test/product-world.ts'
import { engineComposition } from '../../attempts/test/engine-composition.ts'
import { eventually, newKey } from '../../../../../test/world.ts'

const rights = [
  'kernel.events.publish:*',
  'jobs.rules.write:*',
  'jobs.jobs.read:*',
  'webhooks.events.read:*',
]

export const counting = { type: 'demo.count', parameters: { to: 1 } }

const Job = Type.Object({
  id: Type.String(),
  type: Type.String(),
  state: Type.String(),
  error_code: Type.Union([Type.String(), Type.Null()]),
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  parameters: Type.Unknown(),
})

type Token = Pick<Member, 'token'>

export async function openRulesWorld(settings: Record<string, string> = {}) {
  const given = { JOBS_RULE_RUNS_PER_HOUR: '6', ...settings }
  const world = await openProductWorld(given, engineComposition)
  const { db } = world.platform.kernel
  const operator = await world.member()
  await world.allow(operator, 'kernel.event_types.write')

  const put = (who: Token, name: string, body: object, headers = {}) =>
    world.call('PUT', `/v1/job-rules/${name}`, { token: who.token, body, headers })

  return {
    ...world,
    put,
    /** A member who may make rules and publish, and this too. */
    owner: async (...more: string[]): Promise<Member> => {
      const member = await world.member()
      await world.allow(member, ...rights, ...more)
      return member
    },
    /** A type of events that no other test uses. */
    declared: async (): Promise<string> => {
      const type = `deal_${newId().slice(-12)}.won`
      const body = { description: 'A deal was won.', schema: { type: 'object' } }
      const { token } = operator
      const answer = await world.call('PUT', `/v1/event-types/${type}`, { token, body })
      expect(answer.status, answer.text).toBe(201)
      return type
    },
    rule: async (who: Token, name: string, body: object) => {
      const answer = await put(who, name, { job: counting, ...body })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    },
    show: async (who: Token, name: string) =>
      (await world.call('GET', `/v1/job-rules/${name}`, { token: who.token })).body,
    /** Events in the own tenant, one for each data. Answers their ids. */
    publish: async (who: Member, type: string, data: object[] = [{}], more: object = {}) => {
      const events = data.map(one => ({ type, data: one, ...more }))
      const asked = { token: who.token, key: newKey(), body: { events } }
      const answer = await world.call('POST', '/v1/events', asked)
      expect(answer.status, answer.text).toBe(201)
      return answer.body.event_ids as string[]
    },
    ...looksAt(db),
  }
}

function looksAt(db: Db) {
  return {
    /** The jobs of rules in the tenant, oldest first. */
    jobsOf: (who: Pick<Member, 'tenant'>) =>
      db.many(
        Job,
        sql`
          select j.id, j.type, j.state, j.error_code, j.idempotency_key, i.parameters
          from jobs.jobs j left join jobs.job_inputs i on i.job_id = j.id
          where j.tenant_id = ${who.tenant.id} and j.operation = 'rule' order by j.id`,
      ),
    /** Resolves when all events so far were handled, and also the ends of the jobs that they made. */
    quiet: () =>
      eventually('the consumer is at the head, and no job waits', async () => {
        const { rest } = await db.one(
          Type.Object({ rest: Type.Integer() }),
          sql`
            -- any tenant: all that the platform has to do
            select (select count(*) from kernel.outbox_events)::int
              + (select count(*) from kernel.event_consumers c
                  join kernel.events e on e.lane = c.lane and e.position > c.position
                  where c.consumer = 'jobs.reactions')::int
              + (select count(*) from jobs.jobs where completed_at is null
                  and scheduled_at is null)::int as rest`,
        )
        return rest === 0
      }),
    /** The data of the tenant's events of a type, in order. */
    said: async (who: Pick<Member, 'tenant'>, type: string) => {
      const rows = await db.many(
        Type.Object({ payload: Type.Unknown() }),
        sql`
          select payload from kernel.events
          where tenant_id = ${who.tenant.id} and type = ${type} order by position`,
      )
      return rows.map(row => row.payload)
    },
  }
}
