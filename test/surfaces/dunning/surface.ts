/** Reminds a person of an open payment, up to three times, until it is paid. */
import { Type } from 'typebox'
import { Id, surface, workflow } from '#dodeca/kernel'

const week = 7 * 24 * 3600

const reminders = workflow(
  'dunning.reminders',
  1,
  {
    input: Type.Object({ intent_id: Id, user_id: Id }),
    person: '/user_id',
    needs: { messages: 'notifications' },
  },
  async (step, { intent_id, user_id }, { tenant_id, needs: { messages } }) => {
    for (const n of [1, 2, 3]) {
      const paid = await step.waitForEvent(`paid ${n}`, {
        type: 'payment.captured',
        where: { '/aggregate_id': intent_id },
        timeout_seconds: week,
      })
      if (paid) return { reminders: n - 1 }
      await step.write(`remind ${n}`, tx =>
        messages.notify(tx, {
          tenant_id,
          user_id,
          key: `${intent_id}:${n}`,
          category: 'order.updates',
          template: 'notice',
          data: { subject: 'Unpaid', paragraphs: ['Your payment is still open.'] },
        }),
      )
    }
    return { reminders: 3 }
  },
)

export const dunning = surface({
  name: 'dunning',
  migrations: new URL('./migrations/', import.meta.url),
  workflows: [reminders],
})
