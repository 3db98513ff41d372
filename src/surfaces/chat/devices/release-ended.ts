/**
 * Removes devices whose session has ended. A revoked session is an event (`consumers.ts`). A session
 * that expires is none, so all sessions of devices are looked through from time to time.
 */
import { Type } from 'typebox'
import { nil_id, sql, type Loop } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { release } from './devices.ts'

const Session = Type.Object({ id: Type.String() })
const portion = 500

export function releaseEnded(deps: Pick<Deps, 'kernel' | 'people' | 'messages'>): Loop {
  const { db } = deps.kernel
  return {
    name: 'chat.ended_sessions',
    every_ms: 600_000,
    run: async signal => {
      for (let after = nil_id; ;) {
        signal.throwIfAborted()
        const sessions = await db.many(
          Session,
          sql`
            -- any tenant: a sweep
            select distinct session_id as id from chat.devices
            where session_id > ${after} order by session_id limit ${portion}`,
        )
        const ids = sessions.map(one => one.id)
        const ended = await deps.people.endedSessions(db, ids)
        if (ended.length > 0) await db.tx(tx => release(tx, deps, ofSessions(ended)))
        if (ids.length < portion) return
        after = ids.at(-1) ?? after
      }
    },
  }
}

function ofSessions(ended: readonly string[]) {
  return sql`
    -- any tenant: a sweep
    delete from chat.devices where session_id = any(${[...ended]}::uuid[])
    returning tenant_id, push_token_ref`
}
