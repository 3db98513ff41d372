/** Requests that nearly make sense: bodies, ranges and headers that no client sends on purpose. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { UploadWorld } from './upload-world.ts'

/** Sends `count` of them, for an upload and a file that are there; no answer is a 5xx. */
export async function sendOddRequests(world: UploadWorld, count: number): Promise<void> {
  const who = await world.member()
  const { body: begun } = await world.begin(who, randomBytes(64))
  const { pathname, search } = new URL(begun.upload_url)
  const done = await world.store(who, randomBytes(64))
  const download = (await world.url(who, done.file_id)).body.url.replace('http://dodeca.test', '')
  const statuses = new Map<number, number>()
  const requests = fc.sample(
    oddRequests({ id: begun.id, path: pathname + search, download }),
    count,
  )
  for (const { method, to, headers, content } of requests) {
    const answer = await fetch(world.base_url + to, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${who.token}`,
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    })
    await answer.arrayBuffer()
    expect(answer.status, `${method} ${to} ${JSON.stringify(headers)} ${content}`).toBeLessThan(500)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
  // Some of them make sense after all: the requests did reach their handlers.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(0)
  expect(statuses.get(422) ?? 0).toBeGreaterThan(0)
}

function oddRequests({ id, path, download }: { id: string; path: string; download: string }) {
  const odd = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      '-1',
      '0',
      '1e9',
      '99999999999999999999',
      'bytes=0-',
      'null',
      '',
      '%00',
      '../..',
    ),
    fc.integer().map(String),
  )
  const header = odd.filter(text => /^[\x20-\x7e]*$/.test(text) && text.trim() === text)
  const body = oddBodies(odd)
  return fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          '/v1/uploads',
          `/v1/uploads/${id}/parts`,
          `/v1/uploads/${id}/complete`,
          '/v1/files/download-urls',
        ),
        body,
      )
      .map(([to, content]) => ({
        method: 'POST',
        to,
        headers: {},
        content: JSON.stringify(content) ?? '',
      })),
    fc.tuple(odd, header).map(([more, checksum]) => ({
      method: 'PUT',
      to: `${path}&${encodeURIComponent(more)}=${encodeURIComponent(more)}`,
      headers: { 'x-amz-checksum-sha256': checksum } as Record<string, string>,
      content: 'x'.repeat(64),
    })),
    fc.tuple(header, header).map(([range, if_range]) => ({
      method: 'GET',
      to: download,
      headers: { range, 'if-range': if_range, 'if-none-match': range } as Record<string, string>,
      content: undefined,
    })),
    fc
      .tuple(fc.constantFrom('/_objects/u/', '/_objects/d/', '/v1/files/', '/v1/uploads/'), odd)
      .map(([base, more]) => ({
        method: 'GET',
        to: base + encodeURIComponent(more),
        headers: {},
        content: undefined,
      })),
  )
}

function oddBodies(odd: fc.Arbitrary<string>) {
  const part = fc.record(
    { part_number: fc.anything(), etag: fc.anything(), size: fc.anything(), checksum: odd },
    { requiredKeys: [] },
  )
  return fc.oneof(
    fc.record(
      {
        parts: fc.oneof(fc.array(part, { maxLength: 4 }), fc.anything()),
        checksum: odd,
        part_numbers: fc.anything(),
        remaining: fc.anything(),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        expected_size: fc.anything(),
        media_category: odd,
        purpose: odd,
        checksum: odd,
        filename: odd,
        claimed_type: odd,
      },
      { requiredKeys: [] },
    ),
  )
}
