/**
 * The calls that run in this process. The process renews their leases. Every second, and at each
 * cancel in any process, it reads which of these calls were cancelled. The tasks of all calls end
 * before the process ends.
 */
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Call } from './call.ts'

export const cancel_topic = 'inference.cancels'
const look_ms = 1000

type Entry = { readonly tenant_id: string; readonly controller: AbortController }
const Cancelled = Type.Object({ id: Type.String() })

export class CallCancelled extends Error {
  override readonly name = 'Cancelled'
}

export class Calls {
  /** Names this process in reservations. */
  readonly owner_id = newId()
  /** Committed, but not taken by their requests yet. */
  readonly begun = new Map<string, Call>()
  private readonly kernel: Kernel
  private readonly entries = new Map<string, Entry>()
  private readonly tasks = new Set<Promise<unknown>>()
  private readonly stopListening: () => void
  private timer: NodeJS.Timeout | undefined
  private renewed_ms = performance.now()

  constructor(kernel: Kernel) {
    this.kernel = kernel
    this.stopListening = kernel.onWake(() => void this.look(), [cancel_topic])
  }

  /** Aborted with `CallCancelled` when the call is cancelled. */
  enter(tenant_id: string, operation_id: string): AbortSignal {
    const controller = new AbortController()
    this.entries.set(operation_id, { tenant_id, controller })
    this.timer ??= setInterval(() => void this.beat(), look_ms)
    return controller.signal
  }

  leave(operation_id: string): void {
    this.entries.delete(operation_id)
    if (this.entries.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** Work that continues although its caller has disconnected. */
  keep<T>(task: Promise<T>): Promise<T> {
    this.tasks.add(task)
    const end = () => void this.tasks.delete(task)
    task.then(end, end)
    return task
  }

  async close(): Promise<void> {
    this.stopListening()
    while (this.tasks.size > 0) await Promise.allSettled(this.tasks)
    clearInterval(this.timer)
  }

  private async beat(): Promise<void> {
    const lease_ms = this.kernel.settings['inference.lease_seconds'] * 1000
    const renews = performance.now() - this.renewed_ms >= lease_ms / 3
    if (renews) this.renewed_ms = performance.now()
    await Promise.all([this.look(), renews ? this.renew() : undefined])
  }

  private async renew(): Promise<void> {
    const { db, settings, log } = this.kernel
    await db
      .run(
        sql`
          -- any tenant: what this process runs
          update inference.quota_reservations
          set lease_until = now() + make_interval(secs => ${settings['inference.lease_seconds']})
          where state = 'held' and owner_id = ${this.owner_id}
            and operation_id = any(${[...this.entries.keys()]}::uuid[])
            and lease_until < now() + make_interval(secs => ${settings['inference.lease_seconds']})`,
      )
      .catch((error: unknown) => log.warn({ err: error }, 'leases of calls were not renewed'))
  }

  private async look(): Promise<void> {
    if (this.entries.size === 0) return
    const { db, log } = this.kernel
    try {
      const found = await db.many(
        Cancelled,
        sql`
          -- any tenant: what this process runs
          select o.id
          from unnest(${[...this.entries.values()].map(one => one.tenant_id)}::uuid[],
            ${[...this.entries.keys()]}::uuid[]) r (tenant_id, id)
          join inference.inference_operations o on o.tenant_id = r.tenant_id and o.id = r.id
          where o.cancel_requested_at is not null`,
      )
      for (const { id } of found) this.entries.get(id)?.controller.abort(new CallCancelled())
    } catch (error) {
      log.warn({ err: error }, 'cancelled calls were not read')
    }
  }
}
