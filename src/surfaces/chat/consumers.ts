/**
 * The consumers of chat: they apply changes of files to attachments, push messages, and handle
 * ended sessions.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, sql, type Consumer, type LoggedEvent, type Tx } from '#dodeca/kernel'
import { followFiles } from './attachments/follow-files.ts'
import type { Deps } from './deps.ts'
import { release } from './devices/devices.ts'
import { push_queue } from './pushes/push-queue.ts'

const Created = Type.Object({ conversation_id: Id, sequence: Type.Integer() })
const Revoked = Type.Object({ session_id: Id })
const Person = Type.Object({ account_id: Id })

export function consumers(deps: Deps): readonly Consumer[] {
  return [followFiles(deps), pushes(deps), sessions(deps), people(deps)]
}

function pushes({ kernel: { settings } }: Pick<Deps, 'kernel'>): Consumer {
  const runAll = async (tx: Tx, events: readonly LoggedEvent[]) => {
    const tops = new Map<string, { tenant_id: string; id: string; sequence: number }>()
    for (const { tenant_id, payload } of events) {
      if (!Value.Check(Created, payload)) throw new Error('not an event of a message')
      const { conversation_id: id, sequence } = payload
      const top = Math.max(sequence, tops.get(id)?.sequence ?? 0)
      tops.set(id, { tenant_id, id, sequence: top })
    }
    const rows = [...tops.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    await tx.run(sql`
      insert into chat.pushes as p (tenant_id, conversation_id, up_to_sequence, due_at)
      select n.tenant_id, n.id, n.sequence,
        kernel.now() + make_interval(secs => ${settings['chat.push_delay_ms'] / 1000})
      from ${sql.table(rows, { tenant_id: 'uuid', id: 'uuid', sequence: 'int8' })} n
      order by n.id
      on conflict on constraint pushes_pkey do update
      set up_to_sequence = greatest(p.up_to_sequence, excluded.up_to_sequence),
        due_at = coalesce(case when p.last_error_code is not null then p.due_at end,
          least(p.due_at, greatest(excluded.due_at, (
            select p.pushed_at + make_interval(secs => ${settings['chat.push_group_seconds']})
            from chat.conversations c
            where c.tenant_id = p.tenant_id and c.id = p.conversation_id and c.type = 'group')))),
        attempts = case when p.due_at is null then 0 else p.attempts end,
        last_error_code = case when p.due_at is null then null else p.last_error_code end`)
    tx.wake(push_queue)
  }
  return {
    name: 'chat.pushes',
    events: ['message.created'],
    run: (tx, event) => runAll(tx, [event]),
    runAll,
  }
}

/** A device whose session has ended gets no pushes. */
function sessions(deps: Pick<Deps, 'messages'>): Consumer {
  return {
    name: 'chat.sessions',
    events: ['session.revoked'],
    run: async (tx, { payload }) => {
      if (!Value.Check(Revoked, payload)) throw new Error('not an event of a session')
      const { session_id } = payload
      await release(
        tx,
        deps,
        sql`
          -- any tenant: a guest has devices in other tenants than that of the session
          delete from chat.devices where session_id = ${session_id}
          returning tenant_id, push_token_ref`,
      )
    },
  }
}

/**
 * Processes that hold sockets of these people check again whether they still belong to the tenant.
 */
function people({ live }: Pick<Deps, 'live'>): Consumer {
  return {
    name: 'chat.people',
    events: ['account.status_changed', 'account.deleted', 'role.revoked'],
    run: async (tx, { payload }) => {
      if (!Value.Check(Person, payload)) throw new Error('not an event of a person')
      tx.afterCommit(() => live.suspect(payload.account_id))
      await Promise.resolve()
    },
  }
}
