/** One trace from the caller's header through the request to the consumer, seen by an OTLP receiver. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBank } from '../../../../test/bank.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { call, eventually, newKey, openWorld, type World } from '../../../../test/world.ts'

type OtlpSpan = { traceId: string; spanId: string; parentSpanId?: string; name: string }

const spans: OtlpSpan[] = []
const receiver = createServer((request, response) => {
  const body: Buffer[] = []
  request.on('data', part => body.push(part as Buffer))
  request.on('end', () => {
    const { resourceSpans } = JSON.parse(Buffer.concat(body).toString()) as {
      resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[]
    }
    spans.push(...resourceSpans.flatMap(one => one.scopeSpans.flatMap(scope => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})

let world: World
let traced: PlatformProcess
beforeAll(async () => {
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  world = await openWorld({ ROLES: 'api' })
  traced = await startProcess({
    ...world.environment,
    ROLES: 'api,worker',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
})
afterAll(async () => {
  await traced.kill('SIGTERM')
  await world.close()
  receiver.close()
})

test('a transfer and what hears of it are one trace', async () => {
  const bank = await openBank(world)
  const [from_id, to_id] = [await bank.open(10), await bank.open(0)]
  const trace_id = '0af7651916cd43dd8448eb211c80319c'
  const answer = await call(traced.url, 'POST', '/v1/book/transfers', {
    token: bank.teller.token,
    key: newKey(),
    body: { from_id, to_id, amount_minor: 1 },
    headers: { traceparent: `00-${trace_id}-b7ad6b7169203331-01` },
  })
  expect(answer.status).toBe(201)
  const ours = () => spans.filter(span => span.traceId === trace_id)
  await eventually('both consumers were traced', () => ours().length >= 3)
  const request = ours().find(span => span.name === 'POST /v1/book/transfers')
  expect(request?.parentSpanId).toBe('b7ad6b7169203331')
  const heard = ours().filter(span => span.name === 'consume account.moved')
  expect(heard.map(span => span.parentSpanId)).toEqual([request?.spanId, request?.spanId])
})
