/**
 * Claims jobs. In one transaction the rows leave the queue, the jobs become running, and each job
 * gets an attempt with a lease. A repeated claim with the same id returns the same leases, so that
 * a lost reply costs nothing.
 */
import type { Static } from 'typebox'
import { newId, sql, type Db, type Keyring, type Reader, type Tx } from '#dodeca/kernel'
import {
  claimFrom,
  Claimed,
  lockLanes,
  Locked,
  Picked,
  type Claimant,
  type LaneQuota,
} from './claim-statement.ts'
import { hash } from 'node:crypto'

type Token = { readonly lease_token: string; readonly token_hash: Buffer }
export type Lease = Static<typeof Claimed> & Token
export type Taken = Picked & Token

/** `claim_id` is null if the claim will not be repeated. */
export type Worker = {
  readonly worker_id: string
  readonly claim_id: string | null
  readonly grace_seconds: number
}

/**
 * Runs in its own transaction. If nothing must be checked in between, it is sent together with the
 * claim.
 */
export async function claimAlone(
  db: Db,
  keys: Keyring,
  worker: Worker,
  lanes: readonly LaneQuota[],
): Promise<Taken[]> {
  let taken: Promise<Taken[]> | undefined
  try {
    await db.tx(async tx => {
      taken = claimJobs(tx, keys, worker, lanes)
      // The failure is handled below, after the transaction that it broke.
      taken.catch(() => {})
      if (isCapped(lanes)) await taken
    })
  } catch (error) {
    await taken
    throw error
  }
  return (await taken) ?? []
}

function isCapped(lanes: readonly LaneQuota[]): boolean {
  return lanes.some(({ rules }) => rules.tenant_max_running !== null)
}

export async function claimJobs(
  tx: Tx,
  keys: Keyring,
  worker: Worker,
  lanes: readonly LaneQuota[],
): Promise<Taken[]> {
  const { claimant, tokens } = claimantOf(keys, worker, lanes)
  const locked = tx.one(Locked, lockLanes(lanes))
  const claim = (from: readonly LaneQuota[]) => tx.many(Picked, claimFrom(from, claimant))
  const withToken = (picked: Picked): Taken => {
    const token = tokens.get(picked.attempt_id)
    if (!token) throw new Error('a claim returned an attempt id that this process did not make')
    return { ...picked, ...token }
  }
  // Without caps nothing depends on the first result, so both statements are sent together.
  if (!isCapped(lanes)) {
    const [, picked] = await Promise.all([locked, claim(lanes)])
    return picked.map(withToken)
  }
  const { refused } = await locked
  const got = lanes.map((lane, at) => (refused.includes(at) ? { ...lane, quota: 0 } : lane))
  return (await claim(got)).map(withToken)
}

function claimantOf(keys: Keyring, worker: Worker, lanes: readonly LaneQuota[]) {
  const most = lanes.reduce((sum, { quota }) => sum + quota, 0)
  const attempt_ids = Array.from({ length: most }, newId)
  const salt = worker.claim_id ?? newId()
  const tokens = new Map(attempt_ids.map(id => [id, tokenOf(keys, id, salt)]))
  const token_hashes = [...tokens.values()].map(({ token_hash }) => token_hash)
  const claimant: Claimant = { ...worker, attempt_ids, token_hashes }
  return { claimant, tokens }
}

function tokenOf(keys: Keyring, attempt_id: string, salt: string): Token {
  const lease_token = leaseToken(keys, attempt_id, salt)
  return { lease_token, token_hash: hashOf(lease_token) }
}

/** Returns the leases of an earlier claim with this id, if they are still valid. */
export async function claimedBefore(
  reader: Reader,
  keys: Keyring,
  worker_id: string,
  claim_id: string,
): Promise<Lease[]> {
  const leases = await reader.many(
    Claimed,
    sql`
    -- any tenant: a worker asks for what it was given
    select a.id as attempt_id, a.attempt_no, a.leased_until, a.started_at, j.id as job_id,
      j.tenant_id, j.type, j.schema_version, j.version, j.deadline_at,
      j.cancel_requested_at is not null as cancel_requested, j.input_ref,
      i.parameters, c.body as checkpoint, j.principal_id, j.session_id, j.operation, j.traceparent,
      j.failures + 1 >= j.max_attempts as is_last
    from jobs.job_attempts a
    join jobs.jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id
    left join jobs.job_inputs i on i.job_id = j.id and i.tenant_id = j.tenant_id
    left join jobs.job_checkpoints c on c.job_id = j.id and c.tenant_id = j.tenant_id
    where a.claim_id = ${claim_id} and a.worker_id = ${worker_id}
      and a.state = 'running' and a.leased_until > now()
    order by a.id`,
  )
  return leases.map(one => ({ ...one, ...tokenOf(keys, one.attempt_id, claim_id) }))
}

/**
 * The bearer token of one attempt. It is derived from attempt and claim with the platform's key.
 * Rows have only its hash.
 */
function leaseToken(keys: Keyring, attempt_id: string, claim_id: string): string {
  return keys.mac('jobs.lease', Buffer.from(`${attempt_id} ${claim_id}`)).toString('base64url')
}

export function hashOf(lease_token: string): Buffer {
  return hash('sha256', lease_token, 'buffer')
}
