/** The S3 engine with a service that answers wrongly: no call goes on without an end, and none is believed. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Objects } from '../objects.ts'
import { openS3Objects } from '../s3.ts'

async function storeThat(answers: RequestListener): Promise<Objects> {
  const server = createServer(answers).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const objects = openS3Objects({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'bucket',
    region: 'us-east-1',
    access_key: 'access',
    secret_key: 'secret',
    path_style: true,
    timeout_ms: 10_000,
  })
  onTestFinished(async () => {
    await objects.close()
    server.closeAllConnections()
    server.close()
  })
  return objects
}

const page = (inside: string) => `<Result><IsTruncated>true</IsTruncated>${inside}</Result>`

async function walk(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

test('a list that repeats its page ends with an error', async () => {
  const contents = '<Contents><Key>o/a</Key><Size>1</Size></Contents>'
  const uploads = '<Upload><Key>o/a</Key><UploadId>1</UploadId></Upload>'
  const parts = '<Part><PartNumber>1</PartNumber><ETag>x</ETag><Size>1</Size></Part>'
  const objects = await storeThat((_request, response) => {
    response.end(page(contents + uploads + parts))
  })
  const without_end = { name: 'StoreUnavailable', message: /does not go on/ }
  await expect(walk(objects.list('o'))).rejects.toMatchObject(named(without_end))
  await expect(walk(objects.multipart.list())).rejects.toMatchObject(named(without_end))
  const { parts: kind } = objects.multipart
  if (kind.kind !== 'presigned') throw new Error('S3 presigns')
  const listed = kind.list({ key: 'o/a', reference: '1' })
  await expect(listed).rejects.toMatchObject(named(without_end))
})

const named = ({ name, message }: { name: string; message: RegExp }) => ({
  name,
  message: expect.stringMatching(message) as string,
})

test('a body that is given up before its end does not end the process', async () => {
  const objects = await storeThat((_request, response) => response.end('0123456789'))
  const found = await objects.get('o/a')
  const closed = new Promise(resolve => found?.body.once('close', resolve))
  found?.body.destroy()
  await closed
  expect(found?.size).toBe(10)
})

test('other bytes than the range that was asked for are not taken for it', async () => {
  const whole = await storeThat((_request, response) => response.end('0123456789'))
  const range = { start: 2, end: 4 }
  await expect(whole.get('o/a', range)).rejects.toMatchObject({ name: 'StoreUnavailable' })
  const other = await storeThat((_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-2/10' }).end('012')
  })
  await expect(other.get('o/a', range)).rejects.toMatchObject({ name: 'StoreUnavailable' })
})

test('an upload whose parts a rule of the bucket has removed lacks its parts', async () => {
  const objects = await storeThat((_request, response) => {
    response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>')
  })
  const part = { part_number: 1, name: 'x', size: 10, sha256: null }
  const place = { key: 'o/a', reference: '1' }
  const completing = objects.multipart.complete(place, [part], Buffer.alloc(32))
  await expect(completing).rejects.toMatchObject({ name: 'PartMissing' })
})
