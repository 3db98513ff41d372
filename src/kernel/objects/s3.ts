/**
 * Objects in a bucket of an S3-compatible service. Plain requests are idempotent, so they are
 * retried after a failure of the network or the service. Clients always upload with multipart. The
 * URL of a part becomes invalid when its upload ends, while a presigned PutObject could replace
 * bytes that were already scanned.
 */
import { createHash } from 'node:crypto'
import {
  checkKey,
  isKey,
  StoreUnavailable,
  type ByteRange,
  type FoundObject,
  type ListedObject,
  type ObjectFacts,
  type Objects,
  type StoredObject,
} from './objects.ts'
import {
  endless,
  openS3Client,
  textsOf,
  type S3Answer,
  type S3Client,
  type S3Options,
} from './s3-client.ts'
import { openS3Multipart, type S3Multipart } from './s3-multipart.ts'
import { undeleteObject } from './s3-versions.ts'

/** A stream up to this size is sent in one request. A larger one is sent in parts of this size. */
const part_bytes = 16 * 1024 * 1024

export function openS3Objects(options: S3Options): Objects {
  const client = openS3Client(options)
  const get = (key: string, range?: ByteRange) => getObject(client, key, range)
  const head = (key: string) => headObject(client, key)
  const multipart = openS3Multipart(client, { get, head })
  return {
    engine: 's3',
    multipart,
    put: async (key, content) =>
      content instanceof Uint8Array
        ? await putWhole(client, key, content)
        : await putStream(client, multipart, key, content),
    get,
    head,
    delete: async key => {
      const answer = await client.send({ method: 'DELETE', key: checkKey(key) })
      await client.expect(answer, [200, 204, 404])
    },
    undelete: key => undeleteObject(client, checkKey(key)),
    list: prefix => listObjects(client, prefix),
    createsOnce: () => createsOnce(client),
    presignGet: (key, { expires_seconds, content_type, content_disposition }) =>
      client.presign('GET', checkKey(key), expires_seconds, {
        'response-content-type': content_type,
        'response-content-disposition': content_disposition,
      }),
    pathOf: null,
    close: () => client.close(),
  }
}

async function getObject(
  client: S3Client,
  key: string,
  range: ByteRange | undefined,
): Promise<FoundObject | undefined> {
  const headers = range ? { range: `bytes=${range.start}-${range.end}` } : {}
  const answer = await client.send({ method: 'GET', key: checkKey(key), headers })
  if (answer.status === 404) {
    answer.body.resume()
    return undefined
  }
  if (answer.status !== 200 && answer.status !== 206) await client.expect(answer, [200, 206])
  if (range && !answersRange(answer, range)) {
    answer.body.destroy()
    throw new StoreUnavailable('the object store returned other bytes than the range')
  }
  const whole = /\/(\d+)$/.exec(String(answer.headers['content-range'] ?? ''))?.[1]
  const size = Number(whole ?? answer.headers['content-length'])
  return { size, version: versionOf(answer.headers), body: answer.body }
}

/** A service that does not know ranges returns the whole object with 200. */
function answersRange({ status, headers }: S3Answer, { start }: ByteRange): boolean {
  return status === 206 && String(headers['content-range']).startsWith(`bytes ${start}-`)
}

async function headObject(client: S3Client, key: string): Promise<ObjectFacts | undefined> {
  const answer = await client.send({ method: 'HEAD', key: checkKey(key) })
  answer.body.resume()
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw new StoreUnavailable(`HEAD answered ${answer.status}`)
  return { size: Number(answer.headers['content-length']), version: versionOf(answer.headers) }
}

/**
 * If the bucket keeps versions, this is the id of the version. Otherwise it is the tag of the
 * content.
 */
function versionOf(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  return String(headers['x-amz-version-id'] ?? headers['etag'] ?? '')
}

async function putWhole(client: S3Client, key: string, content: Uint8Array): Promise<StoredObject> {
  const sha256 = createHash('sha256').update(content).digest()
  const answer = await client.send({
    method: 'PUT',
    key: checkKey(key),
    body: content,
    // The service compares this checksum with the bytes that arrived.
    headers: { 'x-amz-content-sha256': sha256.toString('hex') },
  })
  const { headers } = await client.expect(answer, [200])
  return { size: content.byteLength, sha256, version: versionOf(headers) }
}

async function putStream(
  client: S3Client,
  multipart: S3Multipart,
  key: string,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredObject> {
  const hash = createHash('sha256')
  const etags: string[] = []
  let reference: string | undefined
  let gathered: Uint8Array[] = []
  let [waiting, size] = [0, 0]
  const sendPart = async () => {
    reference ??= await multipart.begin(key)
    const body = Buffer.concat(gathered)
    const query = { partNumber: String(etags.length + 1), uploadId: reference }
    const answer = await client.send({ method: 'PUT', key, body, query })
    etags.push(String((await client.expect(answer, [200])).headers['etag'] ?? ''))
    gathered = []
    waiting = 0
  }
  try {
    for await (const piece of content) {
      hash.update(piece)
      size += piece.byteLength
      waiting += piece.byteLength
      gathered.push(piece)
      if (waiting >= part_bytes) await sendPart()
    }
    if (!reference) return await putWhole(client, key, Buffer.concat(gathered))
    if (waiting > 0) await sendPart()
    const parts = etags.map((name, index) => ({
      part_number: index + 1,
      name,
      size: 0,
      sha256: null,
    }))
    await multipart.finish({ key, reference }, parts, size)
    const facts = await headObject(client, key)
    return { size, sha256: hash.digest(), version: facts?.version ?? '' }
  } catch (error) {
    if (reference) await multipart.abort({ key, reference })
    throw error
  }
}

/** A store that does not know the condition refuses it, or replaces the object without a word. */
async function createsOnce(client: S3Client): Promise<boolean> {
  const create = async () => {
    const headers = { 'if-none-match': '*' }
    const asked = { method: 'PUT', key: 'probes/create-once', body: 'probe', headers } as const
    const answer = await client.send({ ...asked, once: true })
    answer.body.resume()
    return answer.status
  }
  const first = await create()
  return (first === 200 || first === 412) && (await create()) === 412
}

async function* listObjects(client: S3Client, prefix: string): AsyncGenerator<ListedObject> {
  const below = checkKey(`${prefix}/x`).slice(0, -1)
  let after: string | undefined
  for (;;) {
    const query = {
      'list-type': '2',
      prefix: below,
      'max-keys': '1000',
      ...(after ? { 'start-after': after } : {}),
    }
    const answer = await client.expect(await client.send({ method: 'GET', query }), [200])
    const found = textsOf(answer.text, 'Contents').map(one => ({
      key: textsOf(one, 'Key')[0] ?? '',
      size: Number(textsOf(one, 'Size')[0]),
      modified_ms: Date.parse(textsOf(one, 'LastModified')[0] ?? ''),
    }))
    yield* found.filter(one => isKey(one.key))
    const last = found.at(-1)?.key
    if (!last || textsOf(answer.text, 'IsTruncated')[0] !== 'true') return
    if (last === after) throw endless()
    after = last
  }
}
