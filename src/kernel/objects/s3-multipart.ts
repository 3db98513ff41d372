/**
 * Multipart uploads of the S3 engine. The service, never the client, says which parts exist. The
 * reply to a completion may be lost. Each key belongs to one upload only, so an object of the right
 * size under the key proves that the upload was completed.
 */
import { createHash } from 'node:crypto'
import {
  checkKey,
  ChecksumDiffers,
  PartMissing,
  StoreUnavailable,
  type FoundObject,
  type Multipart,
  type ObjectFacts,
  type Place,
  type PresignedParts,
  type StoredPart,
} from './objects.ts'
import { brokenOff, endless, textsOf, type S3Client } from './s3-client.ts'

type Reading = {
  get(key: string): Promise<FoundObject | undefined>
  head(key: string): Promise<ObjectFacts | undefined>
}

export type S3Multipart = Multipart & {
  readonly parts: PresignedParts
  /** Completes without checking the bytes. */
  finish(place: Place, parts: readonly StoredPart[], size: number): Promise<void>
}

export function openS3Multipart(client: S3Client, reading: Reading): S3Multipart {
  const finish = (place: Place, parts: readonly StoredPart[], size: number) =>
    finishUpload(client, reading, place, parts, size)
  return {
    begin: async key => {
      const query = { uploads: '' }
      const asked = { method: 'POST', key: checkKey(key), query, once: true } as const
      const { text } = await client.expect(await client.send(asked), [200])
      const [reference] = textsOf(text, 'UploadId')
      if (!reference) throw new StoreUnavailable('the object store returned no upload id')
      return reference
    },
    parts: {
      kind: 'presigned',
      presign: ({ key, reference }, part_number, size, expires_seconds) => {
        const query = { partNumber: String(part_number), uploadId: reference }
        return client.presign('PUT', checkKey(key), expires_seconds, query, size)
      },
      list: place => listParts(client, place),
    },
    finish,
    complete: async (place, parts, expected) => {
      const total = parts.reduce((sum, { size }) => sum + size, 0)
      await finish(place, parts, total)
      const found = await reading.get(place.key)
      if (!found) throw new StoreUnavailable('a completed object is missing')
      const sha256 = await hashOf(found).catch(brokenOff)
      if (!sha256.equals(expected)) throw new ChecksumDiffers(sha256)
      return { size: found.size, sha256, version: found.version }
    },
    abort: async ({ key, reference }) => {
      const query = { uploadId: reference }
      const answer = await client.send({ method: 'DELETE', key: checkKey(key), query })
      await client.expect(answer, [200, 204, 404])
    },
    list: () => listUploads(client),
  }
}

async function hashOf({ body }: Pick<FoundObject, 'body'>): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk as Buffer)
  return hash.digest()
}

async function finishUpload(
  client: S3Client,
  { head }: Reading,
  { key, reference }: Place,
  parts: readonly StoredPart[],
  size: number,
): Promise<void> {
  const body = [
    '<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    ...parts.map(
      ({ part_number, name }) =>
        `<Part><PartNumber>${part_number}</PartNumber><ETag>${name}</ETag></Part>`,
    ),
    '</CompleteMultipartUpload>',
  ].join('')
  const query = { uploadId: reference }
  let failure: unknown
  for (let attempt = 0; attempt < 3; attempt++) {
    const there = await head(key)
    if (there?.size === size) return
    try {
      const answer = await client.send({ method: 'POST', key, query, body, once: true })
      // The service may reply 200 and report the failure in the body.
      const { status, text } = await client.expect(answer, [200, 404])
      if (status === 200 && !text.includes('<Error>')) return
      // Neither the upload nor its object exists: a rule of the bucket has removed the parts.
      if (status === 404 && !(await head(key))) throw new PartMissing(1)
      failure = new StoreUnavailable(`completing failed (${textsOf(text, 'Code')[0]})`)
    } catch (error) {
      if (error instanceof PartMissing) throw error
      failure = error
    }
  }
  if ((await head(key))?.size === size) return
  throw failure
}

async function listParts(client: S3Client, { key, reference }: Place): Promise<StoredPart[]> {
  const parts: StoredPart[] = []
  for (;;) {
    const marker = parts.at(-1)?.part_number
    const query = {
      uploadId: reference,
      'max-parts': '1000',
      ...(marker ? { 'part-number-marker': String(marker) } : {}),
    }
    const answer = await client.send({ method: 'GET', key: checkKey(key), query })
    const { status, text } = await client.expect(answer, [200, 404])
    if (status === 404) throw new PartMissing(1)
    for (const one of textsOf(text, 'Part')) {
      parts.push({
        part_number: Number(textsOf(one, 'PartNumber')[0]),
        name: textsOf(one, 'ETag')[0] ?? '',
        size: Number(textsOf(one, 'Size')[0]),
        sha256: null,
      })
    }
    if (textsOf(text, 'IsTruncated')[0] !== 'true') return parts
    if (parts.at(-1)?.part_number === marker) throw endless()
  }
}

async function* listUploads(client: S3Client): AsyncGenerator<Place & { begun_ms: number }> {
  let markers: Record<string, string> = {}
  for (;;) {
    const query = { uploads: '', 'max-uploads': '1000', ...markers }
    const { text } = await client.expect(await client.send({ method: 'GET', query }), [200])
    for (const one of textsOf(text, 'Upload')) {
      yield {
        key: textsOf(one, 'Key')[0] ?? '',
        reference: textsOf(one, 'UploadId')[0] ?? '',
        begun_ms: Date.parse(textsOf(one, 'Initiated')[0] ?? ''),
      }
    }
    if (textsOf(text, 'IsTruncated')[0] !== 'true') return
    const next = {
      'key-marker': textsOf(text, 'NextKeyMarker')[0] ?? '',
      'upload-id-marker': textsOf(text, 'NextUploadIdMarker')[0] ?? '',
    }
    const same = next['upload-id-marker'] === markers['upload-id-marker']
    if (same && next['key-marker'] === markers['key-marker']) throw endless()
    markers = next
  }
}
