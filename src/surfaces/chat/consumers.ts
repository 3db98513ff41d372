/**
 * The consumers of chat: they apply changes of files to attachments, and handle ended sessions and
 * people who lose their tenant.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, sql, type Consumer } from '#dodeca/kernel'
import { followFiles } from './attachments/follow-files.ts'
import type { Deps } from './deps.ts'
import { release } from './devices/devices.ts'

const Revoked = Type.Object({ session_id: Id })
const Person = Type.Object({ account_id: Id })

export function consumers(deps: Deps): readonly Consumer[] {
  return [followFiles(deps), sessions(deps), people(deps)]
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
