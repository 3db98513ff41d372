/**
 * The workflow of a booking: waits for the money, reminds after a day, cancels after three, and takes
 * the money. It waits for days without a process, and goes on after a crash where it was.
 */
import { Id, JobFailure, Problem, Type, workflow } from 'dodeca'
import type { Step, Tx } from 'dodeca'
import { booking, move } from './booking.ts'
import { needs, type Ports } from './needs.ts'

type Run = {
  readonly tenant_id: string
  readonly owner_id: string
  readonly id: string
  readonly needs: Ports
}

const day = 24 * 3600
const cancelled_after_days = 3

export const followBooking = workflow(
  'agency.booking',
  1,
  { input: Type.Object({ booking_id: Id, customer_id: Id }), person: '/customer_id', needs },
  async (step, { booking_id: id, customer_id: owner_id }, { tenant_id, needs }) => {
    const run = { tenant_id, owner_id, id, needs }
    if (!(await isHeld(step, run))) return { state: 'cancelled' }
    await step.write('capture', tx =>
      needs.payments.begin(tx, { tenant_id, intent_id: id, type: 'capture' }),
    )
    const captured = await step.waitForEvent('captured', {
      type: 'payment.captured',
      where: { '/aggregate_id': id },
      timeout_seconds: 7 * day,
    })
    if (!captured) throw new JobFailure('not_captured')
    await step.write('paid', async tx => {
      const { title } = await move(tx, run, id, 'open', { state: 'paid' })
      const body = `${title} is paid. You can write to each other here.`
      await needs.rooms.send(tx, { tenant_id, conversation_id: id, body })
    })
    return { state: 'paid' }
  },
)

/** Whether the customer has paid with a card. False: the booking is cancelled. */
async function isHeld(step: Step, run: Run): Promise<boolean> {
  for (let days = 1; ; days += 1) {
    const held = await step.waitForEvent(`payment ${days}`, {
      type: 'payment.authorized',
      where: { '/aggregate_id': run.id },
      timeout_seconds: day,
    })
    if (held) return true
    if (days === 1) await step.write('remind', tx => remind(tx, run))
    if (days < cancelled_after_days) continue
    if (await step.write(`cancel ${days}`, tx => cancel(tx, run))) return false
  }
}

async function remind(tx: Tx, { tenant_id, owner_id, id, needs }: Run): Promise<void> {
  const { title } = await booking.required(tx, { tenant_id, owner_id }, id)
  await needs.messages.notify(tx, {
    tenant_id,
    user_id: owner_id,
    key: id,
    category: 'agency.bookings',
    template: 'agency.unpaid',
    data: { title },
  })
}

/** False while a payment is on its way: then the next day decides. */
async function cancel(tx: Tx, { tenant_id, owner_id, id, needs }: Run): Promise<boolean> {
  const scope = { tenant_id, owner_id }
  // The customer begins to pay under the same lock.
  await booking.lock(tx, scope, id)
  const intent = await needs.payments.find(tx, { tenant_id, id })
  if (intent?.state !== 'requires_authorization') return false
  try {
    await needs.payments.begin(tx, { tenant_id, intent_id: id, type: 'void' })
  } catch (error) {
    if (error instanceof Problem && error.code === 'operation_pending') return false
    throw error
  }
  await move(tx, scope, id, 'open', { state: 'cancelled' })
  return true
}
