/** The bytes of an event: all of it where that is little, else what leads to it. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { bodyOf } from '../body.ts'

const event = (data: object) => ({
  position: 1,
  id: newId(),
  tenant_id: newId(),
  type: 'thing.done',
  schema_version: 1,
  aggregate_type: 'thing',
  aggregate_id: newId(),
  aggregate_version: 7,
  payload: data,
  payload_ref: null,
  traceparent: null,
  occurred_at: '2026-01-31T12:00:00.000Z',
  created_at: '2026-01-31T12:00:00.001Z',
})

test('holds the data up to 256 KiB, and leads to them above', () => {
  const empty = event({ text: '' })
  const rest = 256 * 1024 - bodyOf(empty, '2026-01').bytes.length
  for (const [length, whole] of [
    [rest, true],
    [rest + 1, false],
  ] as const) {
    const data = { text: 'x'.repeat(length) }
    const { bytes, sha256 } = bodyOf({ ...empty, payload: data }, '2026-01')
    const { payload: _, ...kept } = empty
    expect(JSON.parse(bytes.toString())).toEqual({
      id: kept.id,
      tenant_id: kept.tenant_id,
      type: kept.type,
      schema_version: 1,
      api_version: '2026-01',
      aggregate_id: kept.aggregate_id,
      aggregate_version: 7,
      payload_ref: `/v1/webhook-events/${kept.id}`,
      occurred_at: kept.occurred_at,
      created_at: kept.created_at,
      data: whole ? data : null,
    })
    expect(bytes.length).toBeLessThanOrEqual(256 * 1024)
    expect(sha256).toEqual(createHash('sha256').update(bytes).digest())
  }
})
