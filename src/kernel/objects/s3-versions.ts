/**
 * Takes back the deletion of an object, in a bucket that keeps versions: there a deletion only adds a
 * marker, which is removed again.
 */
import { textsOf, type S3Client } from './s3-client.ts'

/** False if there is nothing to take back: no marker, or a version of the object is in use. */
export async function undeleteObject(client: S3Client, key: string): Promise<boolean> {
  // Of keys that begin with this one, it is the first; its newest version comes first.
  const query = { versions: '', prefix: key, 'max-keys': '100' }
  const answer = await client.expect(await client.send({ method: 'GET', query }), [200])
  const marker = textsOf(answer.text, 'DeleteMarker').find(
    one => textsOf(one, 'Key')[0] === key && textsOf(one, 'IsLatest')[0] === 'true',
  )
  const versionId = textsOf(marker ?? '', 'VersionId')[0]
  if (versionId === undefined) return false
  const removed = await client.send({ method: 'DELETE', key, query: { versionId } })
  await client.expect(removed, [200, 204])
  return true
}
