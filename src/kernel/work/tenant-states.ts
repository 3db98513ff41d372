/**
 * Tenants that this cell does not serve as usual, known to every process within a second. A frozen
 * tenant can only be read. Requests of a tenant that was moved are refused with the address of its
 * cell, for the router in front. Until a process knows the state, the database refuses its writes.
 */
import { Type, type Static } from 'typebox'
import type { Reader } from '../database/db.ts'
import { logFailure } from '../database/log-failure.ts'
import { sql } from '../database/sql.ts'
import { problem } from '../errors/problem.ts'
import type { Log } from '../observability/log.ts'
import type { Sign } from './pulse.ts'
import type { Principal } from '../access/principal.ts'

export const tenant_states_topic = 'kernel.tenant_states'
/** The header of a refusal that names the cell of the tenant. */
export const cell_header = 'x-cell'

export const tenant_states_sign: Sign = {
  topic: tenant_states_topic,
  value: sql`select max(changed_at)::text || count(*) from kernel.tenant_states`,
}

/**
 * The tenants whose rows a hold leaves as they are, as an array. A claim with a limit passes over
 * them: it would find them first each time, and nothing of the other tenants.
 */
export const held_tenants = sql`
  array(select tenant_id from kernel.tenant_states where receipt is null or not receipt ? 'sha256')`

const State = Type.Object({
  tenant_id: Type.String(),
  state: Type.Union([Type.Literal('frozen'), Type.Literal('moved'), Type.Literal('deleted')]),
  cell_url: Type.Union([Type.String(), Type.Null()]),
})

export type TenantStates = {
  /** Throws if this cell must not run a request with this method for the principal. */
  check(principal: Principal, method: string): void
  /** Whether this cell has given the tenant of the principal up: it moved, or was deleted. */
  isGone(principal: Principal): boolean
  start(): Promise<void>
  /** Resolves when no read is running. */
  stop(): Promise<void>
}

type Needs = {
  readonly db: Reader
  readonly log: Log
  onWake(run: () => void, topics: readonly string[]): () => void
}

const retry_after_seconds = 2
/** The wait after a failed read. */
const again_ms = 1000

export function openTenantStates({ db, log, onWake }: Needs): TenantStates {
  let states = new Map<string, Static<typeof State>>()
  let end: (() => void) | undefined
  let reading: Promise<void> | undefined
  let changed = false
  let timer: NodeJS.Timeout | undefined
  const read = async () => {
    const rows = await db.many(
      State,
      sql`
        -- any tenant: there are few
        select tenant_id, state, cell_url from kernel.tenant_states`,
    )
    states = new Map(rows.map(row => [row.tenant_id, row]))
  }
  /**
   * One read at a time, so that an older one cannot replace a newer one. A failed read is repeated: the
   * change that caused it is announced once.
   */
  const look = () => {
    changed = reading !== undefined
    if (reading) return
    clearTimeout(timer)
    reading = read()
      .catch((error: unknown) => {
        logFailure(log, { err: error }, 'the states of tenants could not be read')
        timer = setTimeout(look, again_ms)
      })
      .finally(() => {
        reading = undefined
        if (changed) look()
      })
  }
  return {
    check: ({ tenant_id }, method) => {
      const state = states.size > 0 ? states.get(tenant_id) : undefined
      if (!state || (state.state === 'frozen' && method === 'GET')) return
      if (state.state === 'deleted') throw problem('invalid_token')
      throw problem('service_unavailable', {
        detail:
          state.cell_url === null
            ? 'The tenant is being copied, so it can only be read. Send the request again.'
            : 'The tenant has moved to another cell. Send the request again.',
        retry_after: retry_after_seconds,
        headers: state.cell_url === null ? {} : { [cell_header]: state.cell_url },
      })
    },
    isGone: ({ tenant_id }) => {
      const state = states.get(tenant_id)?.state
      return state === 'moved' || state === 'deleted'
    },
    start: async () => {
      await read()
      end = onWake(look, [tenant_states_topic])
    },
    stop: async () => {
      end?.()
      changed = false
      clearTimeout(timer)
      await reading
      clearTimeout(timer)
    },
  }
}
