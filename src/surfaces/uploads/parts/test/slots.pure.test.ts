/** How many parts arrive at once, of an upload, of a tenant, and of all. */
import { expect, test } from 'vitest'
import { openSlots } from '../slots.ts'

const settings = { 'uploads.parts_at_once': 3, 'uploads.parts_per_process': 8 }
const open = () => openSlots({ settings } as unknown as Parameters<typeof openSlots>[0])
const part = (tenant_id: string, id: string) => ({ tenant_id, id: `${tenant_id} ${id}` })
const refusal = (code: string) => expect.objectContaining({ code }) as Error

test('a tenant has half of the places, however many uploads it begins', () => {
  const slots = open()
  const leave = [1, 2, 3, 4].map(n => slots.take(part('a', `${n}`)))
  expect(() => slots.take(part('a', '5'))).toThrow(refusal('capacity_exceeded'))
  const others = [1, 2, 3, 4].map(n => slots.take(part(`b${n}`, '1')))
  expect(() => slots.take(part('c', '1'))).toThrow(refusal('capacity_exceeded'))
  leave[0]?.()
  leave[1]?.()
  slots.take(part('c', '1'))
  slots.take(part('a', '5'))
  expect(others).toHaveLength(4)
})

test('an upload has its own limit, which is given back', () => {
  const slots = open()
  const leave = [1, 2, 3].map(() => slots.take(part('a', '1')))
  expect(() => slots.take(part('a', '1'))).toThrow(refusal('rate_limited'))
  leave[0]?.()
  slots.take(part('a', '1'))
})
